"""Find insertion points in sorted sequences."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.platform import jax_private as jp
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives


def insertion_points(sequence, values, side):
    """Find insertion points in a sorted sequence by bisection, for all values at once.

    Args:
      sequence: array `[..., n]`, ascending.
      values: array `[..., m]`.
      side: `left` or `right`.

    Returns:
      int32 `[..., m]`. A NaN compares as in C++: every comparison with a NaN is false.
    """
    sequence, values = lax.stop_gradient(sequence), lax.stop_gradient(values)
    if is_known(sequence.shape[-1]) and sequence.shape[-1] == 0:
        return jnp.zeros(values.shape, jnp.int32)
    extent = primitives.as_size(sequence.shape[-1])
    low = jnp.zeros(values.shape, jnp.int32)
    high = jnp.broadcast_to(extent, values.shape)
    last = jnp.maximum(extent - 1, 0)

    def halve(_, state):
        low, high = state
        middle = low + (high - low) // 2
        here = jnp.minimum(middle, last)
        # Mode `fill`, not `clip`: if the size is 0 at run time, there is no valid index to clip to.
        at = jnp.take_along_axis(sequence, here, axis=-1, mode="fill", fill_value=0)
        above = at < values if side == "left" else ~(values < at)
        above &= low < high
        return jnp.where(above, middle + 1, low), jnp.where(above, high, middle)

    # As many steps as the size has bits: the same for every value, and for every row under `vmap`.
    steps = 32 - lax.clz(extent)
    start = jp.varying_as((low, high), (sequence, values))
    return loops_per_device.fori_loop(0, steps, halve, start)[0]
