"""Sample from Poisson distributions."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import operand
from shims._src.array.shapes import sizes_of
from shims._src.platform import loops_per_device
from shims._src.random import philox
from shims._src.random.distributions import float64_of
from shims._src.random.draw import draw
from shims._src.random.global_seed import stream
from shims._src.random.seeds import seed_words
from shims._src.random.stateful import RESERVED
from shims._src.random.words import blocks_of
from shims._src.tracing import graph_operands
from shims._src.types.dtypes import array_dtype

# Below, TensorFlow multiplies uniform numbers; from here on it rejects transformed ones.
_LARGE = 10


def _uniforms(stream, place):
    """Generate two uniform float64 numbers from one Philox block, in TensorFlow's order."""
    a, b, c, d = philox.blocks(stream, place)
    return float64_of(c, d), float64_of(a, b)


def _sample_by_products(stream, place, rate, wanted):
    """Sample by Knuth's method: count uniform factors until the product is at most `exp(-rate)`."""
    limit = jnp.exp(-rate)

    def step(state):
        i, product, number, open_ = state
        for u in _uniforms(stream, place + i):
            product = jnp.where(open_, product * u, product)
            open_ = open_ & (product > limit)
            number = number + open_
        return i + jnp.uint64(1), product, number, open_

    start = (jnp.uint64(0), jnp.ones(place.shape), jnp.zeros(place.shape), wanted)
    return loops_per_device.while_loop(lambda s: jnp.any(s[3]), step, start)[2]


def _sample_by_rejection(stream, place, rate, wanted):
    """Sample by Hörmann's transformed rejection; elements where `wanted` is false are 0."""
    log_rate = jnp.log(rate)
    b = 0.931 + 2.53 * jnp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    high = 0.9277 - 3.6224 / (b - 2)

    def step(state):
        i, found, open_ = state
        u, v = _uniforms(stream, place + i)
        u = u - 0.5
        inner = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / inner + b) * u + rate + 0.43)
        take = (inner >= 0.07) & (v <= high)
        bad = (k < 0) | ((inner < 0.013) & (v > inner))
        safe = jnp.maximum(k, 0.0)
        s = jnp.log(v * inverse / (a / (inner * inner) + b))
        t = -rate + safe * log_rate - lax.lgamma(safe + 1)
        take = open_ & (take | (~bad & (s <= t)))
        return i + jnp.uint64(1), jnp.where(take, k, found), open_ & ~take

    start = (jnp.uint64(0), jnp.zeros(place.shape), wanted)
    return loops_per_device.while_loop(lambda s: jnp.any(s[2]), step, start)[1]


def _draw_numbers(words, rates, size):
    """Sample `size` Poisson numbers from a stream: a kernel for `draw`.

    `rates` is a vector; the samples of one rate are consecutive in the stream.
    """
    stream = philox.stream_of(words)
    count = rates.shape[0]
    samples = size // count
    number = jnp.arange(count, dtype=jnp.uint64) * jnp.uint64(samples)
    place = (number + jnp.arange(samples, dtype=jnp.uint64)[:, None]) * jnp.uint64(RESERVED)
    rate = rates.astype(jnp.float64)
    small, large = rate < _LARGE, (rate >= _LARGE) & jnp.isfinite(rate)
    shape = place.shape
    few = _sample_by_products(
        stream, place, jnp.where(small, rate, 1.0), jnp.broadcast_to(small, shape)
    )
    many = _sample_by_rejection(
        stream, place, jnp.where(large, rate, 20.0), jnp.broadcast_to(large, shape)
    )
    rest = jnp.where(jnp.isposinf(rate), jnp.inf, jnp.nan)
    return jnp.where(small, few, jnp.where(large, many, rest)).reshape(-1)


def _check_nonempty(function, rates) -> None:
    if rates.size == 0:
        raise checks.invalid(function, "`lam` must not be empty.", received=f"shape {rates.shape}")


@checked
def stateless_poisson(shape, seed, lam, dtype=np.int32, name=None):
    """Sample from Poisson distributions, with a given seed.

    Args:
      shape: the shape of the result; `shape` must end with the shape of `lam`.
      seed: two integers.
      lam: the rates, floating-point.
      dtype: the dtype of the numbers.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: the shape does not end with the shape of `lam`, or the seed is not two
        integers.

    Differs from TensorFlow:
      The numbers equal TensorFlow's on CPU. For a rate that is not finite, TensorFlow never returns;
      here the result is the rate.

    Under jit:
      Seed and rates may be traced, sizes may not.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_poisson
    """
    function = "stateless_poisson"
    words, rates = seed_words(function, seed), operand(lam)
    dims = sizes_of(function, shape)
    if tuple(dims[max(len(dims) - rates.ndim, 0) :]) != rates.shape:
        raise checks.invalid(
            function,
            "`shape` must end with the shape of the rates.",
            required=f"(..., {', '.join(map(str, rates.shape))})",
            received=f"shape {tuple(dims)}",
        )
    if math.prod(dims):
        _check_nonempty(function, rates)
    return _draw_poisson(function, words, dims, rates, dtype)


@graph_operands.draws
@checked
def poisson(shape, lam, dtype=np.float32, seed=None, name=None):
    """Sample from Poisson distributions.

    Args:
      shape: the shape of the samples for each rate.
      lam: the rates, floating-point.
      dtype: the dtype of the numbers.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      The array `[*shape, *lam.shape]`.

    Raises:
      InvalidArgumentError: there is no rate.

    Differs from TensorFlow:
      The numbers equal TensorFlow's on CPU after the same `set_seed` and the same calls. For a rate
      that is not finite, TensorFlow never returns; here the result is the rate.

    Under jit:
      Rates may be traced, sizes may not. Inside an enclosing `jax.jit` use `stateless_poisson`.

    https://www.tensorflow.org/api_docs/python/tf/random/poisson
    """
    rates = operand(lam)
    dims = (*sizes_of("poisson", shape), *rates.shape)
    if math.prod(dims[: len(dims) - rates.ndim]):
        _check_nonempty("poisson", rates)
    used = blocks_of(math.prod(dims), RESERVED)
    words = stream("RandomPoissonV2", seed, used, rates.dtype.name, str(np.dtype(dtype)))
    return _draw_poisson("poisson", words, dims, rates, dtype)


def _draw_poisson(function, words, dims, rates, dtype):
    rates = lax.stop_gradient(rates)
    narrowed = array_dtype(dtype, function)
    return draw(_draw_numbers, words, jnp.reshape(rates, (-1,)), shape=dims, dtype=narrowed)
