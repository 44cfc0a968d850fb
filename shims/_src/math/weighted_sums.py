"""Compute sums of arrays, products with a scalar, and polynomials."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, matching, operand
from shims._src.array.cutting import entries
from shims._src.elementwise.elementwise import pair
from shims._src.math.sums import add_n
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype


@operator
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """Sum several arrays of the same shape.

    Args:
      inputs: list of arrays.
      shape: their shape, which is checked.
      tensor_dtype: their dtype, which is checked.
      name: ignored.

    Returns:
      The sum.

    Raises:
      InvalidArgumentError: dtypes or shapes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes that are known only at run time are checked for equality.

    https://www.tensorflow.org/api_docs/python/tf/math/accumulate_n
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(
            "inputs must be a list of at least one array with the same dtype and shape"
        )
    total = add_n(inputs)
    if shape is not None:
        _check_shape(total, _sizes(shape))
    if tensor_dtype is not None and array_dtype(tensor_dtype, "accumulate_n") != total.dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {array_dtype(tensor_dtype, 'accumulate_n').name}, "
            f"but `inputs` are of type {total.dtype.name}. These must be equal."
        )
    return total


def _sizes(shape) -> list:
    if isinstance(shape, (tuple, list)):
        return [d if d is None else entries([d])[0] for d in shape]
    return shape.as_list() if hasattr(shape, "as_list") else entries(shape)


def _check_shape(total, given) -> None:
    """Check that a sum has the given shape, in which `None` matches every size."""
    function, problem = "accumulate_n", "the arrays do not have the given `shape`."
    if len(given) != total.ndim:
        raise checks.invalid(
            function, problem, required=f"{len(given)} axes", received=describe(total)
        )
    for have, want in zip(total.shape, given, strict=True):
        if want is None:
            continue
        known = checks.is_known(have) and checks.is_known(want)
        checks.check_data(
            have != want if known else primitives.as_size(have) != primitives.as_size(want),
            function,
            problem,
            required=f"size {want}",
            received=describe(total),
        )


@operator
def scalar_mul(scalar, x, name=None):
    """Multiply an array by a scalar.

    Args:
      scalar: a number, or an array of rank 0.
      x: array of numbers.
      name: ignored.

    Returns:
      The product, in the dtype of `x`.

    Raises:
      ValueError: `scalar` has axes.
      InvalidArgumentError: the number does not fit the dtype of `x`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/scalar_mul
    """
    x, scalar = matching("scalar_mul", x=operand(x), scalar=scalar)
    if scalar.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return scalar * x


@operator
def polyval(coeffs, x, name=None):
    """Evaluate a polynomial at `x`, by Horner's rule.

    Args:
      coeffs: list of coefficients, highest power first.
      x: array of numbers.
      name: ignored.

    Returns:
      The value; zeros if there are no coefficients.

    Raises:
      ValueError: `coeffs` is not a list.
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/math/polyval
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = operand(x)
    if not coeffs:
        return jnp.zeros_like(x)
    coeffs = [operand(c) for c in coeffs]
    value = coeffs[0]
    for c in coeffs[1:]:
        value = jnp.add(*pair("polyval", c, jnp.multiply(*pair("polyval", value, x))))
    return value
