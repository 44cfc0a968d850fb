"""Compute the log-gamma function and its derivatives, with TensorFlow's values at the poles."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import check_kind
from shims._src.arguments.operands import operand
from shims._src.tracing.dispatch import operator

_LEAST_OF_SUMS = -5


@jax.custom_jvp
def lgamma_of(x):
    """Compute `lgamma` of a floating-point array."""
    return lax.lgamma(x)


@lgamma_of.defjvp
def _lgamma_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return lgamma_of(x), t * digamma_of(x)


@jax.custom_jvp
def digamma_of(x):
    """Compute `digamma` of a floating-point array."""
    return jnp.where(x == 0, jnp.nan, lax.digamma(x))


@digamma_of.defjvp
def _digamma_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return digamma_of(x), t * trigamma_of(x)


def trigamma_of(x):
    """Compute the derivative of `digamma`, accurate below 0 too.

    JAX adds the first ten terms of a series that starts at `x` and approximates the rest, which is
    not small yet for `x` far below 0. There the value is computed at `1 - x`, by the reflection
    formula.
    """
    is_reflected = x < _LEAST_OF_SUMS
    beside = jnp.where(is_reflected, 1 - x, x)
    value = jnp.where(jnp.isposinf(beside), 0, lax.polygamma(jnp.ones_like(x), beside))
    sine = jnp.sin(np.pi * (x - jnp.round(x)))
    whole = jnp.isinf(x) | (sine == 0)
    reflected = jnp.where(whole, jnp.inf, jnp.square(np.pi / jnp.where(whole, 1, sine)) - value)
    return jnp.where(is_reflected, reflected, value).astype(x.dtype)


@operator(compiled=True)
def lgamma(x, name=None):
    """Compute the logarithm of the absolute value of the gamma function.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      The array, of the shape of `x`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. The gradient at 0 is NaN, whereas that of `jax.lax.lgamma` is -inf.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.math.lgamma([1.0, 5.0]))
      [0.        3.1780539]

    https://www.tensorflow.org/api_docs/python/tf/math/lgamma
    """
    x = operand(x)
    check_kind("lgamma", "inexact", x)
    return lgamma_of(x)


@operator(compiled=True)
def digamma(x, name=None):
    """Compute the derivative of `lgamma`.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      The array; NaN at 0.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Below -5 the gradient is accurate, whereas TensorFlow's gradient at -9 is 1e18 times too large.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/digamma
    """
    x = operand(x)
    check_kind("digamma", "inexact", x)
    return digamma_of(x)
