"""Normalize arrays by their moments, and compute moments from sums and weights."""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axes_of, is_known
from shims._src.arguments.default_dtype import preferring
from shims._src.arguments.operands import broadcasting, describe, operand
from shims._src.elementwise.elementwise import inverse_root, reciprocal, squared_distance
from shims._src.elementwise.quotients import quotient_or_zero
from shims._src.errors import errors
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


@operator
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """Normalize an array by given moments.

    Args:
      x: floating-point array.
      mean: array that broadcasts with `x`.
      variance: array that broadcasts with `x`.
      offset: the new mean; 0 when `None`.
      scale: the new standard deviation; 1 when `None`.
      variance_epsilon: a number that is added to the variance.
      name: ignored.

    Returns:
      `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Raises:
      InvalidArgumentError: the dtypes differ, or the shapes do not broadcast.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/batch_normalization
    """
    return _normalized("batch_normalization", x, mean, variance, offset, scale, variance_epsilon)


@operator
def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """Normalize images by given moments per channel.

    Args:
      input: floating-point array `[batch, height, width, channels]`.
      mean: vector, one element per channel.
      variance: vector, one element per channel.
      beta: vector, the new means.
      gamma: vector, the new standard deviations.
      variance_epsilon: a number that is added to the variance.
      scale_after_normalization: whether to multiply by `gamma`.
      name: ignored.

    Returns:
      An array of the shape and dtype of `input`.

    Raises:
      InvalidArgumentError: the dtypes differ, or the shapes do not broadcast.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/batch_norm_with_global_normalization
    """
    scale = gamma if scale_after_normalization else None
    function = "batch_norm_with_global_normalization"
    return _normalized(function, input, mean, variance, beta, scale, variance_epsilon)


def _normalized(function, x, mean, variance, offset, scale, epsilon):
    """Normalize an array by moments that broadcast with it."""
    x = operand(x)
    given = {"mean": mean, "variance": variance, "offset": offset, "scale": scale}
    arrays = {n: operand(v, _dtype_beside(v, x)) for n, v in given.items() if v is not None}
    _check_one_dtype(function, arrays)
    checks.check_kind(function, "inexact", x, *arrays.values())
    x, *rest = broadcasting(function, x, *arrays.values())
    arrays = dict(zip(arrays, rest, strict=True))
    factor = inverse_root(arrays["variance"] + epsilon)
    if "scale" in arrays:
        factor = factor * arrays["scale"]
    shift = -arrays["mean"] * factor
    if "offset" in arrays:
        shift = arrays["offset"] - arrays["mean"] * factor
    return x * factor.astype(x.dtype) + shift.astype(x.dtype)


def _dtype_beside(value, x):
    """Return the dtype to convert `value` to: that of `x` for a Python number, `None` for an array."""
    return None if hasattr(value, "dtype") else x.dtype


def _check_one_dtype(function, arrays) -> None:
    """Check that all operands of a normalization have the same dtype.

    arrays: the operands by the names of their parameters.
    """
    if len({a.dtype for a in arrays.values()}) > 1:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                "the moments have several dtypes.",
                required="moments of the same dtype",
                received=", ".join(f"{n} {describe(a)}" for n, a in arrays.items()),
            )
        )


@operator
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Compute mean and variance from sufficient statistics.

    Args:
      counts: scalar, the number of elements.
      mean_ss: floating-point array, the sums of the (shifted) elements.
      variance_ss: the sums of their squares.
      shift: the number that was subtracted from the elements; 0 when `None`.
      name: ignored.

    Returns:
      `(mean, variance)`.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/normalize_moments
    """
    total, squares = operand(mean_ss), operand(variance_ss)
    divisor = reciprocal(operand(counts, total.dtype))
    shifted = total * divisor
    mean = shifted if shift is None else shifted + operand(shift, total.dtype)
    seconds, firsts = broadcasting("normalize_moments", squares * divisor, jnp.square(shifted))
    return mean, seconds - firsts


@operator
def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    """Compute the sums from which mean and variance follow.

    Args:
      x: floating-point array.
      axes: the axes to reduce.
      shift: a number that is subtracted from the elements first.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      The number of elements, their sums, the sums of their squares, and `shift`.

    Raises:
      InvalidArgumentError: `axis` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is not counted.

    https://www.tensorflow.org/api_docs/python/tf/nn/sufficient_statistics
    """
    x = operand(x)
    checks.check_kind("sufficient_statistics", "inexact", x)
    axes = axes_of("sufficient_statistics", axes, x.ndim, name="axes", twice="once")
    count = math.prod(x.shape[i] for i in axes)
    number = count if is_known(count) else primitives.as_size(count)
    if shift is not None:
        shift = operand(shift, x.dtype)
    moved = x if shift is None else x - shift
    total = jnp.sum(moved, axis=axes, keepdims=keepdims)
    squares = jnp.sum(jnp.square(moved), axis=axes, keepdims=keepdims)
    return jnp.asarray(number, x.dtype), total, squares, shift


@operator
def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    """Compute weighted mean and variance over axes.

    Args:
      x: floating-point array.
      axes: the axes to reduce.
      frequency_weights: the weights of the elements; broadcast with `x`. The moments are 0 if the
        weights sum to 0.
      keepdims: whether to keep the reduced axes with size 1.
      name: ignored.

    Returns:
      `(mean, variance)`.

    Raises:
      InvalidArgumentError: the shapes do not broadcast, or `axis` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    https://www.tensorflow.org/api_docs/python/tf/nn/weighted_moments
    """
    x = operand(x)
    checks.check_kind("weighted_moments", "inexact", x)
    axes = axes_of("weighted_moments", axes, x.ndim, name="axes")
    wide = x.astype(jnp.float32) if x.dtype == jnp.float16 else x
    weights = operand(frequency_weights).astype(wide.dtype)
    wide, weights = broadcasting("weighted_moments", wide, weights)
    total = jnp.sum(weights + jnp.zeros_like(wide), axis=axes, keepdims=True)
    mean = quotient_or_zero(jnp.sum(weights * wide, axis=axes, keepdims=True), total)
    distances = jnp.sum(weights * squared_distance(wide - mean), axis=axes, keepdims=True)
    spread = quotient_or_zero(distances, total)
    if not keepdims:
        mean, spread = lax.squeeze(mean, axes), lax.squeeze(spread, axes)
    return mean.astype(x.dtype), spread.astype(x.dtype)


@preferring("float32", "input")
@operator
def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """Normalize each element by the squares of neighboring channels.

    Args:
      input: array `[batch, height, width, channels]`, float32, float16 or bfloat16.
      depth_radius: the number of neighboring channels on each side.
      bias: a number that is added to the sum of squares.
      alpha: the factor of the sum of squares.
      beta: the exponent.
      name: ignored.

    Returns:
      `input / (bias + alpha * squares) ** beta`.

    Raises:
      InvalidArgumentError: `input` has the wrong number of axes or an unsupported dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/local_response_normalization
    """
    x = operand(input)
    if x.dtype.name not in ("float32", "float16", "bfloat16"):
        raise errors.DtypeMismatchError(
            errors.message(
                "local_response_normalization",
                f"there is no kernel for {x.dtype.name}.",
                required="float32, float16 or bfloat16",
                received=describe(x),
            )
        )
    if x.ndim != 4:
        raise checks.invalid(
            "local_response_normalization", "`input` must have 4 axes.", received=describe(x)
        )
    # A product with a band matrix, as in TensorFlow, in which a NaN spreads to all channels.
    channel = jnp.arange(x.shape[-1], dtype=jnp.int32)
    band = jnp.abs(channel[:, None] - channel) <= int(depth_radius)
    squares = jnp.matmul(jnp.square(x), band.astype(x.dtype), precision="highest")
    return x * jnp.power(bias + alpha * squares, -beta)
