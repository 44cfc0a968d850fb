"""Compute cumulative sums and products along an axis."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import axis_of, is_known
from shims._src.arguments.operands import operand
from shims._src.numeric.unconjugated import unconjugated
from shims._src.tracing.dispatch import operator


def _accumulate_along(function, accumulate, neutral, x, axis, exclusive, reverse):
    """Accumulate along an axis, optionally in reverse or excluding each element itself."""
    x = operand(x)
    axis = axis_of(function, axis, x.ndim)
    if reverse:
        x = lax.rev(x, (axis,))
    if exclusive:
        # Shifting first keeps infinities and small numbers; subtracting afterwards would not.
        widths = [(1, -1, 0) if i == axis else (0, 0, 0) for i in range(x.ndim)]
        x = lax.pad(x, jnp.asarray(neutral, x.dtype), widths)
    x = accumulate(x, axis)
    return lax.rev(x, (axis,)) if reverse else x


@operator(compiled=True)
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Compute cumulative sums along an axis.

    Args:
      x: array of numbers.
      axis: the axis to accumulate along.
      exclusive: whether to exclude each element from its own sum.
      reverse: whether to accumulate from the end.
      name: ignored.

    Returns:
      The sums, in the shape and dtype of `x`.

    Differs from TensorFlow:
      Sums of bfloat16 numbers may be rounded at different steps.

    Under jit:
      An array of data-dependent size is accumulated in place, and padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.cumsum([1, 2, 3]))
      [1 3 6]

    https://www.tensorflow.org/api_docs/python/tf/math/cumsum
    """
    return _accumulate_along("cumsum", _cumulative_sums, 0, x, axis, exclusive, reverse)


def _cumulative_sums(x, axis):
    """Compute cumulative sums from 0, so that the sum of a single -0.0 is 0.0; XLA keeps -0.0."""
    may_be_single = not is_known(x.shape[axis]) or x.shape[axis] == 1
    if may_be_single and jnp.issubdtype(x.dtype, jnp.floating):
        x = x - lax.stop_gradient(jnp.where(x == 0, x, 0))
    return lax.cumsum(x, axis)


def _cumulative_products(x, axis):
    return unconjugated(functools.partial(lax.cumprod, axis=axis), x)


@operator(compiled=True)
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Compute cumulative products along an axis.

    Args:
      x: array of numbers.
      axis: the axis to accumulate along.
      exclusive: whether to exclude each element from its own product.
      reverse: whether to accumulate from the end.
      name: ignored.

    Returns:
      The products, in the shape and dtype of `x`.

    Differs from TensorFlow:
      The gradient is correct if an element is 0; TensorFlow's gradient is then 0 for all later elements.

    Under jit:
      An array of data-dependent size is accumulated in place, and padding is skipped.

    https://www.tensorflow.org/api_docs/python/tf/math/cumprod
    """
    return _accumulate_along("cumprod", _cumulative_products, 1, x, axis, exclusive, reverse)


@operator(compiled=True)
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """Compute cumulative `log(sum(exp(x)))` along an axis.

    Args:
      x: floating-point array.
      axis: the axis to accumulate along.
      exclusive: whether to exclude each element from its own sum.
      reverse: whether to accumulate from the end.
      name: ignored.

    Returns:
      The logarithms, in the shape and dtype of `x`.

    Differs from TensorFlow:
      A NaN makes all later sums NaN; TensorFlow replaces the NaN by the sum so far. After two infinite
      elements the sum is infinite; in TensorFlow it is NaN. A NaN in the incoming gradient is
      propagated; TensorFlow drops it.

    Under jit:
      An array of data-dependent size is accumulated in place, and padding is skipped.

    https://www.tensorflow.org/api_docs/python/tf/math/cumulative_logsumexp
    """
    function = "cumulative_logsumexp"
    sums = _accumulate_along(function, _logsumexp, -np.inf, x, axis, exclusive, reverse)
    if not exclusive:
        return sums
    x = operand(x)  # one element is in no sum; the gradient of infinity is NaN there, too
    return sums + _zeros_with_slope(x, jnp.where(x == jnp.inf, jnp.nan, 0).astype(x.dtype))


def _logsumexp(x, axis):
    """Compute cumulative `log(sum(exp(x)))` with TensorFlow's gradient at infinities.

    An infinite sum passes no gradient back, and the gradient of -inf in a finite sum is 0. The
    gradient of infinity, and of -inf in a sum of -inf only, is NaN.
    """
    sums = lax.stop_gradient(lax.cumlogsumexp(x, axis))
    infinite = jnp.isinf(x)
    lost = infinite & ((x > 0) | (sums == -jnp.inf))
    slope = jnp.where(lost, jnp.nan, 0).astype(x.dtype)
    least = jnp.asarray(jnp.finfo(x.dtype).min / 2, x.dtype)
    finite = jnp.where(infinite, least + _zeros_with_slope(x, slope), x)
    return jnp.where(jnp.isinf(sums), sums, lax.cumlogsumexp(finite, axis))


@jax.custom_jvp
def _zeros_with_slope(x, slope):
    """Return zeros of the shape of `x`, whose derivative with respect to `x` is `slope`."""
    return jnp.zeros_like(x)


@_zeros_with_slope.defjvp
def _zeros_with_slope_jvp(primals, tangents):
    (x, slope), (dx, _) = primals, tangents
    return _zeros_with_slope(x, slope), jnp.where(slope == 0, 0, slope * dx).astype(dx.dtype)
