"""Convert random 32-bit words to numbers and integers, like TensorFlow's CPU kernels.

The distributions are uniform and normal. Each function is a kernel for `draw`: `(stream words,
*operands, size) -> flat array`. Its element i depends on i alone, so a longer array begins
with a shorter one.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import loops_per_device
from shims._src.random import libm, philox

_TWO_PI = 2 * np.pi
# The least uniform number that the kernels take the logarithm of.
_SMALLEST = 1e-7
_TRUNCATION = 2.0
# Words that TensorFlow reserves for one truncated number.
_RESERVED = 256


# ---- uniform numbers -----------------------------------------------------------------------------


def float32_of(word):
    """Convert 23 bits of a random word to a float32 in [0, 1)."""
    bits = (word & jnp.uint32(0x7FFFFF)) | jnp.uint32(127 << 23)
    return lax.bitcast_convert_type(bits, jnp.float32) - jnp.float32(1)


def float64_of(high, low):
    """Convert 52 bits of two random words to a float64 in [0, 1)."""
    bits = philox.join(low, high & jnp.uint32(0xFFFFF)) | jnp.uint64(1023 << 52)
    return lax.bitcast_convert_type(bits, jnp.float64) - jnp.float64(1)


def _uniform_16_bit(word, dtype, mantissa, one):
    bits = (word.astype(jnp.uint16) & jnp.uint16((1 << mantissa) - 1)) | jnp.uint16(one)
    number = lax.bitcast_convert_type(bits, dtype)
    # In float32, where it is exact: backends differ in 16-bit arithmetic.
    return (number.astype(jnp.float32) - jnp.float32(1)).astype(dtype)


def _pairs(stream, size):
    """Generate `2 * size` words of a stream; return the words at even and at odd positions."""
    flat = philox.words(stream, 2 * size).reshape(size, 2)
    return flat[:, 0], flat[:, 1]


def uniform_float16(words, size):
    """Sample float16 numbers uniformly from [0, 1)."""
    return _uniform_16_bit(philox.words(philox.stream_of(words), size), jnp.float16, 10, 15 << 10)


def uniform_bfloat16(words, size):
    """Sample bfloat16 numbers uniformly from [0, 1)."""
    return _uniform_16_bit(philox.words(philox.stream_of(words), size), jnp.bfloat16, 7, 127 << 7)


def uniform_float32(words, size):
    """Sample float32 numbers uniformly from [0, 1)."""
    return float32_of(philox.words(philox.stream_of(words), size))


def uniform_float64(words, size):
    """Sample float64 numbers uniformly from [0, 1)."""
    return float64_of(*_pairs(philox.stream_of(words), size))


# ---- integers ------------------------------------------------------------------------------------


def full_32(words, size):
    """Sample uint32 integers uniformly from the full range of the dtype."""
    return philox.words(philox.stream_of(words), size)


def full_64(words, size):
    """Sample uint64 integers uniformly from the full range of the dtype."""
    return philox.join(*_pairs(philox.stream_of(words), size))


def bounded_int32(words, low, high, size):
    """Sample int32 integers from [low, high) by a modulo operation, as TensorFlow does."""
    return _bounded(full_32(words, size), low, high, jnp.int32)


def bounded_int64(words, low, high, size):
    """Sample int64 integers from [low, high) by a modulo operation, as TensorFlow does."""
    return _bounded(full_64(words, size), low, high, jnp.int64)


def _bounded(bits, low, high, dtype):
    low = low.astype(dtype)
    span = lax.bitcast_convert_type(high.astype(dtype), bits.dtype) - lax.bitcast_convert_type(
        low, bits.dtype
    )
    # The caller refuses an empty range; here it must only not divide by 0.
    span = jnp.maximum(span, jnp.ones((), bits.dtype))
    return lax.bitcast_convert_type(bits % span, dtype) + low


# ---- normal numbers ------------------------------------------------------------------------------


def box_muller(first, second):
    """Convert two random words to two float32 normal numbers by the Box-Muller transform."""
    uniform = jnp.maximum(float32_of(first), jnp.float32(_SMALLEST))
    squared = jnp.float32(-2) * libm.logarithm(uniform)
    radius = jnp.sqrt(squared.astype(jnp.float64)).astype(jnp.float32)
    angle = (_TWO_PI * float32_of(second).astype(jnp.float64)).astype(jnp.float32)
    return tuple(part * radius for part in libm.sine_and_cosine(angle))


def box_muller_wide(a, b, c, d):
    """Convert four random words to two float64 normal numbers by the Box-Muller transform."""
    radius = jnp.sqrt(-2 * jnp.log(jnp.maximum(float64_of(a, b), _SMALLEST)))
    angle = _TWO_PI * float64_of(c, d)
    return jnp.sin(angle) * radius, jnp.cos(angle) * radius


def _four_normals(four):
    return (*box_muller(four[0], four[1]), *box_muller(four[2], four[3]))


def normal_float32(words, size):
    """Sample float32 standard normal numbers; `draw` rounds them for narrower dtypes."""
    four = philox.blocks(philox.stream_of(words), philox.count(-(-size // 4)))
    return jnp.stack(_four_normals(four), axis=-1).reshape(-1)[:size]


def normal_float64(words, size):
    """Sample float64 standard normal numbers."""
    four = philox.blocks(philox.stream_of(words), philox.count(-(-size // 2)))
    return jnp.stack(box_muller_wide(*four), axis=-1).reshape(-1)[:size]


def truncated_normal_float32(words, size):
    """Sample float32 normal numbers, rejecting those beyond two standard deviations."""
    return _draw_truncated(philox.stream_of(words), size, _four_normals, 4)


def truncated_normal_float64(words, size):
    """Sample float64 normal numbers, rejecting those beyond two standard deviations."""
    return _draw_truncated(philox.stream_of(words), size, lambda four: box_muller_wide(*four), 2)


def _draw_truncated(stream, size, candidates_of, width):
    """Sample truncated normal numbers by rejection, in groups of `width` numbers.

    Each group takes its candidates from its own range of blocks.
    """
    groups = -(-size // width)
    starts = philox.count(groups) * jnp.uint64(width * _RESERVED // 4)

    def more(state):
        _, found, _ = state
        return jnp.any(found < width)

    def draw(state):
        step, found, kept = state
        for candidate in candidates_of(philox.blocks(stream, starts + step)):
            # NaN never comes, and |x| < 2 is TensorFlow's condition.
            take = (jnp.abs(candidate) < _TRUNCATION) & (found < width)
            kept = tuple(
                jnp.where(take & (found == k), candidate, have) for k, have in enumerate(kept)
            )
            found = found + take.astype(jnp.int32)
        return step + jnp.uint64(1), found, kept

    dtype = jnp.float32 if width == 4 else jnp.float64
    kept = (jnp.zeros((groups,), dtype),) * width
    state = (jnp.zeros((), jnp.uint64), jnp.zeros((groups,), jnp.int32), kept)
    _, _, kept = loops_per_device.while_loop(more, draw, state)
    return jnp.stack(kept, axis=-1).reshape(-1)[:size]
