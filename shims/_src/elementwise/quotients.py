"""Compute quotients and products with TensorFlow's dtypes, and variants that avoid NaN at 0."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.elementwise.elementwise import is_inexact, pair
from shims._src.numeric.exact_quotient import quotient
from shims._src.numeric.mul_no_nan import mul_no_nan
from shims._src.numeric.unconjugated import unconjugated
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import canonical_dtype


def floating_quotients(*operands):
    """Convert integers to the result dtype of `/`: float32 up to 16 bits, float64 above.

    Floating-point operands are returned unchanged.
    """
    if is_inexact(operands[0]):
        return operands
    dtype = canonical_dtype(np.float32 if operands[0].dtype.itemsize < 4 else np.float64)
    return tuple(x.astype(dtype) for x in operands)


@operator(compiled=True)
def truediv(x, y, name=None):
    """Divide, with a floating-point or complex result.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x / y`; integers of 8 and 16 bits give float32, wider integers float64.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      float64 becomes float32 unless `jax_enable_x64` is on.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/truediv
    """
    return quotient(*floating_quotients(*pair("truediv", x, y)))


@operator(compiled=True)
def realdiv(x, y, name=None):
    """Divide floating-point or complex numbers.

    Args:
      x: array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x / y`.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/realdiv
    """
    return quotient(*pair("realdiv", x, y))


@operator(compiled=True)
def divide(x, y, name=None):
    """Divide, with a floating-point or complex result, as `truediv` does.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x / y`, in the shape to which `x` and `y` broadcast; integers of 8 and 16 bits give float32,
      wider integers float64.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      float64 becomes float32 unless `jax_enable_x64` is on.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.divide([6.0, 1.0], 4.0))
      [1.5  0.25]

    https://www.tensorflow.org/api_docs/python/tf/math/divide
    """
    return quotient(*floating_quotients(*pair("divide", x, y)))


@operator(compiled=True)
def floordiv(x, y, name=None):
    """Divide and round towards minus infinity.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `floor(x / y)` in the dtype of the operands, and in the shape to which `x` and `y` broadcast.

    Raises:
      InvalidArgumentError: the dtypes differ, or an integer is divided by zero.

    Differs from TensorFlow:
      Nothing. `jnp.floor_divide` gives different values at infinities.

    Under jit:
      Acts on each element separately; integer division by zero raises an error after the call.

    Example:
      >>> import shims
      >>> print(shims.math.floordiv([7, -7], 2))
      [ 3 -4]

    https://www.tensorflow.org/api_docs/python/tf/math/floordiv
    """
    x, y = pair("floordiv", x, y)
    if is_inexact(x):
        return jnp.floor(quotient(x, y))
    checks.check_nonzero("floordiv", "y", y, x)
    return jnp.floor_divide(x, y)


@operator(compiled=True)
def floormod(x, y, name=None):
    """Compute the remainder of `floordiv`, with the sign of the divisor.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x - floordiv(x, y) * y`, in the shape to which `x` and `y` broadcast.

    Raises:
      InvalidArgumentError: the dtypes differ, or an integer is divided by zero.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately; integer division by zero raises an error after the call.

    Example:
      >>> import shims
      >>> print(shims.math.mod([5, -5], 3))
      [2 1]

    https://www.tensorflow.org/api_docs/python/tf/math/floormod
    """
    x, y = pair("floormod", x, y)
    checks.check_nonzero("floormod", "y", y, x)
    return _floormod(x, y) if is_inexact(x) else jnp.mod(x, y)


@jax.custom_jvp
def _floormod(x, y):
    return jnp.mod(x, y)


@_floormod.defjvp
def _floormod_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return _floormod(x, y), tx - ty * jnp.floor(quotient(x, y))


# ---- products and quotients that are 0 at zeros --------------------------------------------------


@operator(compiled=True)
def divide_no_nan(x, y, name=None):
    """Divide, with 0 where `y` is 0.

    Args:
      x: floating-point array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x / y`, in the shape to which `x` and `y` broadcast, and 0 where `y` is 0, with gradient 0
      there.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.math.divide_no_nan([6.0, 1.0], [3.0, 0.0]))
      [2. 0.]

    https://www.tensorflow.org/api_docs/python/tf/math/divide_no_nan
    """
    x, y = pair("divide_no_nan", x, y)
    if not is_inexact(x):
        x, y = floating_quotients(x, y)
    return quotient_or_zero(x, y)


@jax.custom_jvp
def quotient_or_zero(x, y):
    """Compute `x / y`; the quotient is 0 if `y` is 0."""
    return jnp.where(y == 0, 0, quotient(x, jnp.where(y == 0, 1, y)))


@quotient_or_zero.defjvp
def _quotient_or_zero_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    z = quotient_or_zero(x, y)
    by_x = jnp.where(y == 0, 0, tx / jnp.where(y == 0, 1, y))
    return z, by_x - ty * quotient_or_zero(z, y)


@operator(compiled=True)
def reciprocal_no_nan(x, name=None):
    """Compute the reciprocal of `x`, with 0 where `x` is 0.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      `1 / x`, and 0 where `x` is 0, with gradient 0 there.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/reciprocal_no_nan
    """
    x = operand(x)
    checks.check_kind("reciprocal_no_nan", "inexact", x)
    return quotient_or_zero(jnp.ones_like(x), x)


def product_or_zero(x, y):
    """Compute `x * y`; the product is 0 if `y` is 0, even for infinite or NaN `x`."""
    return mul_no_nan(*jnp.broadcast_arrays(y, x))


@operator(compiled=True)
def multiply_no_nan(x, y, name=None):
    """Multiply, with 0 where `y` is 0, even if `x` is NaN or infinite.

    Args:
      x: floating-point array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x * y`, and 0 where `y` is 0.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/multiply_no_nan
    """
    x, y = pair("multiply_no_nan", x, y)
    checks.check_kind("multiply_no_nan", "inexact", x)
    return unconjugated(product_or_zero, x, y)


def _make_zero_at_zero(function):
    """Return a function that computes `function(x, y)`, a product with `x`, but 0 if `x` is 0.

    Its derivatives are defined separately, by TensorFlow's formulas. They are products, so a
    NaN in the incoming gradient stays NaN where `x` is 0.

    Args:
      function: a function of `x` and of `y`, where `y` is replaced by 1 if `x` is 0.
    """

    @jax.custom_jvp
    def product(x, y):
        return jnp.where(x == 0, 0, function(x, jnp.where(x == 0, 1, y)))

    return product


def _indicate_nonzero(x):
    return (x != 0).astype(x.dtype)


_xlogy = _make_zero_at_zero(lambda x, y: x * jnp.log(y))
_xlog1py = _make_zero_at_zero(lambda x, y: x * jnp.log1p(y))
_xdivy = _make_zero_at_zero(quotient)


@_xlogy.defjvp
def _xlogy_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return _xlogy(x, y), tx * _xlogy(_indicate_nonzero(x), y) + ty * _xdivy(x, y)


@_xlog1py.defjvp
def _xlog1py_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return _xlog1py(x, y), tx * _xlog1py(_indicate_nonzero(x), y) + ty * _xdivy(x, y + 1)


@_xdivy.defjvp
def _xdivy_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return _xdivy(x, y), tx * _xdivy(_indicate_nonzero(x), y) + ty * _xdivy(-x, y * y)


@operator(compiled=True)
def xlogy(x, y, name=None):
    """Compute `x * log(y)`, with 0 where `x` is 0.

    Args:
      x: floating-point array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x * log(y)`, and 0 where `x` is 0, with gradients 0 there.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/xlogy
    """
    x, y = pair("xlogy", x, y)
    checks.check_kind("xlogy", "inexact", x)
    return unconjugated(_xlogy, x, y)


@operator(compiled=True)
def xlog1py(x, y, name=None):
    """Compute `x * log1p(y)`, with 0 where `x` is 0.

    Args:
      x: floating-point array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x * log1p(y)`, and 0 where `x` is 0, with gradients 0 there.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/xlog1py
    """
    x, y = pair("xlog1py", x, y)
    checks.check_kind("xlog1py", "inexact", x)
    return unconjugated(_xlog1py, x, y)


@operator(compiled=True)
def xdivy(x, y, name=None):
    """Compute `x / y`, with 0 where `x` is 0.

    Args:
      x: floating-point array.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x / y`, and 0 where `x` is 0, with gradients 0 there.

    Raises:
      InvalidArgumentError: the dtypes differ.
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/xdivy
    """
    x, y = pair("xdivy", x, y)
    checks.check_kind("xdivy", "inexact", x)
    return unconjugated(_xdivy, x, y)
