"""Running sums and products along an axis."""

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


def _running(function, accumulate, neutral, x, axis, exclusive, reverse):
    """Accumulate forwards or backwards, with or without the element itself."""
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
    """Running sums along an axis.

    Args:
      x: array of numbers.
      axis: the axis to run along.
      exclusive: leave each element out of its own sum.
      reverse: run from the end.
      name: ignored.

    Returns:
      The sums, in the shape and dtype of `x`.

    Differs from TensorFlow:
      bfloat16 may be rounded at other places.

    Under jit:
      Runs over a selection where it stands.

    https://www.tensorflow.org/api_docs/python/tf/math/cumsum
    """
    return _running("cumsum", _sums, 0, x, axis, exclusive, reverse)


def _sums(x, axis):
    """Running sums that begin at 0: that of a single -0.0 is 0.0, where XLA leaves the element."""
    may_be_single = not is_known(x.shape[axis]) or x.shape[axis] == 1
    if may_be_single and jnp.issubdtype(x.dtype, jnp.floating):
        x = x - lax.stop_gradient(jnp.where(x == 0, x, 0))
    return lax.cumsum(x, axis)


def _products(x, axis):
    return unconjugated(functools.partial(lax.cumprod, axis=axis), x)


@operator(compiled=True)
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running products along an axis.

    Args:
      x: array of numbers.
      axis: the axis to run along.
      exclusive: leave each element out of its own product.
      reverse: run from the end.
      name: ignored.

    Returns:
      The products, in the shape and dtype of `x`.

    Differs from TensorFlow:
      The gradient is right where an element is 0; TensorFlow's is 0 for all that follow.

    Under jit:
      Runs over a selection where it stands.

    https://www.tensorflow.org/api_docs/python/tf/math/cumprod
    """
    return _running("cumprod", _products, 1, x, axis, exclusive, reverse)


@operator(compiled=True)
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running `log(sum(exp(x)))` along an axis.

    Args:
      x: floating-point array.
      axis: the axis to run along.
      exclusive: leave each element out of its own sum.
      reverse: run from the end.
      name: ignored.

    Returns:
      The logarithms, in the shape and dtype of `x`.

    Differs from TensorFlow:
      A NaN makes all sums behind
      it NaN; TensorFlow takes it for what the sum is so far. After two infinities TensorFlow's sum is
      NaN, here infinity. A NaN among the gradients of the sums is handed on; TensorFlow drops it.

    Under jit:
      Runs over a selection where it stands.

    https://www.tensorflow.org/api_docs/python/tf/math/cumulative_logsumexp
    """
    function = "cumulative_logsumexp"
    sums = _running(function, _logsumexp, -np.inf, x, axis, exclusive, reverse)
    if not exclusive:
        return sums
    x = operand(x)  # of which one element is in no sum; infinity has NaN there, too
    return sums + _nothing(x, jnp.where(x == jnp.inf, jnp.nan, 0).astype(x.dtype))


def _logsumexp(x, axis):
    """Running `log(sum(exp(x)))` with TensorFlow's gradient where infinities are about.

    An infinite sum hands nothing back, and -inf counts nothing in a finite sum. Infinity itself,
    and -inf in a sum of nothing else, have NaN.
    """
    sums = lax.stop_gradient(lax.cumlogsumexp(x, axis))
    infinite = jnp.isinf(x)
    lost = infinite & ((x > 0) | (sums == -jnp.inf))
    slope = jnp.where(lost, jnp.nan, 0).astype(x.dtype)
    least = jnp.asarray(jnp.finfo(x.dtype).min / 2, x.dtype)
    finite = jnp.where(infinite, least + _nothing(x, slope), x)
    return jnp.where(jnp.isinf(sums), sums, lax.cumlogsumexp(finite, axis))


@jax.custom_jvp
def _nothing(x, slope):
    """Zeros, with a derivative."""
    return jnp.zeros_like(x)


@_nothing.defjvp
def _nothing_jvp(primals, tangents):
    (x, slope), (dx, _) = primals, tangents
    return _nothing(x, slope), jnp.where(slope == 0, 0, slope * dx).astype(dx.dtype)
