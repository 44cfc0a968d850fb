"""Reduce integers to their maximum or minimum with operations that are fast on CPU."""

from __future__ import annotations

import functools
import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import accelerators

# The reduction of two results pays from this number of elements per result.
_MIN_ELEMENTS = 1 << 10


def reduces(name: str, operands) -> bool:
    """Return whether a primitive reduces integers to their maximum or minimum."""
    return name in ("reduce_max", "reduce_min") and jnp.issubdtype(operands[0].dtype, jnp.integer)


def reduce(name: str, x, axes):
    """Compute `lax.reduce_max` or `lax.reduce_min` over axes.

    XLA splits a reduction with one result into windows of 32, which it does not vectorize: a million
    random integers take ten times as long as they need. It does not split a reduction with two results.

    Args:
      name: "reduce_max" or "reduce_min".
      x: array.
      axes: the axes to reduce.

    Returns:
      The reduced array.
    """
    plain = functools.partial(getattr(lax, name), axes=tuple(axes))
    if not _is_split_by_xla(x, axes):
        return plain(x)
    return accelerators.chosen(
        x, cpu=functools.partial(_one_of_two, name, axes=tuple(axes)), default=plain
    )


def _one_of_two(name: str, x, axes):
    """Compute the maximum and the minimum, and return one of them."""
    info = jnp.iinfo(x.dtype)
    low, high = np.asarray(info.min, x.dtype), np.asarray(info.max, x.dtype)
    both = lax.reduce((x, x), (high, low), _smaller_and_larger, axes)
    smallest, largest = lax.optimization_barrier(both)  # keeps XLA from removing the unused result
    return largest if name == "reduce_max" else smallest


def _smaller_and_larger(these, those):
    return lax.min(these[0], those[0]), lax.max(these[1], those[1])


def _is_split_by_xla(x, axes) -> bool:
    are_last = set(axes) == set(range(x.ndim - len(axes), x.ndim))
    # With a symbolic size, it is called again when the program is lowered.
    are_known = all(isinstance(d, int) for d in x.shape)
    if not (jnp.issubdtype(x.dtype, jnp.integer) and are_last and are_known):
        return False
    return math.prod(x.shape[a] for a in axes) >= _MIN_ELEMENTS
