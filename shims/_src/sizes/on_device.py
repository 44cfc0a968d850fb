"""Select on an accelerator in eager calls: only the number of selected slots is copied to the host."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.platform import accelerators, device_arrays
from shims._src.platform import jax_private as jp


def lies_there(x, mask) -> bool:
    """Return whether `selected` applies: to a concrete array on an accelerator, and no active tape."""
    return (
        type(x) is jp.ArrayImpl
        and jp.nothing_looks_on()
        and not accelerators.on_cpu(x)
        and mask.size > 0
    )


def selected(x, mask, axis: int):
    """Return the slices of `x` along `axis` where the vector `mask` is true."""
    packed, count = _packed(x, jnp.asarray(mask, bool), axis)
    return device_arrays.cut(packed, {axis: int(count)}, is_own=True)


@functools.partial(jax.jit, static_argnums=2)
def _packed(x, mask, axis):
    count = jnp.sum(mask, dtype=jnp.int32)
    if x.ndim == 1:
        return scattered_to_front(mask, mask.size, x), count
    places = scattered_to_front(mask, mask.size)
    return jnp.take(x, places, axis=axis, mode="clip"), count


def scattered_to_front(valid, capacity: int, array=None):
    """Write the elements of a vector, by default their positions, where they stand after packing.

    Invalid slots are sent out of range, each to a position of its own: positions known to be unique are
    written without atomic operations.
    """
    slots = lax.iota(jnp.int32, valid.shape[0])
    array = slots if array is None else array
    beyond = max(capacity, valid.shape[0]) + slots
    places = jnp.where(valid, jnp.cumsum(valid, dtype=jnp.int32) - 1, beyond)
    empty = jp.varying_as(jnp.zeros((capacity,), array.dtype), (valid, array))
    return empty.at[places].set(
        array, mode="drop", unique_indices=True, wrap_negative_indices=False
    )
