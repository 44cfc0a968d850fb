"""The mean of integers, which is exact although their sum may need more bits than JAX has.

TensorFlow adds up in 64 bits. Without them the digits of the numbers, to base 256, are added up each
by itself, and their sum is divided by the count as on paper, from the highest digit to the lowest.
"""

import jax
import jax.numpy as jnp
from jax import lax


def mean_of_integers(x, count, axes):
    """The mean over axes, truncated towards 0, in the dtype of `x`; over nothing 0.

    Args:
      x: integers, of 64 bits only where JAX has them.
      count: how many numbers each mean is of, fewer than 2**24 without 64 bits.
      axes: the axes.
    """
    if jax.config.jax_enable_x64:
        return _in_64_bits(x, count, axes)
    bits = jnp.iinfo(x.dtype).bits
    signed = jnp.issubdtype(x.dtype, jnp.signedinteger)
    offset = jnp.uint32(1 << (bits - 1) if signed else 0)
    # Counted from the smallest number of the dtype there are no negative ones.
    above = x.astype(jnp.uint32) + offset & jnp.uint32((1 << bits) - 1)
    sums = [jnp.sum(above >> (8 * i) & 255, axis=axes, dtype=jnp.uint32) for i in range(bits // 8)]
    divisor = jnp.broadcast_to(jnp.maximum(jnp.asarray(count, jnp.uint32), 1), sums[0].shape)
    quotient, rest = _divided(_carried(sums), divisor)
    mean = quotient - offset
    negative = quotient < offset
    mean = jnp.where(negative & (rest > 0), mean + 1, mean)
    mean = jnp.where(jnp.asarray(count) > 0, mean, 0)
    return (mean.astype(jnp.int32) if signed else mean).astype(x.dtype)


def _in_64_bits(x, count, axes):
    wide = jnp.int64 if jnp.issubdtype(x.dtype, jnp.signedinteger) else jnp.uint64
    total = jnp.sum(x.astype(wide), axis=axes)
    divisor = jnp.maximum(jnp.asarray(count, wide), 1)
    return lax.div(total, jnp.broadcast_to(divisor, total.shape)).astype(x.dtype)


def _carried(sums):
    """Digits of which each is below 256, the lowest first."""
    digits, carry = [], jnp.zeros_like(sums[0])
    for sum_ in [*sums, *[jnp.zeros_like(sums[0])] * 4]:
        total = sum_ + carry
        digits.append(total & 255)
        carry = total >> 8
    return digits


def _divided(digits, divisor):
    quotient = rest = jnp.zeros_like(divisor)
    for digit in reversed(digits):
        rest = rest * 256 + digit
        quotient = quotient * 256 + lax.div(rest, divisor)
        rest = lax.rem(rest, divisor)
    return quotient, rest
