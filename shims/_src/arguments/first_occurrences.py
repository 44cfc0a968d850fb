"""Find the first occurrence of each element of a vector by hashing."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.numeric.sort_keys import ascending_key
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives

# Constants of a hash function: odd numbers with irregular bits.
_SALT, _FIRST, _SECOND = map(np.uint32, (0x9E3779B9, 0x7FEB352D, 0x846CA68B))


def first_occurrences(x):
    """Return, for each element of a vector, the index of the first element that equals it.

    Every element claims a slot of a hash table by the hash of its value; the first claimant gets it, and
    all elements equal to it are done. The others try again with another hash. A few rounds suffice for
    any data, and on a CPU each costs a tenth of a sort.

    Args:
      x: vector of real numbers; both zeros are equal, and a NaN equals nothing.

    Returns:
      int32 vector.
    """
    if is_known(x.shape[0]) and x.shape[0] == 0:
        return jnp.zeros((0,), jnp.int32)
    x = lax.stop_gradient(x)
    key = ascending_key(x)
    words = _to_32_bits(key)
    place = jnp.arange(x.shape[0], dtype=jnp.int32)
    slots = 2 * x.shape[0] + 64
    number = primitives.as_size(slots)

    def claim(state):
        turn, first = state
        hashed = _mix_bits(words ^ (turn * _SALT))
        slot = lax.rem(hashed, jnp.broadcast_to(number.astype(jnp.uint32), hashed.shape))
        slot = slot.astype(jnp.int32)
        claimed = jnp.where(first < 0, slot, number)
        table = jnp.full((slots,), np.iinfo(np.int32).max, jnp.int32)
        owner = jnp.take(table.at[claimed].min(place, mode="drop"), slot, mode="clip")
        is_mine = jnp.take(key, owner, mode="clip") == key
        return turn + 1, jnp.where((first < 0) & is_mine, owner, first)

    start = jnp.where(x != x, place, -1)
    state = loops_per_device.while_loop(lambda s: jnp.any(s[1] < 0), claim, (jnp.uint32(0), start))
    return state[1]


def _to_32_bits(key):
    """Reduce integers to 32 bits each; equal integers stay equal."""
    if key.dtype.itemsize == 8:
        key = key ^ lax.shift_right_logical(key, jnp.full_like(key, 32))
    return key.astype(jnp.uint32)


def _mix_bits(words):
    """Mix the bits of words, so that each bit of the result depends on all bits of the word."""
    words = (words ^ (words >> 16)) * _FIRST
    words = (words ^ (words >> 15)) * _SECOND
    return words ^ (words >> 16)
