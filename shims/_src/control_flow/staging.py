"""Trace branches and loop bodies separately, before they become part of a program.

A branch or a loop body is traced once into a jaxpr. The trace also records its outputs, of which some
are arrays and some plain Python values, and the variables that it assigns. Only then is it known how
branches, or a body and the loop's state, can be combined.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core as jex

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.sizes import checks_in_bodies, size_carriers
from shims._src.variables.variable import Variable


@dataclasses.dataclass(frozen=True, eq=False)
class Slot:
    """An output leaf of a `Block` that is an array, not a Python value.

    Attributes:
      position: the position of the array among the results of the jaxpr.
      aval: its shape and dtype.
      passed: the object that the traced code returned, if that code did not create it.
    """

    position: int
    aval: jax.ShapeDtypeStruct
    passed: Any = None

    @property
    def identity(self):
        """The object that the traced code returned; the slot itself if that code created the array."""
        return self if self.passed is None else self.passed


@dataclasses.dataclass(frozen=True, eq=False)
class Block:
    """A traced branch or loop body.

    Attributes:
      closed: its jaxpr; values captured from outside are constants.
      trees: the structure of each output.
      leaves: the leaves of each output: a `Slot` for an array, otherwise the Python value.
      written: the variables that the block assigns, in order; their values are the last results of the
        jaxpr.
    """

    closed: Any
    trees: tuple[Any, ...]
    leaves: tuple[tuple[Any, ...], ...]
    written: tuple[Variable, ...]

    def run(self, *arrays) -> tuple[list, dict[int, Any]]:
        """Run the block; return its output arrays, and a dict from `id(variable)` to assigned values."""
        results = jex.jaxpr_as_fun(self.closed)(*arrays)
        count = len(results) - len(self.written)
        values = {id(v): x for v, x in zip(self.written, results[count:], strict=True)}
        return results[:count], values


def trace_block(
    f: Callable[..., Sequence], avals: Sequence = (), carried: Sequence[Variable] = ()
) -> Block:
    """Trace `f(*arrays)`, which returns a sequence of outputs, to a `Block`.

    Args:
      f: the function to trace; its assignments to variables are recorded, but not carried out.
      avals: shapes and dtypes of the arguments of `f`, then of the values of `carried`.
      carried: variables whose values become arguments of the jaxpr, too.
    """
    outer = state.current_scope()
    found: dict[str, Any] = {}

    def program(*arrays):
        count = len(arrays) - len(carried)
        scope = state.Overlay(outer, carried, arrays[count:])
        with state.state_scope(scope):
            outputs = f(*arrays[:count])
        _check_no_creation(scope)
        results: list = []
        found["trees"], found["leaves"] = _describe(outputs, results)
        found["written"] = scope.written
        return [*results, *(scope.newest(v) for v in scope.written)]

    with size_carriers.inner_program():
        closed = jax.make_jaxpr(program)(*avals)
    closed = size_carriers.attached(closed)
    if avals:
        closed = checks_in_bodies.kept(closed)
    return Block(closed, found["trees"], found["leaves"], found["written"])


def _describe(outputs, results: list):
    """Return the structures and leaves of outputs; append the arrays among them to `results`."""
    trees, described = [], []
    for output in outputs:
        leaves, tree = jax.tree.flatten(output)
        trees.append(tree)
        described.append(tuple(_describe_leaf(leaf, results) for leaf in leaves))
    return tuple(trees), tuple(described)


def _describe_leaf(leaf, results: list):
    if not is_array(leaf) and not jp.is_symbolic(leaf):
        return leaf
    array = jnp.asarray(leaf)
    results.append(array)
    # Tracers of the block must not outlive it.
    made_here = jp.trace_of(leaf) is jp.current_trace()
    return Slot(len(results) - 1, aval_of(array), None if made_here else leaf)


def _check_no_creation(scope: state.Overlay) -> None:
    if scope.created:
        names = ", ".join(v.name for v in scope.created.values())
        raise ValueError(
            errors.message(
                "Variable",
                "a variable was created inside a branch or a loop that depends on traced data.",
                received=names,
                do="create the variable before the branch or the loop.",
            )
        )


def is_array(x) -> bool:
    """Return whether a value is an array of JAX or NumPy, traced or not."""
    return isinstance(x, (jax.Array, np.ndarray, np.generic))


def is_number(x) -> bool:
    """Return whether a value is a Python number, which may be converted to an array."""
    return isinstance(x, (bool, int, float, complex))


def is_staged(x) -> bool:
    """Return whether an array is a tracer whose value is unknown while tracing."""
    return isinstance(x, jax.core.Tracer) and x.to_concrete_value() is None


def ambient_is_staging() -> bool:
    """Return whether even operations on concrete arrays are traced, as under `jit`."""
    return isinstance(jnp.zeros(()), jax.core.Tracer)


def aval_of(array) -> jax.ShapeDtypeStruct:
    """Return the shape and dtype of an array, for tracing."""
    return jp.abstract(array, weak_type=is_weak(array))


def slice_avals(arrays):
    """Return the shapes and dtypes of slices of arrays along the leading axis."""
    return jax.tree.map(lambda x: jp.abstract(x, x.shape[1:], is_weak(x)), arrays)


def is_weak(x) -> bool:
    """Return whether a value is weakly typed, as arrays created from Python numbers are."""
    return bool(getattr(x, "weak_type", False))


def is_key(aval) -> bool:
    """Return whether an array holds keys of `jax.random`, whose dtype is not a NumPy dtype."""
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.extended)


def aval_of_leaf(leaf) -> jax.ShapeDtypeStruct:
    """Return the shape and dtype of a `Slot`, or of a Python number converted to an array."""
    if isinstance(leaf, Slot):
        return leaf.aval
    return jax.ShapeDtypeStruct((), as_array(leaf).dtype, weak_type=not isinstance(leaf, bool))


def common_dtype(avals: Sequence[jax.ShapeDtypeStruct]):
    """Return `(dtype, weak)` to which all `avals` can be converted, or `None`.

    Arrays that are not weakly typed are never converted, as in TensorFlow; weak types follow JAX's
    promotion.
    """
    if any(is_key(a) for a in avals):
        return (avals[0].dtype, False) if len({a.dtype for a in avals}) == 1 else None
    weak = [a for a in avals if a.weak_type and a.dtype != bool]  # a bool is not converted
    declared = {np.dtype(a.dtype) for a in avals if not a.weak_type or a.dtype == bool}
    kinds = [_PYTHON_TYPES[np.dtype(a.dtype).kind] for a in weak]
    if len(declared) > 1:
        return None
    if not declared:
        return as_array(sum(kind(0) for kind in kinds)).dtype, True
    return jax.dtypes.canonicalize_dtype(jnp.result_type(*declared, *kinds)), False


_PYTHON_TYPES = {"i": int, "u": int, "f": float, "c": complex}


def cast_leaf(value, aval: jax.ShapeDtypeStruct):
    """Convert `value` to the dtype of `aval`, weakly typed if `aval` is; let it vary over the same mesh axes."""
    return jp.varying_as(_cast(value, aval), aval)


def _cast(value, aval: jax.ShapeDtypeStruct):
    if not aval.weak_type or aval.dtype == bool:
        return lax.convert_element_type(value, aval.dtype)
    kind = _PYTHON_TYPES[np.dtype(aval.dtype).kind]
    if is_number(value):
        return jnp.asarray(kind(value))
    return value if value.dtype == aval.dtype else value * kind(1)


def same_shape(a: Sequence, b: Sequence) -> bool:
    """Return whether two shapes are equal as expressions; unknown sizes are not compared."""
    return len(a) == len(b) and all(
        type(x) is type(y) and (x is y or str(x) == str(y)) for x, y in zip(a, b)
    )


def show(aval) -> str:
    """Format a shape and dtype for messages, such as `float32[n, 3]`."""
    sizes = ", ".join(str(d) for d in aval.shape)
    plain = aval.dtype != object and not is_key(aval)
    return f"{np.dtype(aval.dtype).name if plain else aval.dtype}[{sizes}]"


def show_value(value) -> str:
    """Format an array by shape and dtype, and any other value by `repr`."""
    return show(value) if is_array(value) else repr(value)


def structure(tree) -> str:
    """Format a structure for messages, such as `(*, [*, None])`."""
    return str(jax.tree.unflatten(tree, ["*"] * tree.num_leaves)).replace("'*'", "*")


def scalar_condition(value, label: str):
    """Convert a traced condition to a bool scalar.

    Raises:
      ValueError: the condition has more than one element.
    """
    if value.ndim:
        if value.shape != (1,) * value.ndim:
            raise ValueError(
                errors.message(
                    label,
                    "the condition must be a scalar.",
                    required="bool[]",
                    received=show(value),
                    do="reduce it to a scalar: `jnp.any(...)` or `jnp.all(...)`.",
                )
            )
        value = value.reshape(())
    return value if value.dtype == jnp.bool_ else value != 0


def current_value(x):
    """Return the current value of a variable, and any other value unchanged."""
    return as_array(x) if isinstance(x, Variable) else x
