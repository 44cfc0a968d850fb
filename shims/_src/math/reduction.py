"""Provide TensorFlow's reductions, with its dtypes and its values for empty axes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments.checks import axes_of, check_kind
from shims._src.arguments.default_dtype import fixed
from shims._src.arguments.operands import operand
from shims._src.elementwise.elementwise import is_inexact, square_root, squared_distance
from shims._src.math.over_axes import (
    largest,
    logsumexp,
    mean_over,
    product_over,
    smallest,
    sum_over,
    variance,
)
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype


def _reduce_axes(function: str, x, axis, keepdims, reduce):
    """Apply `reduce` over axes; with `keepdims`, the reduced axes are kept with size 1."""
    axes = axes_of(function, axis, x.ndim)
    out = reduce(x, axes)
    return lax.expand_dims(out, axes) if keepdims else out


@operator(compiled=True)
def reduce_sum(input_tensor, axis=None, keepdims=False, name=None):
    """Sum over axes, in the dtype of the input.

    Args:
      input_tensor: array of numbers.
      axis: the axes to sum over; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The sum, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps with
      size 1); 0 if there are no elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped, and nothing is copied.

    Example:
      >>> import shims
      >>> print(shims.reduce_sum([[1, 2], [3, 4]], axis=0))
      [4 6]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_sum
    """
    return _reduce_axes("reduce_sum", operand(input_tensor), axis, keepdims, sum_over)


@operator(compiled=True)
def reduce_mean(input_tensor, axis=None, keepdims=False, name=None):
    """Compute the mean over axes, in the dtype of the input.

    Args:
      input_tensor: array of numbers.
      axis: the axes to take the mean over; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The mean, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps with
      size 1); integers are truncated towards 0; NaN if there are no elements.

    Differs from TensorFlow:
      float16 is summed in float32, so the sum does not overflow.

    Under jit:
      Sizes may be known only at run time; padding is not counted.

    Example:
      >>> import shims
      >>> print(shims.reduce_mean([[1.0, 2.0], [4.0, 6.0]], axis=1))
      [1.5 5. ]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_mean
    """
    return _reduce_axes("reduce_mean", operand(input_tensor), axis, keepdims, mean_over)


@operator(compiled=True)
def reduce_max(input_tensor, axis=None, keepdims=False, name=None):
    """Compute the maximum over axes.

    Args:
      input_tensor: array of numbers.
      axis: the axes to search; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The maximum, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps
      with size 1); NaN if there is a NaN; -inf, or the lowest integer, if there are no elements.
      Equal elements share the gradient.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reduce_max([[1, 5], [4, 2]], axis=1))
      [5 4]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_max
    """
    return _reduce_axes("reduce_max", operand(input_tensor), axis, keepdims, largest)


@operator(compiled=True)
def reduce_min(input_tensor, axis=None, keepdims=False, name=None):
    """Compute the minimum over axes.

    Args:
      input_tensor: array of numbers.
      axis: the axes to search; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The minimum, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps
      with size 1); NaN if there is a NaN; inf, or the highest integer, if there are no elements.
      Equal elements share the gradient.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reduce_min([[1, 5], [4, 2]], axis=1))
      [1 2]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_min
    """
    return _reduce_axes("reduce_min", operand(input_tensor), axis, keepdims, smallest)


@operator(compiled=True)
def reduce_prod(input_tensor, axis=None, keepdims=False, name=None):
    """Multiply over axes, in the dtype of the input.

    Args:
      input_tensor: array of numbers.
      axis: the axes to multiply over; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The product, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps
      with size 1); 1 if there are no elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reduce_prod([[1, 2], [3, 4]], axis=1))
      [ 2 12]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_prod
    """
    return _reduce_axes("reduce_prod", operand(input_tensor), axis, keepdims, product_over)


@fixed("bool", "input_tensor")
@operator(compiled=True)
def reduce_any(input_tensor, axis=None, keepdims=False, name=None):
    """Return whether any element over axes is True.

    Args:
      input_tensor: bool array.
      axis: the axes to search; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      Bool, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps with
      size 1); False if there are no elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reduce_any([[False, False], [True, False]], axis=1))
      [False  True]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_any
    """
    return _reduce_axes(
        "reduce_any", operand(input_tensor), axis, keepdims, lambda x, a: jnp.any(x, axis=a)
    )


@fixed("bool", "input_tensor")
@operator(compiled=True)
def reduce_all(input_tensor, axis=None, keepdims=False, name=None):
    """Return whether all elements over axes are True.

    Args:
      input_tensor: bool array.
      axis: the axes to search; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      Bool, in the shape of `input_tensor` without the reduced axes (which `keepdims` keeps with
      size 1); True if there are no elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reduce_all([[True, False], [True, True]], axis=1))
      [False  True]

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_all
    """
    return _reduce_axes(
        "reduce_all", operand(input_tensor), axis, keepdims, lambda x, a: jnp.all(x, axis=a)
    )


@operator(compiled=True)
def reduce_logsumexp(input_tensor, axis=None, keepdims=False, name=None):
    """Compute `log(sum(exp(x)))` over axes, without overflow.

    Args:
      input_tensor: floating-point array.
      axis: the axes to sum over; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The logarithm of the sum, in the shape of `input_tensor` without the reduced axes (which
      `keepdims` keeps with size 1); -inf if there are no elements.

    Raises:
      InvalidArgumentError: TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reduce_logsumexp([0.0, 0.0]))
      0.6931472

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_logsumexp
    """
    x = operand(input_tensor)
    check_kind("reduce_logsumexp", "inexact", x)
    return _reduce_axes("reduce_logsumexp", x, axis, keepdims, logsumexp)


def _check_floating(function, x):
    if not is_inexact(x):
        raise TypeError(f"{function}: the input must be floating point, received {x.dtype.name}.")


@operator(compiled=True)
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """Compute the population variance over axes.

    Args:
      input_tensor: floating-point array.
      axis: the axes to reduce; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The variance; NaN if there are no elements.

    Raises:
      TypeError: the input contains integers.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is not counted.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_variance
    """
    x = operand(input_tensor)
    _check_floating("reduce_variance", x)
    return _reduce_axes("reduce_variance", x, axis, keepdims, variance)


@operator(compiled=True)
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """Compute the population standard deviation over axes.

    Args:
      input_tensor: floating-point array.
      axis: the axes to reduce; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The standard deviation, in the shape of `input_tensor` without the reduced axes (which
      `keepdims` keeps with size 1); NaN if there are no elements. If all elements are equal, the
      gradient is NaN, or 0 where the incoming gradient is 0.

    Raises:
      TypeError: the input contains integers.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is not counted.

    Example:
      >>> import shims
      >>> print(shims.math.reduce_std([1.0, 3.0]))
      1.0

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_std
    """
    x = operand(input_tensor)
    _check_floating("reduce_std", x)
    return _reduce_axes("reduce_std", x, axis, keepdims, lambda x, a: square_root(variance(x, a)))


@operator(compiled=True)
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """Compute the Euclidean norm over axes.

    Args:
      input_tensor: array of numbers.
      axis: the axes to reduce; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The norm, in the dtype of the input; 0 if there are no elements. The gradient at norm 0 is
      NaN.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    https://www.tensorflow.org/api_docs/python/tf/math/reduce_euclidean_norm
    """
    x = operand(input_tensor)

    def reduce(x, axes):
        # The derivative of `jnp.square` is `2 * x`, which overflows for the largest numbers.
        square = squared_distance(x) if jnp.iscomplexobj(x) else x * x
        total = sum_over(square, axes)
        if not is_inexact(x):
            return jnp.sqrt(total).astype(x.dtype)
        # TensorFlow divides by the norm, so the gradient at 0 is NaN for any incoming
        # gradient.
        return _norm_with_tangent(0.5 * total, lax.stop_gradient(square_root(total)))

    return _reduce_axes("reduce_euclidean_norm", x, axis, keepdims, reduce)


@jax.custom_jvp
def _norm_with_tangent(half, norm):
    """Return `norm`, with the tangent of `half` divided by `norm`, where `half` is `norm ** 2 / 2`."""
    return norm


@_norm_with_tangent.defjvp
def _norm_with_tangent_jvp(primals, tangents):
    half, norm = primals
    out = _norm_with_tangent(half, norm)
    return out, tangents[0] / out


@operator(compiled=True)
def count_nonzero(input, axis=None, keepdims=None, dtype=jnp.int64, name=None):
    """Count the nonzero elements over axes.

    Args:
      input: array.
      axis: the axes to count over; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      dtype: an integer dtype.
      name: ignored.

    Returns:
      The counts, in the shape of `input` without the reduced axes (which `keepdims` keeps with size
      1).

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      Sizes may be known only at run time; padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.math.count_nonzero([[0, 3], [2, 1]], axis=1))
      [1 2]

    https://www.tensorflow.org/api_docs/python/tf/math/count_nonzero
    """
    dtype = array_dtype(dtype, "count_nonzero")
    hits = (operand(input) != 0).astype(dtype)
    return _reduce_axes("count_nonzero", hits, axis, keepdims, sum_over)


@operator(compiled=True)
def zero_fraction(value, name=None):
    """Compute the fraction of elements that are zero.

    Args:
      value: array.
      name: ignored.

    Returns:
      A float32 scalar; NaN for an empty array.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is not counted.

    https://www.tensorflow.org/api_docs/python/tf/math/zero_fraction
    """
    return jnp.mean((operand(value) == 0).astype(jnp.float32))
