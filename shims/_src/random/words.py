"""Represent 64-bit numbers as pairs of uint32 words, which do not need `jax_enable_x64`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

_MASK = (1 << 64) - 1


def words_of(numbers):
    """Split integers into 32-bit words, the low word of each first.

    Args:
      numbers: an integer array of NumPy or JAX, of any shape.

    Returns:
      uint32 `[*shape, 2]`, a NumPy array if `numbers` is one.
    """
    if not isinstance(numbers, jax.Array):
        wide = np.ascontiguousarray(numbers).astype("<u8" if numbers.dtype.kind == "u" else "<i8")
        return wide.view("<u4").astype(np.uint32).reshape(*numbers.shape, 2)
    if numbers.dtype.itemsize == 8:
        low, high = numbers.astype(jnp.uint32), (numbers >> 32).astype(jnp.uint32)
    elif numbers.dtype.kind == "u":
        low = numbers.astype(jnp.uint32)
        high = jnp.zeros_like(low)
    else:
        numbers = numbers.astype(jnp.int32)
        low = lax.bitcast_convert_type(numbers, jnp.uint32)
        high = lax.bitcast_convert_type(numbers >> 31, jnp.uint32)
    return jnp.stack([low, high], axis=-1)


def numbers_of(words):
    """Join pairs of words to int64 numbers; requires `jax_enable_x64`."""
    low, high = words[..., 0].astype(jnp.int64), words[..., 1].astype(jnp.int64)
    return low | (high << 32)


def split_number(number: int) -> np.ndarray:
    """Split a Python integer, modulo 2**64, into its low and its high word."""
    return np.asarray([number & 0xFFFFFFFF, (number & _MASK) >> 32], np.uint32)


def blocks_of(elements, multiplier: int):
    """Compute `elements * multiplier` as two words; `elements` may be traced.

    Args:
      elements: an int, or an int32 scalar.
      multiplier: a power of two, at least 2.
    """
    if not isinstance(elements, jax.Array):
        return split_number(int(elements) * multiplier)
    bits = multiplier.bit_length() - 1
    elements = elements.astype(jnp.int32)
    low, high = elements << bits, elements >> (32 - bits)
    return lax.bitcast_convert_type(jnp.stack([low, high]), jnp.uint32)


def advanced(counter, blocks):
    """Add a number of blocks (two words) to a Philox counter (four words)."""
    low = counter[0] + blocks[0]
    carry = blocks[1] + (low < blocks[0]).astype(np.uint32)
    second = counter[1] + carry
    over = (second < carry).astype(np.uint32)
    third = counter[2] + over
    fourth = counter[3] + ((over != 0) & (third == 0)).astype(np.uint32)
    return jnp.stack([low, second, third, fourth])
