"""Provide depthwise and separable convolutions, and their derivatives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known_shape
from shims._src.arguments.operands import describe, matching, operand
from shims._src.array.shapes import sizes_of
from shims._src.errors import errors
from shims._src.nn.windows.convolution import (
    check_elements,
    convolved,
    slide,
    unfitting,
    windows_of,
)
from shims._src.nn.windows.frame import spans
from shims._src.nn.windows.layout import channels_back, channels_last, is_channels_first
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_FLOATS = ("float16", "bfloat16", "float32", "float64")


@operator
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    """Compute a two-dimensional depthwise convolution.

    Args:
      input: floating-point array `[batch, height, width, channels]` (`NHWC`) or
        `[batch, channels, height, width]`.
      filter: array `[height, width, channels, multiplier]` of the same dtype.
      strides: four numbers, one for every axis.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      dilations: the distance between the kernel's elements, in height and width.
      name: ignored.

    Returns:
      An array `[batch, new_height, new_width, channels * multiplier]`, or with the channels first.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit, or the kernel is larger than the
        padded input.
      TypeError: `strides` or `dilations` is a number.
      UnimplementedError: `strides` and `dilations` are both greater than 1, or a stride over the batch or the
        channels.

    Differs from TensorFlow:
      If both strides and dilations are above 1, TensorFlow's result depends on how TensorFlow
      divides the work; `shims` rejects this combination.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time. With `VALID`
      and a stride above 1, the input must then be at least as large as one kernel.

    https://www.tensorflow.org/api_docs/python/tf/nn/depthwise_conv2d
    """
    return _depthwise("depthwise_conv2d", input, filter, strides, padding, data_format, dilations)


def _depthwise(function, x, kernel, strides, padding, data_format, dilations):
    """Check the arguments, and compute a depthwise convolution."""
    _check_options(function, strides, dilations)
    first = is_channels_first(function, data_format, 2)
    windows = windows_of(function, kernel, 2, strides, padding, dilations, first)
    x, kernel = matching(function, input=x, filter=kernel)
    if x.dtype.name not in _FLOATS:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                f"there is no kernel for {x.dtype.name}.",
                required=", ".join(_FLOATS),
                received=describe(x),
            )
        )
    if x.ndim != 4:
        raise unfitting(function, x, kernel, "an input of 4 axes")
    x = channels_last(x, first)
    height, width, channels, multiplier = kernel.shape
    checks.check_known(function, "elements of the kernel", x.shape[-1], *kernel.shape)
    if x.shape[-1] != channels:
        raise unfitting(function, x, kernel, "as many channels as `filter` has")
    check_elements(function, x, kernel)
    kernel = kernel.reshape(height, width, 1, channels * multiplier)
    out = slide(windows, spans(windows, x.shape[1:-1]), x, kernel, channels)
    return channels_back(out, first)


def _check_options(function, strides, dilations) -> None:
    if np.ndim(strides) != 1:
        raise TypeError(f"{function}: Expected list for 'strides' argument, not {strides}.")
    if len(strides) != 4:
        raise checks.invalid(
            function, "`strides` must contain four numbers.", received=f"{tuple(strides)}"
        )
    if dilations is not None and np.ndim(dilations) != 1:
        raise TypeError(f"{function}: Expected list for 'dilations' argument, not {dilations}.")
    if max(strides) > 1 and max(dilations or (1,)) > 1:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "`strides` and `dilations` are both greater than 1.",
                required="`strides` or `dilations` equal to 1",
                received=f"strides={tuple(strides)}, dilations={tuple(dilations)}",
                do="convolve without strides and slice the result: `y[:, ::2, ::2]`",
            )
        )


@operator
def separable_conv2d(
    input,
    depthwise_filter,
    pointwise_filter,
    strides,
    padding,
    data_format=None,
    dilations=None,
    name=None,
):
    """Compute a depthwise convolution, followed by a pointwise convolution.

    Args:
      input: floating-point array `[batch, height, width, channels]` (`NHWC`) or
        `[batch, channels, height, width]`.
      depthwise_filter: array `[height, width, channels, multiplier]` of the same dtype.
      pointwise_filter: array `[1, 1, channels * multiplier, out]` of the same dtype.
      strides: four numbers, one for every axis.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      dilations: the distance between the kernel's elements, in height and width.
      name: ignored.

    Returns:
      An array `[batch, new_height, new_width, out]`, or with the channels first.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit, or the kernel is larger than the
        padded input.
      ValueError: the height or width of `pointwise_filter` is not 1.
      TypeError: `strides` or `dilations` is a number.
      UnimplementedError: `strides` and `dilations` are both greater than 1.

    Differs from TensorFlow:
      Strides and dilations above 1 together are rejected.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/separable_conv2d
    """
    function = "separable_conv2d"
    shape = operand(pointwise_filter).shape
    if shape[:2] != (1, 1):
        raise ValueError(
            f"{function}: `pointwise_filter` must be of height and width 1. Received: shape {shape}"
        )
    x = _depthwise(function, input, depthwise_filter, strides, padding, data_format, dilations)
    pointwise = operand(pointwise_filter, x.dtype)
    channels = x.shape[1 if data_format == "NCHW" else -1]
    if pointwise.shape[2] != channels:
        raise unfitting(function, x, pointwise, f"{channels} channels in `pointwise_filter`")
    return convolved(function, 2, x, pointwise, 1, "VALID", data_format, None)


@operator
def depthwise_conv2d_backprop_input(
    input_sizes,
    filter,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, never changed
    name=None,
):
    """Compute the gradient of `depthwise_conv2d` with respect to its input.

    Args:
      input_sizes: the shape of the input.
      filter: array `[height, width, channels, multiplier]`.
      out_backprop: the gradient of the result.
      strides: four numbers, one for every axis.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      dilations: must be 1 for every axis.
      name: ignored.

    Returns:
      An array of the shape `input_sizes`.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit.
      UnimplementedError: a dilation is not 1.

    Differs from TensorFlow:
      `dilations` above 1 are rejected; TensorFlow ignores them on CPU.

    Under jit:
      The sizes must be known while the program is traced.

    https://www.tensorflow.org/api_docs/python/tf/nn/depthwise_conv2d_backprop_input
    """
    function = "depthwise_conv2d_backprop_input"
    _check_undilated(function, dilations)
    back, kernel = matching(function, out_backprop=out_backprop, filter=filter)
    zeros = jnp.zeros(sizes_of(function, input_sizes), back.dtype)
    of_input = lambda x: _depthwise(function, x, kernel, strides, padding, data_format, None)
    return _pull_back(function, of_input, zeros, back, kernel)


@operator
def depthwise_conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    data_format="NHWC",
    dilations=[1, 1, 1, 1],  # noqa: B006 - TensorFlow's default, never changed
    name=None,
):
    """Compute the gradient of `depthwise_conv2d` with respect to its kernel.

    Args:
      input: array `[batch, height, width, channels]` or `[batch, channels, height, width]`.
      filter_sizes: the shape of the kernel.
      out_backprop: the gradient of the result.
      strides: four numbers, one for every axis.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      dilations: must be 1 for every axis.
      name: ignored.

    Returns:
      An array of the shape `filter_sizes`.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit.
      UnimplementedError: a dilation is not 1.

    Differs from TensorFlow:
      `dilations` above 1 are rejected; TensorFlow ignores them on CPU.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/depthwise_conv2d_backprop_filter
    """
    function = "depthwise_conv2d_backprop_filter"
    _check_undilated(function, dilations)
    x, back = matching(function, input=input, out_backprop=out_backprop)
    zeros = jnp.zeros(sizes_of(function, filter_sizes), back.dtype)
    of_kernel = lambda k: _depthwise(function, x, k, strides, padding, data_format, None)
    return _pull_back(function, of_kernel, zeros, back, x)


def _check_undilated(function, dilations) -> None:
    """Refuse dilations, which TensorFlow's kernels on CPU ignore."""
    if any(int(n) != 1 for n in dilations):
        raise errors.UnimplementedError(
            errors.message(
                function,
                "TensorFlow's kernel on CPU ignores `dilations`.",
                required="dilations=[1, 1, 1, 1]",
                received=f"dilations={list(dilations)}",
                do="differentiate `depthwise_conv2d` with these dilations: `jax.vjp` or `GradientTape`",
            )
        )


def _pull_back(function, linear, zeros, back, other):
    """Compute the vector-Jacobian product of a linear function for the cotangent `back`.

    If `zeros`, `back` or the other operand of the convolution is empty, the result is `zeros`.
    """
    if any(is_known_shape(a) and a.ndim == 4 and a.size == 0 for a in (zeros, back, other)):
        return zeros  # TensorFlow then checks no sizes
    # Under `shard_map`, the gradient for an operand that all devices share would be the sum of all devices.
    result, pull = jax.vjp(linear, jp.varying_as(zeros, (back, other)))
    if result.ndim != back.ndim:
        raise checks.invalid(
            function,
            "the shape of `out_backprop` differs from the shape of the convolution's result.",
            required=describe(result),
            received=describe(back),
        )
    for axis, size in enumerate(result.shape):
        back = primitives.unify_axis(back, axis, size, label=function)
    return pull(back)[0]
