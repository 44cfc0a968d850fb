"""Sample from gamma distributions; the samples are differentiable in the shape parameter."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import broadcasting, operand
from shims._src.array.shapes import sizes_of
from shims._src.platform import loops_per_device
from shims._src.random import philox
from shims._src.random.distributions import box_muller_wide, float64_of
from shims._src.random.draw import draw
from shims._src.random.global_seed import stream
from shims._src.random.seeds import seed_words
from shims._src.random.stateful import RESERVED
from shims._src.random.words import blocks_of
from shims._src.tracing import graph_operands
from shims._src.types.dtypes import array_dtype


def _uniforms(four):
    a, b, c, d = four
    return float64_of(c, d), float64_of(a, b)


def _normals(four):
    sine, cosine = box_muller_wide(*four)
    return cosine, sine


def _take_next(source, stream, place, state, wanted):
    """Take the next number of each element's stream; one block yields two numbers.

    Args:
      source: converts a block to two numbers, in the order in which the kernel uses them.
      stream: the stream.
      place: the offset in the stream, in blocks, at which each element starts.
      state: `(block, left, kept)`: the next block, whether a number is left over, and that number.
      wanted: a mask of the elements that take a number; the state of the others is unchanged.
    """
    block, left, kept = state
    first, second = source(philox.blocks(stream, place + block))
    number = jnp.where(left, kept, first)
    fresh = wanted & ~left
    block = block + fresh.astype(jnp.uint64)
    return number, (block, jnp.where(wanted, ~left, left), jnp.where(fresh, second, kept))


def _draw_numbers(words, alphas, size):
    """Sample gamma numbers by Marsaglia and Tsang's rejection method: a kernel for `draw`."""
    stream = philox.stream_of(words)
    count = alphas.shape[0]
    samples = size // count
    number = jnp.arange(count, dtype=jnp.uint64) * jnp.uint64(samples)
    place = (number + jnp.arange(samples, dtype=jnp.uint64)[:, None]) * jnp.uint64(RESERVED)
    alpha = alphas.astype(jnp.float64)
    below = alpha < 1
    d = alpha + jnp.where(below, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / jnp.sqrt(d)

    def step(state):
        block, normal, uniform, found, open_ = state
        x, (block, *normal) = _take_next(_normals, stream, place, (block, *normal), open_)
        v = 1 + c * x
        inside = open_ & (v > 0)
        v = v * v * v
        u, (block, *uniform) = _take_next(_uniforms, stream, place, (block, *uniform), inside)
        take = u < 1 - 0.0331 * (x * x) * (x * x)
        safe = jnp.where(v > 0, v, 1.0)
        take = inside & (take | (jnp.log(u) < 0.5 * x * x + d * (1 - safe + jnp.log(safe))))
        found = jnp.where(take, d * v, found)
        return block, tuple(normal), tuple(uniform), found, open_ & ~take

    nothing = (jnp.zeros(place.shape, bool), jnp.zeros(place.shape))
    valid = jnp.broadcast_to((alpha > 0) & (alpha != 1), place.shape)
    start = (jnp.zeros(place.shape, jnp.uint64), nothing, nothing, jnp.zeros(place.shape), valid)
    block, _, uniform, found, _ = loops_per_device.while_loop(lambda s: jnp.any(s[4]), step, start)
    again, _ = _take_next(_uniforms, stream, place, (block, *uniform), valid)
    found = jnp.where(below, found * jnp.power(again, 1 / alpha), found)
    exponential = -jnp.log1p(-_uniforms(philox.blocks(stream, place))[0])
    return jnp.where(alpha == 1, exponential, found).reshape(-1)


@jax.custom_jvp
def _draw_standard(words, alphas, like):
    return draw(_draw_numbers, words, alphas.reshape(-1), shape=like.shape, dtype=like.dtype)


@_draw_standard.defjvp
def _draw_standard_jvp(primals, tangents):
    words, alphas, like = primals
    out = _draw_standard(words, alphas, like)
    wide = jnp.broadcast_to(alphas, out.shape).astype(jnp.promote_types(out.dtype, jnp.float32))
    slope = lax.random_gamma_grad(wide, out.astype(wide.dtype)).astype(out.dtype)
    return out, slope * jnp.broadcast_to(tangents[1], out.shape)


def _draw_scaled(function, words, dims, alpha, beta):
    """Sample gamma numbers with rate `beta`; results are at least the smallest normal number."""
    if all(map(checks.is_known, alpha.shape)) and alpha.size == 0:
        return jnp.zeros(dims, alpha.dtype)
    numbers = _draw_standard(words, alpha, jnp.zeros(dims, alpha.dtype))
    # XLA turns a division by a broadcast scalar into a product with its reciprocal.
    return jnp.maximum(jnp.finfo(alpha.dtype).tiny, numbers / jnp.broadcast_to(beta, dims))


def _broadcast_parameters(function, alpha, beta, dtype):
    narrowed = array_dtype(dtype, function)
    alpha, beta = operand(alpha, narrowed), operand(1 if beta is None else beta, narrowed)
    alpha, beta = broadcasting(function, alpha, beta)
    return jnp.broadcast_to(alpha, jnp.broadcast_shapes(alpha.shape, beta.shape)), beta


def stateless_gamma(shape, seed, alpha, beta=None, dtype=np.float32, name=None):
    """Sample from gamma distributions, with a given seed.

    Args:
      shape: the shape of the result; `shape` must end with the shape to which `alpha` and `beta`
        broadcast.
      seed: two integers.
      alpha: the shape parameters.
      beta: the rates; 1 when `None`.
      dtype: float16, bfloat16, float32 or float64.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: the shape does not end with the shape of the parameters, or the seed is
        not two integers.

    Differs from TensorFlow:
      The numbers equal TensorFlow's on CPU, to the last bit except for rounding in `pow`.

    Under jit:
      Seed and parameters may be traced, sizes may not.

    https://www.tensorflow.org/api_docs/python/tf/random/stateless_gamma
    """
    function = "stateless_gamma"
    words = seed_words(function, seed)
    alpha, beta = _broadcast_parameters(function, alpha, beta, dtype)
    dims = sizes_of(function, shape)
    if tuple(dims[max(len(dims) - alpha.ndim, 0) :]) != alpha.shape:
        raise checks.invalid(
            function,
            "`shape` must end with the shape of the parameters.",
            required=f"(..., {', '.join(map(str, alpha.shape))})",
            received=f"shape {tuple(dims)}",
        )
    return _draw_scaled(function, words, dims, alpha, beta)


@graph_operands.draws
def gamma(shape, alpha, beta=None, dtype=np.float32, seed=None, name=None):
    """Sample from gamma distributions.

    Args:
      shape: the shape of the samples for each pair of parameters.
      alpha: the shape parameters.
      beta: the rates; 1 when `None`.
      dtype: float16, float32 or float64.
      seed: an integer; see `set_seed`.
      name: ignored.

    Returns:
      The array `[*shape, *parameters]`.

    Raises:
      InvalidArgumentError: the parameters are empty.

    Differs from TensorFlow:
      The numbers equal TensorFlow's on CPU after the same `set_seed` and the same calls, to the
      last bit except for rounding in `pow`.

    Under jit:
      Parameters may be traced, sizes may not. Inside an enclosing `jax.jit` use `stateless_gamma`.

    https://www.tensorflow.org/api_docs/python/tf/random/gamma
    """
    alpha, beta = _broadcast_parameters("gamma", alpha, beta, dtype)
    dims = (*sizes_of("gamma", shape), *alpha.shape)
    words = stream("RandomGamma", seed, blocks_of(math.prod(dims), RESERVED), alpha.dtype.name)
    return _draw_scaled("gamma", words, dims, alpha, beta)
