"""Arrays shifted and scaled by their moments, and moments of other kinds."""

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
    """An array shifted and scaled to given moments.

    Args:
      x: floating-point array.
      mean: array that broadcasts with `x`.
      variance: array that broadcasts with `x`.
      offset: what the mean becomes; 0 when `None`.
      scale: what the deviation becomes; 1 when `None`.
      variance_epsilon: what is added to the variance first.
      name: ignored.

    Returns:
      `scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Raises:
      InvalidArgumentError: the dtypes differ, or the shapes do not broadcast.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Element by element.

    https://www.tensorflow.org/api_docs/python/tf/nn/batch_normalization
    """
    return _normalized("batch_normalization", x, mean, variance, offset, scale, variance_epsilon)


@operator
def batch_norm_with_global_normalization(
    input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None
):
    """An array shifted and scaled to given moments.

    Args:
      input: floating-point array `[batch, height, width, channels]`.
      mean: vector, one element per channel.
      variance: vector, one element per channel.
      beta: vector, what the mean becomes.
      gamma: vector, what the deviation becomes.
      variance_epsilon: what is added to the variance first.
      scale_after_normalization: whether `gamma` counts.
      name: ignored.

    Returns:
      An array like `input`.

    Raises:
      InvalidArgumentError: the dtypes differ, or the shapes do not broadcast.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Element by element.

    https://www.tensorflow.org/api_docs/python/tf/nn/batch_norm_with_global_normalization
    """
    scale = gamma if scale_after_normalization else None
    function = "batch_norm_with_global_normalization"
    return _normalized(function, input, mean, variance, beta, scale, variance_epsilon)


def _normalized(function, x, mean, variance, offset, scale, epsilon):
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
    """Numbers take the dtype of the array; arrays may have more precision than it."""
    return None if hasattr(value, "dtype") else x.dtype


def _check_one_dtype(function, arrays) -> None:
    if len({a.dtype for a in arrays.values()}) > 1:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                "the moments have several dtypes.",
                required="one dtype",
                received=", ".join(f"{n} {describe(a)}" for n, a in arrays.items()),
            )
        )


@operator
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Mean and variance from sums.

    Args:
      counts: scalar, how many elements were added up.
      mean_ss: floating-point array, the sums of the (shifted) elements.
      variance_ss: the sums of their squares.
      shift: what was taken away from the elements; 0 when `None`.
      name: ignored.

    Returns:
      `(mean, variance)`.

    Raises:
      InvalidArgumentError: the dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Element by element.

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
    """The sums that mean and variance follow from.

    Args:
      x: floating-point array.
      axes: the axes to add up over.
      shift: what is taken away from the elements first.
      keepdims: keep those axes with size 1.
      name: ignored.

    Returns:
      The number of elements, their sums, the sums of their squares, and `shift`.

    Raises:
      InvalidArgumentError: there is no such axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Counts the selected elements.

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
    """Mean and variance of elements that count more or less.

    Args:
      x: floating-point array.
      axes: the axes to reduce.
      frequency_weights: how much each element counts; broadcasts with `x`. Of no weight at all the
        moments are 0.
      keepdims: keep those axes with size 1.
      name: ignored.

    Returns:
      `(mean, variance)`.

    Raises:
      InvalidArgumentError: the shapes do not broadcast, or there is no such axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Adds up what is selected.

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
    """Every element divided by a power of the squares of the channels beside it.

    Args:
      input: array `[batch, height, width, channels]`, float32, float16 or bfloat16.
      depth_radius: how many channels on either side count.
      bias: what is added to the sum of squares.
      alpha: what the sum of squares is multiplied by.
      beta: the power.
      name: ignored.

    Returns:
      `input / (bias + alpha * squares) ** beta`.

    Raises:
      InvalidArgumentError: `input` has another number of axes or another dtype.

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
    # A product with a band of ones, as in TensorFlow: a NaN spoils all channels beside it.
    channel = jnp.arange(x.shape[-1], dtype=jnp.int32)
    band = jnp.abs(channel[:, None] - channel) <= int(depth_radius)
    squares = jnp.matmul(jnp.square(x), band.astype(x.dtype), precision="highest")
    return x * jnp.power(bias + alpha * squares, -beta)
