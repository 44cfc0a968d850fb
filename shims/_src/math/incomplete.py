"""Compute incomplete gamma and beta functions, zeta and polygamma functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import agreeing, describe, matching, operand
from shims._src.elementwise.elementwise import pair
from shims._src.elementwise.quotients import xlog1py, xlogy
from shims._src.elementwise.special import digamma_of, lgamma_of, trigamma_of
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.tracing.dispatch import operator


def _gamma_operands(function, a, x):
    """Return the broadcast operands of `igamma` or `igammac`, and a zero term to add to the result.

    Where the result does not depend on `a` (`x` is 0, or an operand is infinite), JAX's derivative by `a` is NaN.
    There the returned `a` has no gradient, and the term is `0 * a`: as in TensorFlow, the gradient of `a` is 0 if
    the incoming gradient is finite, else NaN.
    """
    a, x = jnp.broadcast_arrays(*pair(function, a, x))
    # At infinity and at 0 the value does not depend on `a`; JAX's derivative is NaN there.
    level = (x == 0) | ((jnp.isinf(a) | jnp.isinf(x)) & (a > 0) & (x > 0))
    return jnp.where(level, lax.stop_gradient(a), a), x, jnp.where(level, 0 * a, 0)


@operator
def igamma(a, x, name=None):
    """Compute the regularized lower incomplete gamma function.

    Args:
      a: float32 or float64 array.
      x: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The array; NaN where `a` is not positive or `x` is negative, but 0 at `x = 0`.
      As in TensorFlow, float32 results have few correct digits where `a` and `x` are large (above 1e5) and
      close to each other.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/igamma
    """
    a, x, nothing = _gamma_operands("igamma", a, x)
    given = lax.igamma(a, x) + nothing
    value = jnp.where(jnp.isposinf(a) & (x >= 0), jnp.zeros_like(x), given)
    value = jnp.where(a == 0, jnp.nan, value)
    value = jnp.where((x == 0) & ~(a > 0), jnp.zeros_like(x), value)  # 0 at 0 for every `a`
    return with_derivative_of(lax.stop_gradient(value), given)


@operator
def igammac(a, x, name=None):
    """Compute the regularized upper incomplete gamma function.

    Args:
      a: float32 or float64 array.
      x: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The array; NaN where `a` is not positive or `x` is negative. As in TensorFlow, float32 results
      have few correct digits where `a` and `x` are large (above 1e5) and close to each other.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/igammac
    """
    a, x, nothing = _gamma_operands("igammac", a, x)
    given = lax.igammac(a, x) + nothing
    far = jnp.where(jnp.isinf(x), jnp.zeros_like(x), jnp.ones_like(x))
    value = jnp.where(jnp.isposinf(a) & (x >= 0), far, given)
    value = jnp.where((a == 0) | ((x == 0) & ~(a > 0)), jnp.nan, value)
    return with_derivative_of(lax.stop_gradient(value), given)


@operator
def betainc(a, b, x, name=None):
    """Compute the regularized incomplete beta function.

    Args:
      a: float32 or float64 array.
      b: array of the same dtype.
      x: array of the same dtype. All operands that are not scalars have the same shape.
      name: ignored.

    Returns:
      The array; NaN where `a` or `b` is not positive, or where `x` is outside of [0, 1]. As in
      TensorFlow, only `x` has a gradient, and float32 results have few correct digits where `a` or
      `b` is above 1e5.

    Raises:
      InvalidArgumentError: the dtypes or the shapes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Second derivatives with respect to `a` and `b` are 0. A result below 0 or above 2 becomes NaN.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/betainc
    """
    operands = matching("betainc", a=a, b=b, x=x)
    shapes = {o.shape for o in operands if o.ndim and checks.is_known_shape(o)}
    if len(shapes) > 1 or len({o.ndim for o in operands if o.ndim}) > 1:
        raise checks.invalid(
            "betainc",
            "the shapes differ.",
            required="equal shapes, or scalars",
            received=", ".join(map(describe, operands)),
        )
    a, b, x = jnp.broadcast_arrays(*_unify_sizes(operands))
    return _betainc(lax.stop_gradient(a), lax.stop_gradient(b), x)


def _unify_sizes(operands):
    """Unify the sizes of all operands that are not scalars."""
    arrays = [o for o in operands if o.ndim]
    arrays = iter(agreeing("betainc", arrays, range(arrays[0].ndim)) if arrays else ())
    return [next(arrays) if o.ndim else o for o in operands]


@jax.custom_jvp
def _betainc(a, b, x):
    is_end = (x == 0) | (x == 1)
    finite = jnp.isfinite(a) & jnp.isfinite(b)
    value = jnp.where(is_end, x, jnp.where(finite, lax.betainc(a, b, x), jnp.nan))
    # For parameters like 1e30 the continued fraction overflows, and the result is not a
    # probability.
    value = jnp.where((value < 0) | (value > 2), jnp.nan, value)
    return jnp.where((a <= 0) | (b <= 0), jnp.nan, value)


@_betainc.defjvp
def _betainc_jvp(primals, tangents):
    (a, b, x), (_, _, tx) = primals, tangents
    # Summed as logarithms: at the ends 0 times infinity is 0, and no power overflows.
    scale = lgamma_of(a) + lgamma_of(b) - lgamma_of(a + b)
    slope = jnp.exp(xlog1py(b - 1, -x) + xlogy(a - 1, x) - scale)
    return _betainc(a, b, x), tx * slope


@jax.custom_jvp
def _zeta(x, q):
    value = lax.zeta(x, q)
    # The poles: TensorFlow gives infinity for even powers only, NaN for others.
    even = jnp.isposinf(x) | (jnp.mod(x, 2) == 0)
    at_pole = jnp.where(even, jnp.inf, jnp.nan)
    value = jnp.where((x > 1) & (q <= 0) & (q == jnp.floor(q)), at_pole, value)
    of_infinity = jnp.where(q > 1, 0, jnp.where(q == 1, 1, jnp.inf))
    # The same for powers so high that single terms overflow.
    high = jnp.isposinf(x) | (jnp.isnan(value) & (x > 1) & (q <= 1))
    value = jnp.where(high & ((q > 0) | (even & (q < 0))), of_infinity, value)
    # Where both are so large that the terms vanish and their factors overflow, the sum is 0.
    vanishing = (jnp.isposinf(q) & (x > 1)) | (jnp.isnan(value) & (q > 1) & (x > 1))
    value = jnp.where(vanishing, jnp.zeros_like(value), value)
    return jnp.where(x < 1, jnp.nan, value)


@_zeta.defjvp
def _zeta_jvp(primals, tangents):
    (x, q), (_, tq) = primals, tangents
    return _zeta(x, q), tq * (-x * _zeta(x + 1, q))


@operator
def zeta(x, q, name=None):
    """Compute the Hurwitz zeta function, the sum of `(q + n) ** -x` over all `n >= 0`.

    Args:
      x: float32 or float64 array.
      q: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The array. As in TensorFlow, only `q` has a gradient, and results have few correct digits where `q`
      is below -5.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Second derivatives with respect to `x` are 0.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/zeta
    """
    x, q = jnp.broadcast_arrays(*pair("zeta", x, q))
    return _zeta(lax.stop_gradient(x), q)


@jax.custom_jvp
def _polygamma(a, x):
    sign = jnp.where(jnp.mod(a, 2) == 0, -1, 1).astype(x.dtype)
    value = sign * jnp.exp(lgamma_of(a + 1)) * _zeta(a + 1, x)
    is_order = (a >= 0) & (a == jnp.floor(a))
    value = jnp.where(a == 1, trigamma_of(x), value)
    return jnp.where(a == 0, digamma_of(x), jnp.where(is_order, value, jnp.nan))


@_polygamma.defjvp
def _polygamma_jvp(primals, tangents):
    (a, x), (_, tx) = primals, tangents
    return _polygamma(a, x), tx * _polygamma(a + 1, x)


@operator
def polygamma(a, x, name=None):
    """Compute the derivative of order `a` of `digamma`.

    Args:
      a: float32 or float64 array of integers.
      x: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The array; NaN where `a` is negative or not whole. Only `x` has a gradient. For `x` below -5,
      orders above 1 are inaccurate, as in TensorFlow.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      For `x` below -5, order 1 is accurate here, but inaccurate in TensorFlow.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/polygamma
    """
    a, x = jnp.broadcast_arrays(*pair("polygamma", a, x))
    return _polygamma(lax.stop_gradient(a), x)


@operator
def lbeta(x, name=None):
    """Compute the logarithm of the absolute value of the beta function of the last axis.

    Args:
      x: floating-point array `[..., n]`.
      name: ignored.

    Returns:
      The array `[...]`; -inf for an empty axis.

    Raises:
      InvalidArgumentError: `x` has no axis, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    https://www.tensorflow.org/api_docs/python/tf/math/lbeta
    """
    x = operand(x)
    if not x.ndim:
        raise checks.invalid("lbeta", "`x` is a scalar.", required="rank >= 1")
    return jnp.sum(lgamma_of(x), axis=-1) - lgamma_of(jnp.sum(x, axis=-1))
