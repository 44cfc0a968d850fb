"""Compute inverse error functions and exponential, Fresnel and Dawson integrals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from shims._src.arguments.operands import operand
from shims._src.platform.loops_per_device import with_varying_loops
from shims._src.tracing.dispatch import operator


def _with_derivative(value, slope):
    """Return a function `value(x)` with the derivative `slope(x, y)`, where `y` is its value."""
    f = jax.custom_jvp(value)

    @f.defjvp
    def _jvp(primals, tangents):
        (x,), (t,) = primals, tangents
        y = f(x)
        return y, t * slope(x, y)

    return f


# JAX 0.10 gives the derivative 0 at 0 and 1, where it is infinite.
_ndtri = _with_derivative(
    special.ndtri, lambda x, y: float(np.sqrt(2 * np.pi)) * jnp.exp(jnp.square(y) / 2)
)


@operator
def ndtri(x, name=None):
    """Compute the quantile function of the normal distribution.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The quantile; infinite at 0 and 1, NaN outside of [0, 1].

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/ndtri
    """
    return _ndtri(operand(x))


@operator
def erfinv(x, name=None):
    """Compute the inverse error function.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; infinite at -1 and 1, NaN outside of [-1, 1].

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Numbers below 1e-7 are exact; TensorFlow's kernel adds 1 to such numbers and thus rounds them.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/erfinv
    """
    return _erfinv(operand(x))


@jax.custom_jvp
def _erfinv(x):
    y = lax.erf_inv(x)
    return jnp.where(x == 0, jnp.zeros_like(y), y)


@_erfinv.defjvp
def _erfinv_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    y = _erfinv(x)
    half_root = jnp.asarray(0.5 * np.sqrt(np.pi), x.dtype)
    return y, t * (half_root * jnp.exp(jnp.square(y)))


@operator
def erfcinv(x, name=None):
    """Compute the inverse complementary error function.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; infinite at 0 and 2, NaN outside of [0, 2].

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/erfcinv
    """
    x = operand(x)
    return _ndtri(0.5 * x) * -np.sqrt(0.5).astype(x.dtype)


def _expint_value(x):
    # Some versions of JAX give NaN at 0.
    out = jnp.where(x == 0, -jnp.inf, with_varying_loops(special.expi)(jnp.where(x > 0, x, 1)))
    return jnp.where(x >= 0, out, jnp.nan)


_expint = _with_derivative(_expint_value, lambda x, y: jnp.exp(x) / x)


@operator
def expint(x, name=None):
    """Compute the exponential integral, of `exp(t) / t` from minus infinity to `x`.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; -inf at 0, NaN for negative numbers.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/special/expint
    """
    return _expint(operand(x))


def _spence_value(x):
    # As in TensorFlow, where the reciprocal of larger numbers is flushed to 0; a compiler does not
    # flush it for constants.
    return jnp.where(
        x > 1 / jnp.finfo(x.dtype).tiny, jnp.nan, with_varying_loops(special.spence)(x)
    )


_spence = _with_derivative(_spence_value, lambda x, y: jnp.where(x == 1, -1, jnp.log(x) / (1 - x)))


@operator
def spence(x, name=None):
    """Compute Spence's integral, of `log(t) / (1 - t)` from 1 to `x`.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; NaN for negative numbers.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/special/spence
    """
    return _spence(operand(x))


_QUARTER = np.pi / 2
_fresnel_sin = _with_derivative(
    lambda x: special.fresnel(x)[0], lambda x, y: jnp.sin(_QUARTER * jnp.square(x))
)
_fresnel_cos = _with_derivative(
    lambda x: special.fresnel(x)[1], lambda x, y: jnp.cos(_QUARTER * jnp.square(x))
)


@operator
def fresnel_sin(x, name=None):
    """Compute Fresnel's integral of `sin(pi * t**2 / 2)` from 0 to `x`.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; 0.5 at infinity.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/special/fresnel_sin
    """
    return _fresnel_sin(operand(x))


@operator
def fresnel_cos(x, name=None):
    """Compute Fresnel's integral of `cos(pi * t**2 / 2)` from 0 to `x`.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; 0.5 at infinity.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/special/fresnel_cos
    """
    return _fresnel_cos(operand(x))


# Rybicki's sum: samples of a Gaussian at odd multiples of a step, with an error of exp(-(pi/2h)^2).
_STEP = 0.25
_ODD = tuple(range(1, 24, 2))


def _dawson(x):
    magnitude = jnp.abs(x)
    finite = jnp.where(jnp.isfinite(x), jnp.minimum(magnitude, 1e6), 0)
    center = 2 * jnp.round(finite / (2 * _STEP))
    offset = finite - center * _STEP
    total = jnp.zeros_like(x)
    for n in _ODD:
        for m in (n, -n):
            sample = jnp.exp(-jnp.square(offset - m * _STEP))
            total = total + sample / (center + m)
    small = finite * (1 - 2 / 3 * jnp.square(finite) * (1 - 0.4 * jnp.square(finite)))
    large = 0.5 / magnitude * (1 + 0.5 / jnp.square(magnitude))
    value = jnp.where(finite < 0.05, small, total / np.sqrt(np.pi).astype(x.dtype))
    value = jnp.where(magnitude > 1e3, large, value)
    value = jnp.where(x < 0, -value, value)  # 0.0 at -0.0, as in TensorFlow
    return jnp.where(jnp.isnan(x), x, jnp.where(x == 0, 0, value))


_dawsn = _with_derivative(_dawson, lambda x, y: 1 - 2 * x * y)


@operator
def dawsn(x, name=None):
    """Compute Dawson's integral: `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`.

    Args:
      x: float32 or float64 array.
      name: ignored.

    Returns:
      The array; 0 at infinity.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/special/dawsn
    """
    return _dawsn(operand(x))
