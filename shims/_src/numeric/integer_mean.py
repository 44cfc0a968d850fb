"""Compute exact means of integers, even if their sum needs 64 bits and JAX has only 32.

TensorFlow sums in 64 bits. Without 64 bits, the digits of the numbers to base 256 are summed
separately, and the total is divided by the count in long division, from the highest digit down.
"""

import jax
import jax.numpy as jnp
from jax import lax


def mean_of_integers(x, count, axes):
    """Compute the mean over axes, truncated toward 0, in the dtype of `x`; 0 for no elements.

    Args:
      x: integers; 64-bit ones require `jax_enable_x64`.
      count: the number of elements per mean, below 2**24 without 64 bits.
      axes: the axes.
    """
    if jax.config.jax_enable_x64:
        return _mean_in_64_bits(x, count, axes)
    bits = jnp.iinfo(x.dtype).bits
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    offset = jnp.uint32(1 << (bits - 1) if signed else 0)
    # The offset makes all numbers non-negative.
    above = x.astype(jnp.uint32) + offset & jnp.uint32((1 << bits) - 1)
    sums = [jnp.sum(above >> (8 * i) & 255, axis=axes, dtype=jnp.uint32) for i in range(bits // 8)]
    divisor = jnp.broadcast_to(jnp.maximum(jnp.asarray(count, jnp.uint32), 1), sums[0].shape)
    quotient, rest = _long_division(_propagate_carries(sums), divisor)
    mean = quotient - offset
    negative = quotient < offset
    mean = jnp.where(negative & (rest > 0), mean + 1, mean)
    mean = jnp.where(jnp.asarray(count) > 0, mean, 0)
    return (mean.astype(jnp.int32) if signed else mean).astype(x.dtype)


def _mean_in_64_bits(x, count, axes):
    wide = jnp.int64 if jnp.issubdtype(x.dtype, jnp.signedinteger) else jnp.uint64
    total = jnp.sum(x.astype(wide), axis=axes)
    divisor = jnp.maximum(jnp.asarray(count, wide), 1)
    return lax.div(total, jnp.broadcast_to(divisor, total.shape)).astype(x.dtype)


def _propagate_carries(sums):
    """Propagate the carries of base-256 digits, so that each is below 256; lowest digit first."""
    digits, carry = [], jnp.zeros_like(sums[0])
    for sum_ in [*sums, *[jnp.zeros_like(sums[0])] * 4]:
        total = sum_ + carry
        digits.append(total & 255)
        carry = total >> 8
    return digits


def _long_division(digits, divisor):
    quotient = rest = jnp.zeros_like(divisor)
    for digit in reversed(digits):
        rest = rest * 256 + digit
        quotient = quotient * 256 + lax.div(rest, divisor)
        rest = lax.rem(rest, divisor)
    return quotient, rest
