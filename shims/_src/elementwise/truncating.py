"""Divide with rounding toward zero, and provide the older names of division."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.elementwise.elementwise import is_inexact, pair
from shims._src.elementwise.quotients import floordiv
from shims._src.errors import errors
from shims._src.numeric.exact_quotient import quotient
from shims._src.tracing.dispatch import operator


@operator
def truncatediv(x, y, name=None):
    """Divide and round towards zero.

    Args:
      x: array of real numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `trunc(x / y)` in the dtype of the operands.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InternalError: an integer is divided by zero.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately; integer division by zero raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/truncatediv
    """
    x, y = pair("truncatediv", x, y)
    if is_inexact(x):
        return jnp.trunc(quotient(x, y))
    checks.check_nonzero("truncatediv", "y", y, x, error=errors.InternalError)
    return lax.div(*jnp.broadcast_arrays(x, y))


@operator
def truncatemod(x, y, name=None):
    """Compute the remainder of `truncatediv`, with the sign of the dividend.

    Args:
      x: int32, int64 or floating-point array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x - truncatediv(x, y) * y`.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InternalError: an integer is divided by zero.

    Differs from TensorFlow:
      TensorFlow has no gradient.

    Under jit:
      Acts on each element separately; integer division by zero raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/truncatemod
    """
    x, y = pair("truncatemod", x, y)
    checks.check_nonzero("truncatemod", "y", y, x, error=errors.InternalError)
    return lax.rem(*jnp.broadcast_arrays(x, y))


@operator
def div(x, y, name=None):
    """Divide as in TensorFlow 1: integers are rounded down, other numbers are not rounded.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x / y` in the dtype of the operands, and in the shape to which `x` and `y` broadcast.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InternalError: an integer is divided by zero.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately; integer division by zero raises an error after the call.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.div(7, 2)))
      3

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/div
    """
    x, y = pair("div", x, y)
    return quotient(x, y) if is_inexact(x) else floordiv(x, y)
