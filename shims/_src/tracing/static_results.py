"""Compute operators on known numbers with NumPy in an enclosing trace: results stay known.

Under `jax.jit` every operation of JAX is recorded, also on constants, and its result is a tracer, which
cannot be a size, a bound of a slice, or an argument of `range`. The operators that programs compute sizes
and positions with are therefore evaluated while tracing if all arguments are Python or NumPy numbers.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.operands import operand
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace
from shims._src.types.host_tensor import HostTensor

# Larger constants would make compiled programs large.
_MOST_ELEMENTS = 4096

OPERATORS = frozenset(
    {
        *(
            "range",
            "linspace",
            "boolean_mask",
            "cast",
            "unstack",
            "concat",
            "ones_like",
            "zeros_like",
        ),
        *("stack", "broadcast_dynamic_shape", "expand_dims", "squeeze", "reverse", "cumsum"),
        *("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_all", "reduce_any"),
        *("add", "subtract", "multiply", "divide", "truediv", "floordiv", "floormod", "pow"),
        *("minimum", "maximum", "ceil", "floor", "round", "abs", "negative", "square", "sign"),
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
        *("logical_and", "logical_or", "logical_not"),
    }
)


class StaticArray(np.ndarray):
    """A NumPy array that, like a JAX array, also accepts traced indices and has `.at`."""

    def __getitem__(self, index):
        if any(map(jp.is_tracer, jax.tree.leaves(index))):
            return jnp.asarray(self)[index]
        return super().__getitem__(index)

    @property
    def at(self):
        """The attribute `at` of JAX arrays, for functional updates."""
        return jnp.asarray(self).at


def _out_of_place(operation: Callable) -> Callable:
    return lambda self, other: operation(self, other)


# `x += 1` gives another array, as for those of JAX and TensorFlow: other names of `x` keep the old one.
for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
):
    setattr(StaticArray, f"__i{_name}__", _out_of_place(getattr(operator, f"__{_name}__")))


def is_wanted() -> bool:
    """Return whether operators on known numbers are computed while tracing.

    They are under `jax.jit` and other traces of JAX, but not in eager mode or in dynamic traces.
    """
    return trace.current() is None and not jp.ambient_is_eager()


def as_known(array):
    """Return a result as a NumPy number, or as a NumPy array that accepts traced indices."""
    if isinstance(array, HostTensor):
        return array
    array = np.asarray(array)
    return array.view(StaticArray) if array.ndim else array[()]


def known_result(array: np.ndarray):
    """Convert a result that depends only on shapes to an array that stays known under `jit`."""
    return as_known(array) if is_wanted() else jnp.asarray(array)


def constant_of_program(number):
    """Return an int32 scalar that does not depend on inputs: a NumPy scalar in every trace."""
    return jnp.int32(number) if jp.ambient_is_eager() else np.int32(number)


def known_operand(value):
    """Convert an operand to an array; in an enclosing trace, to NumPy's if its numbers are known."""
    if not is_wanted() or not all(map(_is_known, jax.tree.leaves(value))):
        return operand(value)
    with jax.ensure_compile_time_eval():
        return np.asarray(operand(value))


def computed(call: Callable) -> Callable:
    """Make an operator compute while tracing if all arguments are Python or NumPy numbers."""

    @functools.wraps(call)
    def call_or_compute(*args, **kwargs):
        if not is_wanted() or not all(map(_is_known, jax.tree.leaves((args, kwargs)))):
            return call(*args, **kwargs)
        with jax.ensure_compile_time_eval():
            result = call(*args, **kwargs)
        if any(np.size(x) > _MOST_ELEMENTS for x in jax.tree.leaves(result)):
            return call(*args, **kwargs)
        return jax.tree.map(as_known, result)

    return call_or_compute


def _is_known(leaf) -> bool:
    if isinstance(leaf, np.ndarray):
        return leaf.size <= _MOST_ELEMENTS
    return not hasattr(leaf, "__jax_array__") and not isinstance(leaf, jax.Array)
