"""Sample from binomial distributions: the number of successes in `count` trials."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import broadcasting, operand
from shims._src.array.shapes import sizes_of
from shims._src.platform import loops_per_device
from shims._src.random import philox
from shims._src.random.distributions import float64_of
from shims._src.random.draw import draw
from shims._src.random.seeds import seed_words
from shims._src.types.dtypes import array_dtype, as_dtype

# Blocks between the streams of two numbers, for either method.
_INVERSION_STEP, _REJECTION_STEP = 42, 256
# Differences between log(k!) and Stirling's formula for k below 10.
_TAILS = np.asarray(
    [
        *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509),
        *(0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720),
        *(0.00925546218271273, 0.00833056343336287),
    ]
)


def _uniforms(stream, place, step):
    """Generate two uniform float64 numbers from one Philox block, in TensorFlow's order."""
    a, b, c, d = philox.blocks(stream, place + step)
    return float64_of(c, d), float64_of(a, b)


def _stream_offsets(samples, batch, step):
    """Compute the position of each sample in the stream, in blocks: an array `[samples, batch]`.

    Each sample has `step` blocks of its own; the samples of one batch element are consecutive.
    """
    number = batch * jnp.uint64(samples) + jnp.arange(samples, dtype=jnp.uint64)[:, None]
    return number * jnp.uint64(step)


def _sample_by_inversion(stream, place, count, prob, wanted):
    """Sample by inversion: count the geometric variables that add up to at most `count`.

    Elements where `wanted` is false are 0.
    """
    scale = jnp.log1p(-prob)

    def draw_once(u, total, number, open_):
        total = jnp.where(open_, total + jnp.ceil(jnp.log(u) / scale), total)
        open_ = open_ & ~(total > count)
        return total, number + open_, open_

    def step(state):
        i, total, number, open_ = state
        for u in _uniforms(stream, place, i):
            total, number, open_ = draw_once(u, total, number, open_)
        return i + jnp.uint64(1), total, number, open_

    zero = jnp.zeros(place.shape)
    start = (jnp.uint64(0), zero, zero.astype(jnp.int64), wanted)
    return loops_per_device.while_loop(lambda s: jnp.any(s[3]), step, start)[2].astype(jnp.float64)


def _stirling_error(k):
    square = (k + 1) * (k + 1)
    far = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    return jnp.where(k <= 9, jnp.asarray(_TAILS)[jnp.clip(k, 0, 9).astype(jnp.int32)], far)


def _sample_by_rejection(stream, place, count, prob, wanted):
    """Sample by Hörmann's transformed rejection; elements where `wanted` is false are 0."""
    deviation = jnp.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    limit = 0.92 - 4.2 / b
    odds = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = jnp.floor((count + 1) * prob)

    def step(state):
        i, found, open_ = state
        u, v = _uniforms(stream, place, i)
        u = u - 0.5
        inner = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / inner + b) * u + c)
        take = (inner >= 0.07) & (v <= limit)
        sensible = (k >= 0) & (k <= count)
        v = jnp.log(v * alpha / (a / (inner * inner) + b))
        k_safe = jnp.where(sensible, k, mode)
        bound = (
            (mode + 0.5) * jnp.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * jnp.log((count - mode + 1) / (count - k_safe + 1))
            + (k_safe + 0.5) * jnp.log(odds * (count - k_safe + 1) / (k_safe + 1))
            + _stirling_error(mode)
            + _stirling_error(count - mode)
            - _stirling_error(k_safe)
            - _stirling_error(count - k_safe)
        )
        take = open_ & (take | (sensible & (v <= bound)))
        return i + jnp.uint64(1), jnp.where(take, k, found), open_ & ~take

    start = (jnp.uint64(0), jnp.zeros(place.shape), wanted)
    return loops_per_device.while_loop(lambda s: jnp.any(s[2]), step, start)[1]


def _draw_numbers(words, counts, probs, size):
    """Sample `size` binomial numbers from a stream: a kernel for `draw`.

    `counts` and `probs` are vectors with one element per batch element.
    """
    stream = philox.stream_of(words)
    batches = counts.shape[0]
    samples = size // batches
    batch = jnp.arange(batches, dtype=jnp.uint64)
    one = jnp.ones((), probs.dtype)
    half = probs <= one / 2
    rare = jnp.where(half, probs, one - probs)
    # TensorFlow chooses the method by a product in the operands' dtype.
    many = counts * rare >= 10
    inside = (counts > 0) & (probs > 0) & (probs < 1)
    count, prob = counts.astype(jnp.float64), rare.astype(jnp.float64)
    shape = (samples, batches)
    few = _sample_by_inversion(
        stream,
        _stream_offsets(samples, batch, _INVERSION_STEP),
        count,
        prob,
        jnp.broadcast_to(inside & ~many, shape),
    )
    lot = _sample_by_rejection(
        stream,
        _stream_offsets(samples, batch, _REJECTION_STEP),
        jnp.where(many, count, 100.0),
        jnp.where(many, prob, 0.5),
        jnp.broadcast_to(inside & many, shape),
    )
    number = jnp.where(many, lot, few)
    number = jnp.where(half, number, count - number)
    number = jnp.where(inside, number, jnp.where((probs >= 1) & (counts > 0), count, 0.0))
    return number.reshape(-1)


def _flatten_parameters(function, dims, counts, probs):
    """Broadcast `counts` and `probs` to a common shape, and flatten them.

    Raises:
      InvalidArgumentError: `dims`, the shape of the result, does not end with the shape of the parameters.
    """
    probs = operand(probs)
    counts, probs = broadcasting(function, operand(counts, probs.dtype), probs)
    shape = jnp.broadcast_shapes(counts.shape, probs.shape)
    if len(shape) > len(dims) or tuple(dims[len(dims) - len(shape) :]) != tuple(shape):
        raise checks.invalid(
            function,
            "`shape` must end with the shape of the parameters.",
            required=f"(..., {', '.join(map(str, shape))})",
            received=f"shape {tuple(dims)}",
        )
    return tuple(jnp.broadcast_to(x, shape).reshape(-1) for x in (counts, probs))


def binomial_blocks(dims, counts, probs) -> int:
    """Compute by how much `Generator.binomial` advances the counter, in units of 256 blocks."""
    shape = jnp.broadcast_shapes(np.shape(counts), np.shape(probs))
    samples = math.prod(dims[: len(dims) - len(shape)])
    return math.prod(shape) * 2 * 100 * (samples + 3) // 4


def binomial_numbers(function, words, dims, counts, probs, dtype):
    """Sample binomial numbers of the shape `dims` from the stream that starts at `words`."""
    counts, probs = _flatten_parameters(function, dims, counts, probs)
    as_dtype(dtype)
    narrowed = array_dtype(dtype, function)
    return draw(_draw_numbers, words, counts, probs, shape=dims, dtype=narrowed)


@checked
def stateless_binomial(shape, seed, counts, probs, output_dtype=np.int32, name=None):
    """Sample binomial numbers, the successes in `counts` trials, with a given seed.

    Args:
      shape: the shape of the result; `shape` must end with the shape to which `counts` and `probs`
        broadcast.
      seed: two integers.
      counts: the numbers of trials, floating-point.
      probs: the probabilities, in the same dtype.
      output_dtype: the dtype of the numbers.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: the shape does not end with the shape of the parameters, or the seed is
        not two integers.

    Differs from TensorFlow:
      The numbers equal TensorFlow's on CPU.

    Under jit:
      Seed and parameters may be traced, sizes may not.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_binomial
    """
    words = seed_words("stateless_binomial", seed)
    dims = sizes_of("stateless_binomial", shape)
    return binomial_numbers("stateless_binomial", words, dims, counts, probs, output_dtype)
