"""Build complex numbers from their parts, and extract the parts."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments.operands import broadcasting, matching, operand
from shims._src.elementwise.elementwise import is_inexact
from shims._src.tracing.dispatch import operator


@operator
def complex(real, imag, name=None):
    """Build complex numbers from real and imaginary parts.

    Args:
      real: float32 or float64 array.
      imag: array of the same dtype; both arrays are broadcast.
      name: ignored.

    Returns:
      The complex64 or complex128 array.

    Raises:
      InvalidArgumentError: the dtypes differ, or TensorFlow has no kernel for them.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.complex([1.0], [2.0]))
      [1.+2.j]

    https://www.tensorflow.org/api_docs/python/tf/dtypes/complex
    """
    parts = broadcasting("complex", *matching("complex", real=real, imag=imag))
    return lax.complex(*jnp.broadcast_arrays(*parts))


@operator
def angle(input, name=None):
    """Compute the argument of complex numbers, in radians.

    Args:
      input: complex or floating-point array.
      name: ignored.

    Returns:
      Numbers in (-pi, pi]. For a real number, the angle is pi if the number is negative, and
      otherwise 0, also for NaN.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing. For real numbers, `jnp.angle` gives pi for -0 and NaN for NaN.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/angle
    """
    x = operand(input)
    if jnp.iscomplexobj(x):
        return jnp.angle(x)
    return jnp.where(x < 0, jnp.asarray(jnp.pi, x.dtype), jnp.zeros((), x.dtype))


@operator
def imag(input, name=None):
    """Return the imaginary part.

    Args:
      input: array of numbers.
      name: ignored.

    Returns:
      The imaginary part; zeros for real numbers.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/imag
    """
    x = operand(input)
    return jnp.imag(x) if is_inexact(x) and jnp.iscomplexobj(x) else jnp.zeros_like(x)
