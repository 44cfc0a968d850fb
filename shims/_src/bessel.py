"""Modified Bessel functions of the first kind."""

from __future__ import annotations

from jax.scipy import special

from shims._src.dispatch import operator
from shims._src.operands import operand


@operator
def bessel_i0(x, name=None):
    """The modified Bessel function of order 0.

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
      Element by element.

    https://www.tensorflow.org/api_docs/python/tf/math/bessel_i0
    """
    return special.i0(operand(x))


@operator
def bessel_i1(x, name=None):
    """The modified Bessel function of order 1.

    Args:
      x: floating-point array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      The gradient at 0 is 0.5; TensorFlow has 1 there.

    Under jit:
      Element by element.

    https://www.tensorflow.org/api_docs/python/tf/math/bessel_i1
    """
    return special.i1(operand(x))
