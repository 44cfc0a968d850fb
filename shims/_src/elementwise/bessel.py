"""Compute modified Bessel functions of the first kind."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.scipy import special

from shims._src.arguments.operands import operand
from shims._src.tracing.dispatch import operator


@operator
def bessel_i0(x, name=None):
    """Compute the modified Bessel function of order 0.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/bessel_i0
    """
    return _i0(operand(x))


@jax.custom_jvp
def _i0(x):
    return special.i0(x)


@_i0.defjvp
def _i0_jvp(primals, tangents):
    # JAX 0.10 gives the derivative 1 at 0, and NaN where it is infinite.
    return _i0(*primals), special.i1(*primals) * tangents[0]


@operator
def bessel_i1(x, name=None):
    """Compute the modified Bessel function of order 1.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing, not even the gradient 1 at 0.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/bessel_i1
    """
    x = operand(x)
    return jnp.where(x == 0, x, special.i1(x))  # with the sign and the gradient of TensorFlow's 0
