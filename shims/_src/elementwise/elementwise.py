"""Provide elementwise functions whose JAX counterparts differ in a value or gradient."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import preferring
from shims._src.arguments.operands import broadcasting, matching, operand
from shims._src.numeric.mul_no_nan import mul_no_nan
from shims._src.tracing.dispatch import operator


def is_inexact(x) -> bool:
    """Return whether the dtype is floating-point or complex, so it has a tangent space."""
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def pair(function: str, x, y):
    """Convert two operands to arrays of the same dtype whose sizes broadcast."""
    return broadcasting(function, *matching(function, x=x, y=y))


# ---- roots, reciprocals and signs ----------------------------------------------------------------


@jax.custom_jvp
def magnitude(x):
    """Compute the absolute value of a floating-point or complex array."""
    return jnp.abs(x)


@magnitude.defjvp
def _abs_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jax.jvp(jnp.abs, primals, tangents)
    return jnp.abs(x), t * jnp.sign(x)


@operator(compiled=True)
def abs(x, name=None):
    """Compute the absolute value.

    Args:
      x: array of numbers.
      name: ignored.

    Returns:
      `|x|`, in the shape of `x`; real for complex `x`.

    Differs from TensorFlow:
      Nothing. The gradient at 0 is 0, whereas `jnp.abs` has the gradient 1 there.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.abs([-1.5, 2.0]))
      [1.5 2. ]

    https://www.tensorflow.org/api_docs/python/tf/math/abs
    """
    x = operand(x)
    return magnitude(x) if is_inexact(x) else jnp.abs(x)


@operator(compiled=True)
def sign(x, name=None):
    """Compute the sign.

    Args:
      x: array of signed numbers.
      name: ignored.

    Returns:
      -1, 0 or 1, and NaN for NaN, in the shape of `x`; `x / |x|` for a complex number.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. The sign of -0.0 is 0.0, whereas `jnp.sign` gives -0.0.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.sign([-2.5, 0.0, 4.0]))
      [-1.  0.  1.]

    https://www.tensorflow.org/api_docs/python/tf/math/sign
    """
    x = operand(x)
    return _sign(x) if jnp.issubdtype(x.dtype, jnp.floating) else _sign.fun(x)


@jax.custom_jvp
def _sign(x):
    return jnp.where(x == 0, jnp.zeros((), x.dtype), jnp.sign(x))


@_sign.defjvp
def _sign_jvp(primals, tangents):
    # Explicit zeros: an infinite gradient times 0 is NaN, as in TensorFlow.
    out, (slope,) = _sign(*primals), tangents
    return out, lax.select(jnp.zeros(out.shape, bool), slope, jnp.zeros_like(slope))


@jax.custom_jvp
def square_root(x):
    """Compute the square root of a floating-point array; see `sqrt` for its gradient."""
    return jnp.sqrt(x)


@square_root.defjvp
def _sqrt_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    root = square_root(x)
    return root, mul_no_nan(t, 0.5 / root)


@operator(compiled=True)
def sqrt(x, name=None):
    """Compute the square root.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      The root, in the shape of `x`; NaN for negative numbers.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing on CPU. Where the incoming gradient is 0, the outgoing gradient is 0 even for
      `x <= 0`. Therefore `where(d > 0, sqrt(d), 0)` has a finite gradient, whereas `jnp.sqrt` and
      TensorFlow's XLA give NaN.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.sqrt([4.0, 2.0]))
      [2.        1.4142135]

    https://www.tensorflow.org/api_docs/python/tf/math/sqrt
    """
    x = operand(x)
    checks.check_kind("sqrt", "inexact", x)
    return square_root(x)


@jax.custom_jvp
def inverse_root(x):
    """Compute the reciprocal square root of a floating-point array."""
    return lax.rsqrt(x)


@inverse_root.defjvp
def _rsqrt_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    root = inverse_root(x)
    return root, mul_no_nan(t, -0.5 * (root * root) * root)


@operator(compiled=True)
def rsqrt(x, name=None):
    """Compute the reciprocal of the square root.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      `1 / sqrt(x)`, in the shape of `x`.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing on CPU. Where the incoming gradient is 0, the outgoing gradient is 0, even for `x <= 0`.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.math.rsqrt([4.0, 16.0]))
      [0.5  0.25]

    https://www.tensorflow.org/api_docs/python/tf/math/rsqrt
    """
    x = operand(x)
    checks.check_kind("rsqrt", "inexact", x)
    return inverse_root(x)


@jax.custom_jvp
def _reciprocal(x):
    return jnp.reciprocal(x)


@_reciprocal.defjvp
def _reciprocal_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    inverse = _reciprocal(x)
    return inverse, mul_no_nan(t, -inverse * inverse)


@operator(compiled=True)
def reciprocal(x, name=None):
    """Compute the reciprocal of `x`.

    Args:
      x: array of numbers.
      name: ignored.

    Returns:
      `1 / x`, in the shape of `x`.

    Differs from TensorFlow:
      Nothing on CPU. Where the incoming gradient is 0, the outgoing gradient is 0, even at `x = 0`.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.math.reciprocal([4.0, 0.5]))
      [0.25 2.  ]

    https://www.tensorflow.org/api_docs/python/tf/math/reciprocal
    """
    x = operand(x)
    if is_inexact(x):
        return _reciprocal(x)
    return lax.div(jnp.ones_like(x), x)


@jax.custom_jvp
def _acosh(x):
    return jnp.arccosh(x)


@_acosh.defjvp
def _acosh_jvp(primals, tangents):
    # As in TensorFlow; JAX 0.10 gives a derivative below 1, where the value is NaN.
    y = _acosh(*primals)
    return y, tangents[0] / jnp.sinh(y)


@operator(compiled=True)
def acosh(x, name=None):
    """Compute the inverse hyperbolic cosine.

    Args:
      x: floating-point or complex array.
      name: ignored.

    Returns:
      The array; NaN for real numbers below 1.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/acosh
    """
    x = operand(x)
    return jnp.arccosh(x) if jnp.iscomplexobj(x) else _acosh(x)


# ---- the larger and the smaller ------------------------------------------------------------------


@jax.custom_jvp
def larger(x, y):
    """Compute the maximum of two floating-point arrays; at ties the gradient goes to `x`."""
    return jnp.maximum(x, y)


@larger.defjvp
def _larger_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return larger(x, y), jnp.where(x >= y, tx, ty)


@jax.custom_jvp
def smaller(x, y):
    """Compute the minimum of two floating-point arrays; at ties the gradient goes to `x`."""
    return jnp.minimum(x, y)


@smaller.defjvp
def _smaller_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return smaller(x, y), jnp.where(x <= y, tx, ty)


@operator(compiled=True)
def maximum(x, y, name=None):
    """Compute the element-wise maximum of two arrays.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x` where `x > y`, otherwise `y`; NaN where `x` or `y` is NaN; in the shape to which `x` and
      `y` broadcast.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      For 0.0 and -0.0 the sign of TensorFlow's result depends on the position in the array; here
      the position has no effect. At a tie the gradient goes to `x`. `jnp.maximum` gives half of the
      gradient to each argument.

    Under jit:
      Acts on each element separately; sizes known only at run time are checked for equality.

    Example:
      >>> import shims
      >>> print(shims.maximum([1.0, 5.0], 3.0))
      [3. 5.]

    https://www.tensorflow.org/api_docs/python/tf/math/maximum
    """
    x, y = pair("maximum", x, y)
    return larger(x, y) if is_inexact(x) else jnp.maximum(x, y)


@operator(compiled=True)
def minimum(x, y, name=None):
    """Compute the element-wise minimum of two arrays.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      `x` where `x < y`, otherwise `y`; NaN where `x` or `y` is NaN; in the shape to which `x` and
      `y` broadcast.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      For 0.0 and -0.0 the sign of TensorFlow's result depends on the position in the array; here
      the position has no effect. At a tie the gradient goes to `x`. `jnp.minimum` gives half of the
      gradient to each argument.

    Under jit:
      Acts on each element separately; sizes known only at run time are checked for equality.

    Example:
      >>> import shims
      >>> print(shims.minimum([1.0, 5.0], 3.0))
      [1. 3.]

    https://www.tensorflow.org/api_docs/python/tf/math/minimum
    """
    x, y = pair("minimum", x, y)
    return smaller(x, y) if is_inexact(x) else jnp.minimum(x, y)


# ---- powers --------------------------------------------------------------------------------------


@jax.custom_jvp
def _pow(x, y):
    return lax.pow(*jnp.broadcast_arrays(x, y))


@_pow.defjvp
def _pow_jvp(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    z = _pow(x, y)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        counts = x != 0
    else:
        counts = x > 0
    logarithm = jnp.where(counts, jnp.log(jnp.where(counts, x, 1)), 0)
    return z, tx * (y * _pow(x, y - 1)) + ty * (z * logarithm)


@operator(compiled=True)
def pow(x, y, name=None):
    """Raise `x` to the power of `y`.

    Args:
      x: array of numbers.
      y: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The powers, in the shape to which `x` and `y` broadcast.

    Raises:
      InvalidArgumentError: the dtypes differ, or an integer has a negative exponent.

    Differs from TensorFlow:
      Nothing. The gradient with respect to `y` is 0 where `x <= 0`, whereas that of `jnp.power` is NaN.

    Under jit:
      Acts on each element separately; negative integer exponents raise an error after the call.

    Example:
      >>> import shims
      >>> print(shims.pow([2.0, 3.0], 2.0))
      [4. 9.]

    https://www.tensorflow.org/api_docs/python/tf/math/pow
    """
    x, y = pair("pow", x, y)
    if is_inexact(x):
        return _pow(x, y)
    checks.check_data(
        y < 0,
        "pow",
        "integers to negative integer powers are not integers.",
        required="y >= 0 everywhere, or floating-point operands",
    )
    return _whole_power(*jnp.broadcast_arrays(x, y))


def _whole_power(x, y):
    """Compute powers of integers with wraparound; `lax` would use only six bits of the exponent."""
    out = jnp.ones_like(x)
    for _ in range(jnp.iinfo(y.dtype).bits):
        out = jnp.where((y & 1) == 1, out * x, out)
        x, y = x * x, y >> 1
    return out


@operator(compiled=True)
def squared_difference(x, y, name=None):
    """Compute the square of the absolute difference.

    Args:
      x: array.
      y: array of the same dtype that broadcasts with `x`.
      name: ignored.

    Returns:
      `(x - y) ** 2`, in the shape to which `x` and `y` broadcast; for complex numbers, the square of the absolute
      difference, as a complex number.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.math.squared_difference([1.0, 5.0], 3.0))
      [4. 4.]

    https://www.tensorflow.org/api_docs/python/tf/math/squared_difference
    """
    x, y = broadcasting("squared_difference", *matching("squared_difference", x=x, y=y))
    return squared_distance(jnp.subtract(x, y))


def squared_distance(difference):
    """Compute the squared absolute value of a difference; complex arrays stay complex."""
    if jnp.iscomplexobj(difference):
        return _squared_complex(difference)
    return jnp.square(difference)


@jax.custom_jvp
def _squared_complex(x):
    return jnp.conj(x) * x


@_squared_complex.defjvp
def _squared_complex_jvp(primals, tangents):
    """Define the derivative of `_squared_complex` as `2 * conj(x)`, TensorFlow's gradient."""
    (x,), (t,) = primals, tangents
    return _squared_complex(x), 2 * jnp.conj(x) * t


@preferring("float32", "x1", "x2")
@operator(compiled=True)
def nextafter(x1, x2, name=None):
    """Return the next representable number after `x1` in the direction of `x2`.

    Args:
      x1: float32 or float64 array.
      x2: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/nextafter
    """
    return _nextafter(*jnp.broadcast_arrays(*pair("nextafter", x1, x2)))


@jax.custom_jvp
def _nextafter(x1, x2):
    return jnp.nextafter(x1, x2)


@_nextafter.defjvp
def _nextafter_jvp(primals, tangents):
    # The derivative by `x2` is 0: NaN for a gradient that is not finite, as in TensorFlow.
    return _nextafter(*primals), tangents[0] + 0 * tangents[1]
