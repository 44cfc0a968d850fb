"""Provide symmetric quantization and dequantization."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import matching
from shims._src.math.over_axes import largest, smallest
from shims._src.numeric.separate_rounding import rounded_product
from shims._src.tracing.dispatch import operator


def _extent(function, num_bits, signed, narrow) -> tuple[float, float]:
    """Return the lowest and the highest quantized integer for a number of bits."""
    bits = checks.static_int(function, "num_bits", num_bits)
    if not (1 <= bits <= 62):
        raise checks.invalid(
            function, "`num_bits` is out of range.", required="num_bits in [1, 62]"
        )
    if signed:
        return float(-(1 << (bits - 1)) + bool(narrow)), float((1 << (bits - 1)) - 1)
    return float(bool(narrow)), float((1 << bits) - 1)


def _steps(low, high, extent):
    """Compute the scale, its inverse (the step size), and the ends of the quantized range."""
    lowest, highest = (jnp.asarray(v, low.dtype) for v in extent)
    huge = jnp.finfo(low.dtype).max
    from_low = jnp.where(lowest * low > 0, lowest / low, huge)
    from_high = jnp.where(highest * high > 0, highest / high, huge)
    by_low = from_low < from_high
    unit = jnp.where(by_low, low / lowest, high / highest)
    scale = jnp.where(by_low, from_low, from_high)
    return (
        scale,
        unit,
        jnp.where(by_low, low, lowest * unit),
        jnp.where(by_low, highest * unit, high),
    )


def _rounded(x, mode):
    """Round to integers, with halves to even or up as `mode` says."""
    return jnp.round(x) if mode == "HALF_TO_EVEN" else jnp.floor(x + 0.5)


def _operands(function, x, low, high, axis, *, is_used):
    """Convert the operands to the same dtype, with the range broadcastable along `axis`.

    A range that is not used is replaced by 0.
    """
    x, low, high = matching(function, input=x, input_min=low, input_max=high)
    if not is_used:
        low = high = jnp.zeros(() if axis is None or axis == -1 else (1,), x.dtype)
    if axis is None or axis == -1:
        if low.ndim or high.ndim:
            raise checks.invalid(
                function, "the range must consist of two scalars.", required="rank 0"
            )
        return x, low, high, None
    place = checks.axis_of(function, axis, x.ndim)
    for name, end in (("input_min", low), ("input_max", high)):
        checks.check_vector(function, name, end)
        sizes = end.shape[0], x.shape[place]
        if all(map(checks.is_known, sizes)) and sizes[0] not in (1, sizes[1]):
            raise checks.invalid(
                function,
                f"`{name}` has {sizes[0]} numbers instead of one for each slice.",
                required=f"{sizes[1]} numbers, the size of axis {place}",
            )
    others = tuple(a for a in range(x.ndim) if a != place)
    return x, lax.expand_dims(low, others), lax.expand_dims(high, others), others


def _quantized(function, x, low, high, others, options):
    """Quantize numbers, and convert them back to floating point."""
    signed, num_bits, given, mode, narrow, _ = options
    if mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise checks.invalid(
            function, "`round_mode` is unknown.", required="HALF_TO_EVEN or HALF_UP"
        )
    extent = _extent(function, num_bits, signed, narrow)
    if given:
        checks.check_data(
            low > high, function, "the range is empty.", required="input_min <= input_max"
        )
    else:
        axes = tuple(range(x.ndim)) if others is None else others
        low, high = (lax.expand_dims(f(x, axes), axes) for f in (smallest, largest))
    scale, unit, low, high = _steps(low, high, extent)
    if given:
        x = jnp.where(x > high, high, jnp.where(x < low, low, x))
    return _rounded(rounded_product(x, scale), mode) * unit


@operator
def quantize_and_dequantize_v2(
    input,
    input_min,
    input_max,
    signed_input=True,
    num_bits=8,
    range_given=False,
    round_mode="HALF_TO_EVEN",
    name=None,
    narrow_range=False,
    axis=None,
):
    """Quantize numbers symmetrically to integers of few bits, and dequantize them.

    Args:
      input: float32 or float64 array.
      input_min: the lower end of the range; a vector if `axis` is given.
      input_max: the upper end of the range; a vector if `axis` is given.
      signed_input: whether the integers are signed.
      num_bits: the number of bits of the integers.
      range_given: whether to use the given range; otherwise the range of `input`.
      round_mode: `HALF_TO_EVEN` or `HALF_UP`.
      name: ignored.
      narrow_range: whether the lowest integer is unused.
      axis: the axis along which each slice has its own range.

    Returns:
      An array of the shape of `input`. Its gradient is 1 inside of the given range and 0 outside.

    Raises:
      InvalidArgumentError: the range is empty, or does not have one number per slice (even if it is
        not used), or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Elementwise, after a minimum and a maximum over the elements if no range is given. An empty range
      raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/quantization/quantize_and_dequantize_v2
    """
    options = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _with_gradient(
        "quantize_and_dequantize_v2", input, input_min, input_max, options, clip=True
    )


@operator
def quantize_and_dequantize(
    input,
    input_min,
    input_max,
    signed_input=True,
    num_bits=8,
    range_given=False,
    round_mode="HALF_TO_EVEN",
    name=None,
    narrow_range=False,
    axis=None,
):
    """Quantize numbers symmetrically to integers of few bits, and dequantize them.

    Args:
      input: float32 or float64 array.
      input_min: the lower end of the range; a vector if `axis` is given.
      input_max: the upper end of the range; a vector if `axis` is given.
      signed_input: whether the integers are signed.
      num_bits: the number of bits of the integers.
      range_given: whether to use the given range; otherwise the range of `input`.
      round_mode: `HALF_TO_EVEN` or `HALF_UP`.
      name: ignored.
      narrow_range: whether the lowest integer is unused.
      axis: the axis along which each slice has its own range.

    Returns:
      An array of the shape of `input`. Its gradient is 1 everywhere.

    Raises:
      InvalidArgumentError: the given range is empty, or does not have one number per slice, or
        TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      A range that is not used may have any size; TensorFlow checks this size inside of a function.

    Under jit:
      Elementwise, after a minimum and a maximum over the elements if no range is given. An empty range
      raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/quantization/quantize_and_dequantize
    """
    options = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _with_gradient(
        "quantize_and_dequantize", input, input_min, input_max, options, clip=False
    )


def _with_gradient(function, x, low, high, options, *, clip):
    """Quantize with a straight-through gradient; if `clip`, it is 0 outside of the given range."""
    is_used = clip or options[2]
    x, low, high, others = _operands(function, x, low, high, options[-1], is_used=is_used)
    value = lax.stop_gradient(_quantized(function, x, low, high, others, options))
    if not clip:
        return _straight_through(value, x)
    within = lax.stop_gradient((x >= low) & (x <= high))
    # Outside of the range the gradient is multiplied by 0; the range itself has a gradient of 0.
    through = jnp.where(within, x, 0 * jnp.where(within, low + high, x))
    return _straight_through(value, through)


@jax.custom_jvp
def _straight_through(value, x):
    """Return `value`, with the gradient of `x`."""
    return value


@_straight_through.defjvp
def _straight_jvp(primals, tangents):
    (value, x), (_, tx) = primals, tangents
    return _straight_through(value, x), tx
