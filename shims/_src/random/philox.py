"""Generate random 32-bit words with the Philox 4x32-10 generator, in TensorFlow's order.

A stream has a 64-bit key and a 128-bit counter; each counter value gives a block of four 32-bit words.
These functions run inside the kernels of `draw`, where 64-bit dtypes are available.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
# The key with which TensorFlow scrambles the seeds of its stateless operators.
_SCRAMBLING_KEY = (0x3EC8F720, 0x02461E29)


class Stream(NamedTuple):
    """The key and the initial counter of a sequence of random blocks.

    Attributes:
      key: two uint32 scalars.
      low: the lower half of the counter, a uint64 scalar.
      high: the upper half of the counter.
    """

    key: tuple
    low: object
    high: object


def stream_of(words) -> Stream:
    """Create a stream from a uint32 vector.

    Args:
      words: `[6]`, the key and the counter, low words first; or `[4]`, two 64-bit seeds that are
        scrambled first.
    """
    if words.shape[0] == 4:
        key = tuple(jnp.uint32(k) for k in _SCRAMBLING_KEY)
        mixed = _encrypt(tuple(words), key)
        zero = jnp.zeros((), jnp.uint64)
        return Stream((mixed[0], mixed[1]), zero, join(mixed[2], mixed[3]))
    return Stream((words[0], words[1]), join(words[2], words[3]), join(words[4], words[5]))


def join(low, high):
    """Join the low and the high uint32 words of numbers to uint64 numbers."""
    return low.astype(jnp.uint64) | (high.astype(jnp.uint64) << jnp.uint64(32))


def halves(number):
    """Split uint64 numbers into their low and high words."""
    return number.astype(jnp.uint32), (number >> jnp.uint64(32)).astype(jnp.uint32)


def blocks(stream: Stream, places):
    """Generate the blocks at the offsets `places` (uint64) from the start of a stream.

    Returns:
      Four uint32 arrays of the shape of `places`.
    """
    low = stream.low + places
    high = stream.high + (low < places).astype(jnp.uint64)
    counter = (*halves(low), *halves(jnp.broadcast_to(high, low.shape)))
    return _encrypt(counter, stream.key)


def count(size: int):
    """Return the uint64 vector `[0, 1, ..., size - 1]`."""
    return lax.iota(jnp.uint64, size)


def words(stream: Stream, size: int):
    """Generate the first `size` words of a stream."""
    four = blocks(stream, count(-(-size // 4)))
    return jnp.stack(four, axis=-1).reshape(-1)[:size]


def _encrypt(counter, key):
    for _ in range(_ROUNDS):
        counter = _round(counter, key)
        key = tuple(k + jnp.uint32(step) for k, step in zip(key, _KEY_STEPS, strict=True))
    return counter


def _round(counter, key):
    low0, high0 = _product(_MULTIPLIERS[0], counter[0])
    low1, high1 = _product(_MULTIPLIERS[1], counter[2])
    return high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0


def _product(a: int, b):
    return halves(b.astype(jnp.uint64) * jnp.uint64(a))
