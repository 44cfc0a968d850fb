"""Trace a function for operands of given shapes, and store its program with `jax.export`.

The program is the one that `shims.function` traces: with its run-time checks, and with the decisions about
sizes that it depends on. Nothing is traced a second time by other rules.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from shims._src.arguments.conversion import as_array
from shims._src.function import lift
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.random.draw import draw_p
from shims._src.recording import state
from shims._src.saved_model import structures
from shims._src.saved_model.saved_functions import Check, Program, Shapes, Size
from shims._src.saved_model.size_patterns import names_in
from shims._src.sizes import dims, primitives, trace
from shims._src.sizes.decisions import Guard
from shims._src.sizes.padded import Padded
from shims._src.tracing.dynamic import run_dynamic
from shims._src.tracing.program import result_array, trace_program
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable

# Prime numbers, for which comparisons of unknown sizes with numbers and with each other are not true.
_EXAMPLES = (61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137)
# Sizes up to this number are tried to find out for which a decision is another one.
_SMALL = 32
_LARGE = 10**6
_PLATFORMS = ("cpu", "cuda", "rocm", "tpu")


_RESULTS = (jax.Array, np.ndarray, np.generic, bool, int, float, complex, Variable)


class NotExportableError(Exception):
    """Raised if a function has no program for some unknown sizes.

    Attributes:
      problem: the reason.
      line: the user's line, or `None`.
      remedy: what to write instead.
    """

    def __init__(self, problem: str, line: str | None, remedy: str):
        super().__init__(problem)
        self.problem, self.line, self.remedy = problem, line, remedy


@dataclasses.dataclass(frozen=True, eq=False)
class _Traced:
    """A traced function.

    Attributes:
      jaxpr: the closed jaxpr over the values of variables and the operands.
      found: the variables.
      outputs: the encoded structure of the results.
      specs: the shapes and dtypes of the operands.
      state: the dynamic trace.
    """

    jaxpr: Any
    found: lift.Found
    outputs: Any
    specs: list
    state: trace.DynamicTrace


def exported(call: Callable, specs: Sequence[TensorSpec], shapes: Shapes, least: int) -> Program:
    """Return the program of a function.

    Args:
      call: the function of the operands.
      specs: their dtypes.
      shapes: their shapes; names stand for unknown sizes.
      least: 0 or 2, the smallest value of the unknown sizes while tracing. Some functions can only be traced if no
        axis is empty, and a trace relies on the fact that a size that is a variable is not 1. The
        program is never for empty operands, which operators recognize by sizes that are numbers.

    Raises:
      NotExportableError: there is no program for these unknown sizes.
    """
    traced = _traced(call, specs, shapes, least)
    checks: list[Check] = []

    def program(*arrays):
        results, failed, numbers = _checked(traced.jaxpr, arrays, checks)
        return (*results, jnp.stack(failed), jnp.stack(numbers)) if failed else tuple(results)

    given = [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in traced.found.values()]
    is_wide = bool(names_in(shapes)) and _draws_numbers(traced.jaxpr)
    data = _serialized(program, [*given, *traced.specs], is_wide)
    excluded: list[tuple[str, Size]] = [
        (name, size) for name in names_in(shapes) for size in range(max(least, 1))
    ]
    for guard in traced.state.decisions.guards:
        excluded += _exceptions(guard, traced.state, least)
    return Program(
        shapes,
        tuple(dict.fromkeys(excluded)),
        traced.found.used,
        traced.found.written,
        traced.outputs,
        tuple(checks),
        data,
    )


def _serialized(program, specs, is_wide: bool) -> bytes:
    """Store a program for all platforms, or for the present one, with its derivative if it has one.

    Args:
      program: the function.
      specs: the shapes and dtypes of its operands.
      is_wide: whether sizes are 64-bit integers in it, as in kernels that compute with 64 bits.
    """
    with jax.enable_x64(True) if is_wide else contextlib.nullcontext():
        try:
            found = export.export(jax.jit(program), platforms=_PLATFORMS)(*specs)
        except (NotImplementedError, ValueError):
            found = export.export(jax.jit(program))(*specs)
        try:
            return bytes(found.serialize(vjp_order=2))
        except (ValueError, NotImplementedError, TypeError):
            return bytes(found.serialize())


def _traced(call, specs, shapes, least) -> _Traced:
    may_create = True
    while True:
        dynamic = trace.DynamicTrace(may_assume=True)
        operands = _operand_specs(dynamic, specs, shapes, least)
        scope = lift.Lifting(may_create)
        box: dict[str, Any] = {}
        program = trace_program(dynamic, _flat(call, scope, box), operands)
        closed, found = scope.lifted(program.jaxpr)
        if scope.pending:
            raise lift.depends_on_arguments([v for v, _ in scope.pending.values()])
        _refuse_callbacks(closed)
        if not scope.created:
            break
        may_create = (
            False  # as in TensorFlow, what only creates variables is not part of the program
        )
    if _has_data_dependent_sizes(closed):
        if names_in(shapes):
            raise _two_kinds_of_sizes(dynamic) if len(dynamic.fresh) else _unequal_sizes()
        scope = lift.Lifting(may_create=False)
        flat = _flat(lambda *xs: run_dynamic(call, xs), scope, box)
        closed, found = scope.lifted(jax.make_jaxpr(flat)(*operands))
    return _Traced(closed, found, box["outputs"], operands, dynamic)


def _refuse_callbacks(jaxpr) -> None:
    if jaxprs.calls_host(jaxpr):
        raise NotExportableError(
            "the function calls Python code on the host, for example with `tf.print`, `py_function` or "
            "`numpy_function`.",
            None,
            "remove such calls from the function that is saved",
        )


def _operand_specs(dynamic: trace.DynamicTrace, specs, shapes: Shapes, least: int) -> list:
    below = int(least == 0)  # a variable of JAX is at least 1
    sizes: dict[Size, Any] = {}
    for name, example in zip(names_in(shapes), _EXAMPLES * len(specs), strict=False):
        sizes[name] = dynamic.declare_input(name, example + below) - below
    return [
        jax.ShapeDtypeStruct(
            tuple(sizes.get(d, d) for d in shape), jax.dtypes.canonicalize_dtype(spec.dtype)
        )
        for spec, shape in zip(specs, shapes, strict=True)
    ]


def _flat(call, scope: lift.Lifting, box):
    """Return a function of the operands to the leaves of the results and the assigned values."""

    def flat(*xs):
        with state.state_scope(scope):
            box["outputs"], leaves = _flattened(call(*xs))
            leaves += [value for _, value in scope.writes.values()]
        scope.forget_values()
        return leaves

    return flat


def _flattened(outputs):
    leaves: list = []

    def leaf(value):
        if isinstance(value, Padded):
            axes = sorted(value.sizes)
            leaves.extend([value.values, *(value.sizes[i] for i in axes), value.status])
            return axes
        if not isinstance(value, _RESULTS) and not jp.is_symbolic(value):
            raise structures.NotEncodableError(f"a result of type {type(value).__name__}")
        leaves.append(as_array(value) if isinstance(value, Variable) else result_array(value))
        return []

    return structures.encode(outputs, leaf, has_literals=False), leaves


def _has_data_dependent_sizes(jaxpr) -> bool:
    """Return whether equations of a program have sizes that JAX does not know."""
    own = (*primitives.SIZE_MAKERS, *(p.name for p in _OF_SIZES))
    return any(eqn.primitive.name in own for eqn in jaxprs.equations(jaxpr))


def _draws_numbers(jaxpr) -> bool:
    return any(eqn.primitive is draw_p for eqn in jaxprs.equations(jaxpr))


_OF_SIZES = (
    primitives.limit_p,
    primitives.unify_p,
    primitives.sized_p,
    primitives.size_number_p,
    primitives.outgrow_p,
)


def _checked(jaxpr, arrays, checks: list[Check]):
    """Run a traced program; return its results, and of each check whether it failed, and a number."""
    failed: list = []
    numbers: list = []

    def run(jaxpr, arrays):
        inner, consts = jp.open_jaxpr(jaxpr)
        env = dict(zip(inner.constvars, consts, strict=True))
        env.update(zip(inner.invars, arrays, strict=True))
        return jaxprs.evaluate(inner, env, step, lambda literal: literal.val)

    def step(eqn, operands):
        if eqn.primitive is primitives.check_p:
            bad, number = operands
            failed.append(jnp.any(bad))
            numbers.append(jnp.max(jnp.asarray(number, jnp.int32)))
            checks.append(Check(eqn.params["error"].__name__, eqn.params["text"]))
            return []
        if eqn.primitive.name == "jit":  # in one piece, since checks leave the function as results
            return run(eqn.params["jaxpr"], operands)
        if _has_checks(eqn):
            raise NotExportableError(
                "a run-time check inside a loop, a branch or a derivative cannot be saved.",
                None,
                "check the values before the call, or write known sizes into the signature",
            )
        return jp.bind(eqn, operands)

    checks.clear()
    return run(jaxpr, arrays), failed, numbers


def _has_checks(eqn) -> bool:
    return any(
        inner.primitive is primitives.check_p
        for program in jaxprs.sub_jaxprs(eqn.params)
        for inner in jaxprs.equations(program)
    )


def _exceptions(guard: Guard, dynamic, least: int) -> list[tuple[str, Size]]:
    """Return the sizes for which a decision would differ.

    Raises:
      NotExportableError: these are not a few sizes, or two sizes that are equal.
    """
    names, below = sorted(jp.variables(guard.d)), int(least == 0)

    def holds(*sizes: int) -> bool:
        return guard.holds({n: size + below for n, size in zip(names, sizes, strict=True)})

    if dims.is_linear(guard.d) and len(names) == 1 and holds(_SMALL) and holds(_LARGE):
        return [(names[0], size) for size in range(least, _SMALL) if not holds(size)]
    pairs = ((2, 3), (3, 2), (2, _LARGE), (_LARGE, 2))
    if dims.is_linear(guard.d) and len(names) == 2 and all(holds(*pair) for pair in pairs):
        return [(names[0], names[1])]
    raise NotExportableError(
        f"the program is valid only if `{guard.text}`.",
        guard.line,
        "write the size into the signature, and save one function for each size",
    )


def _unequal_sizes() -> NotExportableError:
    return NotExportableError(
        "an unknown size must be equal to another size.",
        None,
        "write the size into the signature, or use the same name for equal sizes: "
        "`TensorSpec(['batch', 3])`",
    )


def _two_kinds_of_sizes(dynamic: trace.DynamicTrace) -> NotExportableError:
    lines = list(dynamic.origins.values())
    return NotExportableError(
        "a program with data-dependent sizes can be saved only if all sizes of its operands are known.",
        lines[0] if lines else None,
        "write the sizes into the signature, `TensorSpec([64, 3])`, and pad the operands to these sizes",
    )
