"""Compute strings of traced values when the program runs, on the host."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shims._src.platform import host_programs
from shims._src.platform import jax_private as jp
from shims._src.sizes.padded import Padded
from shims._src.types.composite import is_composite
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.traced_text import CAPACITY, CODE, TracedText, encode


def late(f: Callable) -> Callable:
    """Let an operator on strings take traced values: a callback calls it when the program runs.

    Args:
      f: the operator. Its result is one tensor, whose shape does not depend on the values.
    """

    @functools.wraps(f)
    def call(*args, **kwargs):
        leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_leaf)
        if not any(map(jp.is_tracer, leaves)) or any(map(_is_leaf, leaves)):
            return f(*args, **kwargs)
        return _compute(f, leaves, tree)

    return call


def _is_leaf(x) -> bool:
    return isinstance(x, Padded) or is_composite(x)


def _compute(f: Callable, leaves: list, tree) -> Any:
    places = [i for i, x in enumerate(leaves) if jp.is_tracer(x)]
    arrays = [jax.lax.stop_gradient(leaves[i]) for i in places]

    def at_once(*values):
        full = list(leaves)
        for i, value in zip(places, values, strict=True):
            full[i] = np.asarray(value)
        args, kwargs = jax.tree.unflatten(tree, full)
        return f(*args, **kwargs)

    # The shape of the result is that for any values.
    with jax.ensure_compile_time_eval():
        result = at_once(*map(_sample, arrays))
    shape = np.shape(result)
    if shape and any(jp.is_symbolic(d) for x in arrays for d in x.shape):
        args, kwargs = jax.tree.unflatten(tree, leaves)
        return f(*args, **kwargs)  # which says that it cannot
    if isinstance(result, HostTensor):
        kinds = (
            jax.ShapeDtypeStruct((*shape, CAPACITY), CODE),
            jax.ShapeDtypeStruct(shape, np.int32),
        )
        found = host_programs.pure_callback(
            lambda *values: encode(at_once(*values)), kinds, *arrays, vmap_method="sequential"
        )
        return TracedText(*found)
    dtype = np.asarray(result).dtype
    return host_programs.pure_callback(
        lambda *values: np.asarray(at_once(*values), dtype),
        jax.ShapeDtypeStruct(shape, dtype),
        *arrays,
        vmap_method="sequential",
    )


def _sample(x) -> np.ndarray:
    """Return an array of ones, which are strings `"0"` if they are codes."""
    sizes = [1 if jp.is_symbolic(d) else d for d in x.shape]
    is_code = x.dtype == CODE and sizes and sizes[-1] == CAPACITY
    return np.full(sizes, ord("0") if is_code else 1, x.dtype)


@late
def _joined(a, b):
    return host(np.asarray(host(a)) + np.asarray(host(b)))


@late
def _are_equal(a, b):
    return np.asarray(np.asarray(host(a)) == np.asarray(host(b)), bool)


@late
def _differ(a, b):
    return np.asarray(np.asarray(host(a)) != np.asarray(host(b)), bool)


_METHODS = {
    "__add__": lambda self, other: _joined(self, other),
    "__radd__": lambda self, other: _joined(other, self),
    "__eq__": lambda self, other: _are_equal(self, other),
    "__ne__": lambda self, other: _differ(self, other),
}
for _name, _method in _METHODS.items():
    setattr(TracedText, _name, _method)
