"""Evaluate the shapes of dynamic programs inside an enclosing trace over symbolic sizes.

`jax.eval_shape` over symbolic sizes needs this, and so does Keras when it builds a layer. The program is
traced over its own symbolic sizes; its results have the right shapes, in terms of the sizes of the
enclosing trace, but no values: they cannot be compiled or run.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, size_bounds, trace
from shims._src.sizes.padded import OK, Padded
from shims._src.tracing.program import trace_program

outline_p = jp.Primitive("outline")
outline_p.multiple_results = True
# The size for which comparisons of input sizes are decided.
_EXAMPLE = 64


def has_foreign_sizes(operands) -> bool:
    """Return whether an operand has a symbolic size of an enclosing trace."""
    arrays = [x.values if isinstance(x, Padded) else x for x in operands]
    return any(jp.is_symbolic(d) for x in arrays for d in jnp.shape(x))


def outlined(f, operands):
    """Evaluate `f` abstractly: return results that have shapes and dtypes but no values.

    Raises:
      CapacityError: a size of a result has no bound.
    """
    state = trace.DynamicTrace(may_assume=True)
    given: dict[str, Any] = {}
    specs, arrays = [], []
    for x in operands:
        array = x.values if isinstance(x, Padded) else jnp.asarray(x)
        dynamic = x.sizes if isinstance(x, Padded) else {}
        shape = [
            _own_dimension(state, given, d, is_dynamic=axis in dynamic)
            if jp.is_symbolic(d) or axis in dynamic
            else d
            for axis, d in enumerate(array.shape)
        ]
        specs.append(jax.ShapeDtypeStruct(tuple(shape), array.dtype))
        arrays.append(array)
    with refusals.translating():
        program = trace_program(state, f, specs)
    if not len(state.fresh):
        return f(*operands)  # nothing depends on data, and JAX computes with its own sizes
    jaxpr, _ = jp.open_jaxpr(program.jaxpr)
    avals = [v.aval for v in jaxpr.outvars]
    shapes = tuple(
        (tuple(_outer_size(state, given, d) for d in aval.shape), aval.dtype) for aval in avals
    )
    results = outline_p.bind(*arrays, shapes=shapes, line=errors.user_line())
    outs = [
        _as_padded(state, result, aval.shape) for result, aval in zip(results, avals, strict=True)
    ]
    return jax.tree.unflatten(program.out_tree, outs)


def _own_dimension(state, given, size, *, is_dynamic: bool):
    """Create the symbol that stands for a size of the enclosing trace in the inner program.

    Equal sizes share one dimension; a size that is only an upper bound (of a `Padded`) gets its own.
    """
    for name, known in given.items():
        if not is_dynamic and name not in state.fresh and known is size:
            return state.dimension(name)
    name = f"p{len(given)}"
    given[name] = size
    if is_dynamic:
        state.declare_fresh(name)
    return state.declare_input(name, _EXAMPLE)


def _outer_size(state, given, d):
    """Express a dimension of the inner program, or its upper bound, in sizes of the enclosing trace."""
    bound = size_bounds.upper_bound(state, d)
    if bound is None:
        raise errors.CapacityError(
            errors.message(
                "",
                "a data-dependent size inside an enclosing JAX trace has no bound.",
                required="a bound",
                received=f"{d}",
                do="declare a bound: `shims.bounded(k, max=...)`",
            )
        )
    return dims.substituted(bound, given) if jp.is_symbolic(bound) else bound


def _as_padded(state, array, shape):
    unknown = {
        axis: jnp.int32(0)
        for axis, d in enumerate(shape)
        if jp.is_symbolic(d) and state.fresh.of(d)
    }
    return Padded(array, unknown, jnp.int32(OK)) if unknown else array


@outline_p.def_abstract_eval
def _aval(*operands, shapes, line):
    return [jp.shaped(shape, dtype, *operands) for shape, dtype in shapes]


def _refuse_to_run(*operands, shapes, line):
    raise errors.UnimplementedError(
        errors.message(
            "",
            "a program with data-dependent sizes cannot be exported for symbolic sizes.",
            received=", ".join(f"{x.dtype}[{','.join(map(str, x.shape))}]" for x in operands),
            at=line,
            do="export the program for one or more known sizes, `jax.ShapeDtypeStruct((64,), x.dtype)`, and pad the "
            "inputs to the next larger size",
        )
    )


def _refuse_to_compile(context, *operands, shapes, line):
    _refuse_to_run(*context.avals_in, shapes=shapes, line=line)


outline_p.def_impl(_refuse_to_run)
jp.mlir.register_lowering(outline_p, _refuse_to_compile)
