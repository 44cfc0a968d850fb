"""Provide `nn.dropout` and its variants: set random elements to 0 and scale up the others."""

from __future__ import annotations

import functools
import numbers

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.random.global_seed import consume_seed
from shims._src.random.stateful import uniform
from shims._src.random.stateless import stateless_uniform
from shims._src.tracing.dispatch import operator


def _drop_elements(function, x, rate, noise_shape, sampler, skip):
    """Set elements of `x` to 0 where random numbers are below `rate`; scale up the others.

    Args:
      function: the operator, for error messages.
      x: floating-point array.
      rate: the probability, a number or a scalar.
      noise_shape: the shape of the random numbers; the shape of `x` when `None`.
      sampler: a function `(shape, dtype)` that returns uniform random numbers.
      skip: called instead of `sampler` if `rate` is the number 0.

    Raises:
      ValueError: `rate` is not in [0, 1), or `x` is not floating-point.
    """
    fixed = isinstance(rate, numbers.Real)
    if fixed and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    x = operand(x)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. "
            f"Received: x_dtype={x.dtype.name}"
        )
    if fixed and rate == 0:
        skip()
        return x
    if fixed:
        scaled = x * operand(1 / (1 - rate), x.dtype)
        rate = operand(rate, x.dtype)
    else:
        rate = operand(rate).astype(x.dtype)
        if rate.ndim:
            raise checks.invalid(function, "`rate` must be a scalar.", received=describe(rate))
        scaled = x / (1 - rate)
    noise = sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
    return jnp.where(operand(noise) >= rate, scaled, jnp.zeros((), x.dtype))


def _noise_shape(x, noise_shape):
    """Compute the shape of the random numbers, with `None` replaced by sizes of `x`."""
    if noise_shape is None:
        return x.shape
    if isinstance(noise_shape, (tuple, list)) and len(noise_shape) == x.ndim:
        return [d if n is None else n for d, n in zip(x.shape, noise_shape, strict=True)]
    return noise_shape


@operator
def dropout(x, rate, noise_shape=None, seed=None, name=None):
    """Set elements to 0 with probability `rate`, and scale up the others.

    Args:
      x: floating-point array.
      rate: the probability, a number or a scalar.
      noise_shape: the shape of the random numbers, which are broadcast; the shape of `x` when
        `None`.
      seed: an integer; see `random.set_seed`.
      name: ignored.

    Returns:
      The array.

    Raises:
      ValueError: `rate` is not in [0, 1), or `x` is not floating-point.

    Differs from TensorFlow:
      The elements are those that TensorFlow drops on CPU after the same `set_seed` and the same
      calls.

    Under jit: Inside `shims.function` every call drops different elements. Inside an enclosing
      `jax.jit` the choice is a constant of the compiled program: use
      `nn.experimental.stateless_dropout` there.

    Example:
      >>> import shims
      >>> print(shims.nn.dropout([1.0, 2.0], rate=0.0))
      [1. 2.]

    https://www.tensorflow.org/api_docs/python/tf/nn/dropout
    """
    sampler = functools.partial(uniform, seed=seed)
    return _drop_elements("dropout", x, rate, noise_shape, sampler, lambda: consume_seed(seed))


@operator
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """Set elements to 0 with probability `rate`; the seed determines which elements.

    Args:
      x: floating-point array.
      rate: the probability, a number or a scalar.
      seed: two integers.
      rng_alg: `"philox"` or `"auto_select"`, which select the same algorithm; `"auto_select"` when
        `None`.
      noise_shape: the shape of the random numbers, which are broadcast; the shape of `x` when
        `None`.
      name: ignored.

    Returns:
      The array.

    Raises:
      ValueError: `rate` is not in [0, 1), or `x` is not floating-point.
      InvalidArgumentError: the seed is not two integers.
      UnimplementedError: `rng_alg` is Threefry.

    Differs from TensorFlow:
      The elements are those that TensorFlow drops on CPU.

    Under jit:
      All arguments except `noise_shape` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/nn/experimental/stateless_dropout
    """
    sampler = functools.partial(stateless_uniform, seed=seed, alg=rng_alg)
    return _drop_elements("stateless_dropout", x, rate, noise_shape, sampler, lambda: None)


@operator
def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """Set elements to 0 where numbers from the caller's function are below `rate`.

    Args:
      x: floating-point array.
      rate: the probability, a number or a scalar.
      uniform_sampler: a function `(shape, dtype)` that returns uniform numbers in [0, 1).
      noise_shape: the shape of the random numbers, which are broadcast; the shape of `x` when
        `None`.
      name: ignored.

    Returns:
      The array.

    Raises:
      ValueError: `rate` is not in [0, 1), or `x` is not floating-point.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Everything may be traced that `uniform_sampler` does not require to be static.

    https://www.tensorflow.org/api_docs/python/tf/nn/experimental/general_dropout
    """
    return _drop_elements("general_dropout", x, rate, noise_shape, uniform_sampler, lambda: None)
