"""Provide fake quantization: rounding to values that integers of few bits can represent."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import fixed
from shims._src.arguments.operands import agreeing, check_alike, matching, meeting, operand
from shims._src.numeric.exact_quotient import quotient
from shims._src.numeric.separate_rounding import rounded_product
from shims._src.tracing.dispatch import operator


class FakeQuantGradients(NamedTuple):
    """The gradients of the inputs and of both ends of the range."""

    backprops_wrt_input: jax.Array
    backprop_wrt_min: jax.Array
    backprop_wrt_max: jax.Array


# ---- fake_quant_with_min_max_* -------------------------------------------------------------------


def _levels(function, num_bits, narrow_range) -> tuple[int, int]:
    """Return the lowest and the highest quantized integer for a number of bits."""
    num_bits = checks.static_int(function, "num_bits", num_bits)
    if not 2 <= num_bits <= 16:
        raise checks.invalid(
            function,
            "`num_bits` is out of range.",
            required="num_bits in [2, 16]",
            received=f"{num_bits}",
        )
    return int(bool(narrow_range)), 2**num_bits - 1


def _nudge_range(low, high, levels):
    """Shift a range so that 0 is representable; return its ends and the quantization step."""
    lowest, highest = levels
    # An exact quotient: with a reciprocal, halves would be rounded wrongly.
    step = quotient(high - low, jnp.asarray(highest - lowest, high.dtype))
    zero = lowest - quotient(low, step)
    # NaN becomes 0, as in TensorFlow's cast to an integer, even if 0 is below the lowest integer.
    rounded = jnp.where(jnp.isnan(zero), 0, _rounded(zero))
    zero = jnp.where(zero < lowest, lowest, jnp.where(zero > highest, highest, rounded))
    return (lowest - zero) * step, (highest - zero) * step, step


def _rounded(x):
    """Round halves away from zero, as the C library does."""
    return jnp.sign(x) * jnp.floor(jnp.abs(x) + 0.5)


def _quantized(x, low, high, levels, divides):
    """Quantize numbers, and convert them back to floating point."""
    start, end, step = _nudge_range(low, high, levels)
    lowest, highest = levels
    # To round halves as TensorFlow does: one of its kernels divides by the step, the other two
    # multiply by this factor, which differs from `1 / step` in rounding.
    inverse = quotient(0 * high + (highest - lowest), high - low)
    clamped = jnp.where(x > end, end, x)
    clamped = jnp.where(clamped < start, start, clamped)
    zero = jnp.floor(rounded_product(-start, inverse) + 0.5)
    above = clamped - start
    steps = quotient(above, step) if divides else rounded_product(above, inverse)
    value = jnp.floor(steps - zero + 0.5) * step
    return jnp.where((low == 0) & (high == 0), jnp.zeros_like(value), value)


def _masks(x, low, high, levels):
    """Return masks of numbers inside, below and above the range; if it is empty, all are inside."""
    start, end, _ = _nudge_range(low, high, levels)
    empty = (low == 0) & (high == 0)
    within = empty | ((x >= start) & (x <= end))
    return within, ~empty & (x < start), ~empty & (x > end)


def _gradients(dy, x, low, high, levels):
    """Compute the gradients of the inputs and of both ends of the range, not yet summed."""
    check_alike("fake_quant_gradient", gradients=dy, inputs=x)
    dy, x = agreeing("fake_quant_gradient", [dy, x], range(x.ndim))
    dy, x = lax.stop_gradient(dy), lax.stop_gradient(x)  # as in TensorFlow
    return tuple(_masked(mask, dy, low, high) for mask in _masks(x, low, high, levels))


def _masked(mask, slope, low, high):
    """Return `slope` where the mask is true, and `0 * slope` elsewhere, as TensorFlow does.

    A `slope` that is not finite therefore gives NaN outside of the mask, unless the range is empty:
    then the result is 0.
    """
    nothing = jnp.where((low == 0) & (high == 0), 0, slope)
    return jnp.where(mask, slope, 0 * nothing)


def _fake_quantized(x, low, high, levels, *, divides=False):
    """Fake-quantize numbers; the gradient flows to `x` inside of the range, and to its ends outside."""

    @jax.custom_jvp
    def rounding(x, low, high):
        return _quantized(x, low, high, levels, divides)

    @rounding.defjvp
    def _jvp(primals, tangents):
        x, low, high = primals
        tx, low_t, high_t = tangents
        within, below, above = _masks(x, low, high, levels)
        masked = ((within, tx), (below, low_t), (above, high_t))
        return rounding(x, low, high), sum(_masked(m, t, low, high) for m, t in masked)

    return rounding(x, low, high)


def _scalars(function, inputs, low, high):
    """Convert the inputs and the two scalar ends of a range to arrays."""
    x, low, high = matching(function, inputs=inputs, min=low, max=high)
    if low.ndim or high.ndim:
        raise checks.invalid(
            function, "`min` and `max` must be scalars.", required="rank 0", received="arrays"
        )
    return x, low, high


def _channels(function, inputs, low, high):
    """Convert the inputs and the ends of one range per channel to arrays."""
    x, low, high = matching(function, inputs=inputs, min=low, max=high)
    for name, end in (("min", low), ("max", high)):
        checks.check_vector(function, name, end)
        sizes = (end.shape[0], x.shape[-1])
        if all(map(checks.is_known, sizes)) and sizes[0] != sizes[1]:
            raise checks.invalid(
                function,
                f"`{name}` has incorrect size.",
                required=f"{sizes[1]}, one for each channel",
                received=f"{sizes[0]}",
            )
    x, low = meeting(function, x, x.ndim - 1, low, 0)
    x, high = meeting(function, x, x.ndim - 1, high, 0)
    return x, low, high


def _fixed_range(function, inputs, low, high):
    """Convert the inputs, and a range given as Python numbers, to arrays."""
    if low >= high:
        raise checks.invalid(
            function, "`min` must be smaller than `max`.", received=f"{low} >= {high}"
        )
    x = operand(inputs)
    return x, jnp.asarray(low, x.dtype), jnp.asarray(high, x.dtype)


@fixed("float32", "inputs")
@operator
def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Fake-quantize numbers in a constant range.

    Args:
      inputs: float32 array.
      min: the lower end of the range.
      max: the upper end of the range, above `min`.
      num_bits: between 2 and 16.
      narrow_range: whether the lowest integer is 1 instead of 0.
      name: ignored.

    Returns:
      An array of the shape of `inputs`. Its gradient flows to `inputs` inside of the range only.

    Raises:
      InvalidArgumentError: the number of bits is not between 2 and 16, the range is empty, or
        TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      The gradient can be differentiated again; TensorFlow has no second derivative.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/quantization/fake_quant_with_min_max_args
    """
    levels = _levels("fake_quant_with_min_max_args", num_bits, narrow_range)
    return _fake_quantized(*_fixed_range("fake_quant_with_min_max_args", inputs, min, max), levels)


@fixed("float32", "gradients", "inputs")
@operator
def fake_quant_with_min_max_args_gradient(
    gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None
):
    """Compute the gradient of `fake_quant_with_min_max_args`.

    Args:
      gradients: float32 array, the gradient of the result.
      inputs: float32 array.
      min: the lower end of the range.
      max: the upper end of the range, above `min`.
      num_bits: between 2 and 16.
      narrow_range: whether the lowest integer is 1 instead of 0.
      name: ignored.

    Returns:
      The gradient of `inputs`.

    Raises:
      InvalidArgumentError: the number of bits is not between 2 and 16, the range is empty, or
        TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/quantization/fake_quant_with_min_max_args_gradient
    """
    levels = _levels("fake_quant_with_min_max_args_gradient", num_bits, narrow_range)
    x, low, high = _fixed_range("fake_quant_with_min_max_args_gradient", inputs, min, max)
    return _gradients(operand(gradients, x.dtype), x, low, high, levels)[0]


@fixed("float32", "inputs", "min", "max")
@operator
def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Fake-quantize numbers in a range given by scalars.

    Args:
      inputs: float32 array.
      min: float32 scalar, the lower end of the range.
      max: float32 scalar, the upper end of the range.
      num_bits: between 2 and 16.
      narrow_range: whether the lowest integer is 1 instead of 0.
      name: ignored.

    Returns:
      An array of the shape of `inputs`. Its gradient flows to `inputs` inside of the range, to
      `min` for values below the range, and to `max` for values above the range.

    Raises:
      InvalidArgumentError: the number of bits is not between 2 and 16, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      The gradient can be differentiated again; TensorFlow has no second derivative.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/quantization/fake_quant_with_min_max_vars
    """
    levels = _levels("fake_quant_with_min_max_vars", num_bits, narrow_range)
    operands = _scalars("fake_quant_with_min_max_vars", inputs, min, max)
    return _fake_quantized(*operands, levels, divides=True)


@fixed("float32", "gradients", "inputs", "min", "max")
@operator
def fake_quant_with_min_max_vars_gradient(
    gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None
):
    """Compute the gradients of `fake_quant_with_min_max_vars`.

    Args:
      gradients: float32 array, the gradient of the result.
      inputs: float32 array.
      min: float32 scalar, the lower end of the range.
      max: float32 scalar, the upper end of the range.
      num_bits: between 2 and 16.
      narrow_range: whether the lowest integer is 1 instead of 0.
      name: ignored.

    Returns:
      The gradients of `inputs`, of `min` and of `max`.

    Raises:
      InvalidArgumentError: the number of bits is not between 2 and 16, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Elementwise, with sums for `min` and `max`; sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/quantization/fake_quant_with_min_max_vars_gradient
    """
    levels = _levels("fake_quant_with_min_max_vars_gradient", num_bits, narrow_range)
    x, low, high = _scalars("fake_quant_with_min_max_vars_gradient", inputs, min, max)
    dx, below, above = _gradients(operand(gradients, x.dtype), x, low, high, levels)
    return FakeQuantGradients(dx, jnp.sum(below), jnp.sum(above))


@fixed("float32", "inputs", "min", "max")
@operator
def fake_quant_with_min_max_vars_per_channel(
    inputs, min, max, num_bits=8, narrow_range=False, name=None
):
    """Fake-quantize numbers in one range per channel.

    Args:
      inputs: float32 array.
      min: float32 vector, one for each channel of the last axis.
      max: float32 vector, one for each channel.
      num_bits: between 2 and 16.
      narrow_range: whether the lowest integer is 1 instead of 0.
      name: ignored.

    Returns:
      An array of the shape of `inputs`. Its gradient flows to `inputs` inside of the range, to
      `min` for values below the range, and to `max` for values above the range.

    Raises:
      InvalidArgumentError: the number of bits is not between 2 and 16, the sizes differ, or
        TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      The gradient can be differentiated again; TensorFlow has no second derivative.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/quantization/fake_quant_with_min_max_vars_per_channel
    """
    levels = _levels("fake_quant_with_min_max_vars_per_channel", num_bits, narrow_range)
    return _fake_quantized(
        *_channels("fake_quant_with_min_max_vars_per_channel", inputs, min, max), levels
    )


@fixed("float32", "gradients", "inputs", "min", "max")
@operator
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None
):
    """Compute the gradients of `fake_quant_with_min_max_vars_per_channel`.

    Args:
      gradients: float32 array, the gradient of the result.
      inputs: float32 array.
      min: float32 vector, one for each channel of the last axis.
      max: float32 vector, one for each channel.
      num_bits: between 2 and 16.
      narrow_range: whether the lowest integer is 1 instead of 0.
      name: ignored.

    Returns:
      The gradients of `inputs`, of `min` and of `max`; the gradients of `min` and `max` are
      vectors.

    Raises:
      InvalidArgumentError: the number of bits is not between 2 and 16, the sizes differ, or
        TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Elementwise, with sums for `min` and `max`; sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/quantization/fake_quant_with_min_max_vars_per_channel_gradient
    """
    levels = _levels("fake_quant_with_min_max_vars_per_channel_gradient", num_bits, narrow_range)
    x, low, high = _channels("fake_quant_with_min_max_vars_per_channel_gradient", inputs, min, max)
    dx, below, above = _gradients(operand(gradients, x.dtype), x, low, high, levels)
    axes = tuple(range(x.ndim - 1))
    return FakeQuantGradients(dx, jnp.sum(below, axes), jnp.sum(above, axes))
