"""Provide transposed convolutions."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known, is_known_shape
from shims._src.arguments.operands import describe, matching, meeting
from shims._src.array.shapes import sizes_of
from shims._src.nn.windows.convolution import (
    DIMENSIONS,
    check_elements,
    check_kernel,
    unfitting,
    windows_of,
)
from shims._src.nn.windows.frame import spans
from shims._src.nn.windows.layout import (
    channels_back,
    channels_last,
    check_named,
    is_channels_first,
)
from shims._src.numeric.cpu_only import cpu_only
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import sized_by


@sized_by("output_shape")
def conv2d_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format="NHWC",
    dilations=None,
    name=None,
):
    """Compute the transpose of `conv2d`.

    Args:
      input: array `[batch, height, width, channels]` (`NHWC`) or `[batch, channels, height,
        width]`.
      filters: array `[height, width, out, channels]` of the same dtype.
      output_shape: the shape of the result, or its height and width.
      strides: one number, one for height and width each, or one for every axis.
      padding: the padding of the convolution, which is `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      dilations: the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: no convolution of an array of shape `output_shape` has the shape of
        `input`, or dtypes or options do not fit.
      ValueError: a list argument has the wrong length.
      UnimplementedError: a stride or a dilation over the batch or the channels, or integers on an
        accelerator.

    Differs from TensorFlow:
      Sizes that do not fit raise an error, where TensorFlow aborts the process.

    Under jit:
      The sizes of `input` may be known only at run time, and `output_shape` may be computed.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv2d_transpose
    """
    return _transposed(
        *("conv2d_transpose", 2, input, filters, output_shape),
        *(strides, padding, data_format, dilations),
    )


@sized_by("output_shape")
def conv1d_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format="NWC",
    dilations=None,
    name=None,
):
    """Compute the transpose of `conv1d`.

    Args:
      input: array `[batch, width, channels]` (`NWC`) or `[batch, channels, width]`.
      filters: array `[width, out, channels]` of the same dtype.
      output_shape: the shape of the result.
      strides: one number, or one for every axis.
      padding: the padding of the convolution, which is `SAME` or `VALID`.
      data_format: `NWC` or `NCW`.
      dilations: the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: no convolution of an array of shape `output_shape` has the shape of
        `input`, or dtypes or options do not fit.
      ValueError: a list argument has the wrong length.
      UnimplementedError: a stride or a dilation over the batch or the channels, or integers on an
        accelerator.

    Differs from TensorFlow:
      Sizes that do not fit raise an error, where TensorFlow aborts the process.

    Under jit:
      The sizes of `input` may be known only at run time, and `output_shape` may be computed.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv1d_transpose
    """
    return _transposed(
        *("conv1d_transpose", 1, input, filters, output_shape),
        *(strides, padding, data_format, dilations),
    )


@sized_by("output_shape")
def conv3d_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format="NDHWC",
    dilations=None,
    name=None,
):
    """Compute the transpose of `conv3d`.

    Args:
      input: array `[batch, depth, height, width, channels]` (`NDHWC`), or with the channels after
        the batch.
      filters: array `[depth, height, width, out, channels]` of the same dtype.
      output_shape: the shape of the result.
      strides: one number, one for each spatial axis, or one for every axis.
      padding: the padding of the convolution, which is `SAME` or `VALID`.
      data_format: `NDHWC` or `NCDHW`.
      dilations: the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: no convolution of an array of shape `output_shape` has the shape of
        `input`, or dtypes or options do not fit.
      ValueError: a list argument has the wrong length.
      UnimplementedError: a stride or a dilation applies to the batch or the channels.

    Differs from TensorFlow:
      Sizes that do not fit raise an error, where TensorFlow aborts the process.

    Under jit:
      The sizes of `input` may be known only at run time, and `output_shape` may be computed.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv3d_transpose
    """
    check_named("conv3d_transpose", padding)
    return _transposed(
        *("conv3d_transpose", 3, input, filters, output_shape),
        *(strides, padding, data_format, dilations),
    )


@sized_by("output_shape")
def conv_transpose(
    input,
    filters,
    output_shape,
    strides,
    padding="SAME",
    data_format=None,
    dilations=None,
    name=None,
):
    """Compute the transpose of a convolution over one to three spatial axes.

    Args:
      input: array `[batch, *spatial, channels]`, or with the channels after the batch.
      filters: array `[*spatial, out, channels]` of the same dtype.
      output_shape: the shape of the result.
      strides: one number, or one for each spatial axis.
      padding: the padding of the convolution, which is `SAME` or `VALID`.
      data_format: as in `conv1d`, `conv2d` or `conv3d`.
      dilations: the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: no convolution of an array of shape `output_shape` has the shape of
        `input`, or dtypes or options do not fit.
      ValueError: `output_shape` is a number, or does not have one to three spatial axes.
      UnimplementedError: a stride or a dilation over the batch or the channels, or integers on an
        accelerator.

    Differs from TensorFlow:
      Sizes that do not fit raise an error, where TensorFlow aborts the process.

    Under jit:
      The sizes of `input` may be known only at run time, and `output_shape` may be computed.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv_transpose
    """
    if np.ndim(output_shape) == 0 and not hasattr(output_shape, "__len__"):
        raise ValueError(
            "`output_shape` must be a tensor or sized collection. "
            f"Received: output_shape={output_shape}"
        )
    count = len(entries_of(output_shape)) - 2
    if not 1 <= count <= 3:
        raise ValueError(
            f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape}"
        )
    return _transposed(
        *("conv_transpose", count, input, filters, output_shape),
        *(strides, padding, data_format, dilations),
    )


@sized_by("output_shape")
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """Compute the transpose of `atrous_conv2d`.

    Args:
      value: array `[batch, height, width, channels]`.
      filters: array `[height, width, out, channels]` of the same dtype.
      output_shape: the shape of the result.
      rate: the distance between the kernel's elements.
      padding: the padding of the convolution, which is `SAME` or `VALID`.
      name: ignored.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: no convolution of an array of shape `output_shape` has the shape of
        `value`, or dtypes or options do not fit.
      ValueError: `padding` is unknown.
      UnimplementedError: integers on an accelerator.

    Differs from TensorFlow:
      Sizes that do not fit raise an error, where TensorFlow aborts the process. Sizes must also fit
      if the result has no elements; TensorFlow does not check them then.

    Under jit:
      The sizes of `value` may be known only at run time, and `output_shape` may be computed.

    https://www.tensorflow.org/api_docs/python/tf/nn/atrous_conv2d_transpose
    """
    return _transposed(
        "atrous_conv2d_transpose", 2, value, filters, output_shape, 1, padding, "NHWC", rate
    )


def entries_of(shape):
    """Convert a `TensorShape` to a list; return other shapes unchanged."""
    return shape.as_list() if hasattr(shape, "as_list") else shape


def _transposed(function, count, y, kernel, output_shape, strides, padding, data_format, dilations):
    """Check the arguments, and compute a transposed convolution."""
    first = is_channels_first(function, data_format, count)
    windows = windows_of(function, kernel, count, strides, padding, dilations, first)
    y, kernel = matching(function, input=y, filters=kernel)
    check_kernel(function, count, y, kernel)
    y = cpu_only(function, y, describe(y))
    if y.ndim != count + 2:
        raise unfitting(function, y, kernel, f"an input of {count + 2} axes")
    y = channels_last(y, first)
    sizes = _output_sizes(function, y, kernel, sizes_of(function, output_shape), first)
    if _is_unchecked_empty(function, y, kernel, sizes):
        return channels_back(jnp.zeros(sizes, y.dtype), first)
    y, _ = meeting(function, y, y.ndim - 1, kernel, kernel.ndim - 1)
    if y.shape[-1] != kernel.shape[-1]:
        raise unfitting(function, y, kernel, "as many channels as the last axis of `filters`")
    _check_channels(function, sizes[-1], kernel)
    y = primitives.unify_axis(y, 0, sizes[0], label=function)
    all_spans = spans(windows, sizes[1:-1])
    for i, span in enumerate(all_spans):
        y = _require_window_count(function, y, i + 1, span.count)
    return channels_back(_scatter_kernel(windows, all_spans, y, kernel), first)


def _output_sizes(function, y, kernel, shape, first):
    """Return the sizes of the result, with the channels last."""
    if len(shape) == y.ndim - 2:
        return (y.shape[0], *shape, kernel.shape[-2])
    if len(shape) != y.ndim:
        raise checks.invalid(
            function, f"`output_shape` must contain {y.ndim} numbers.", received=f"{shape}"
        )
    return (shape[0], *shape[2:], shape[1]) if first else tuple(shape)


def _is_unchecked_empty(function, y, kernel, sizes) -> bool:
    """Return whether TensorFlow checks no sizes, since an operand or the result is empty.

    `atrous_conv2d_transpose` always checks sizes, so the result is false for it.
    """
    if function == "atrous_conv2d_transpose":
        check_elements(function, y, kernel)
        return False
    known = all(map(is_known, sizes)) and is_known_shape(y)
    return known and min(sizes) >= 0 and 0 in (*y.shape, *kernel.shape, *sizes)


def _check_channels(function, channels, kernel) -> None:
    checks.check_known(function, "channels", channels)
    if channels != kernel.shape[-2]:
        raise checks.invalid(
            function,
            "the number of channels in `output_shape` differs from the number of channels in `filters`.",
            required=f"{kernel.shape[-2]} channels",
            received=f"{channels}",
        )


def _require_window_count(function, y, axis, count):
    """Check that `y` has one element per window along an axis; return `y`."""
    if is_known(count) and is_known(y.shape[axis]) and count != y.shape[axis]:
        raise checks.invalid(
            function,
            "a convolution of an array of shape `output_shape` cannot have the shape of `input`.",
            required=f"size {count} along axis {axis}",
            received=f"input {describe(y)}",
        )
    return primitives.unify_axis(y, axis, count, label=function)


def _scatter_kernel(windows, all_spans, y, kernel):
    """Compute the transposed convolution: add the kernel, scaled by each element, at each window."""
    spatial = range(len(all_spans))
    around = []
    for i, (span, stride) in enumerate(zip(all_spans, windows.strides, strict=True)):
        reach, steps = windows.reach(i), (span.count - 1) * stride + 1
        low = reach - 1 - span.low
        around.append((low, span.size - low - steps + reach - 1))
    if all(is_known(n) for pair in around for n in pair):
        dilation, pads = windows.strides, around
    else:
        widths = [
            (low, high, s - 1) for (low, high), s in zip(around, windows.strides, strict=True)
        ]
        y = lax.pad(y, jnp.zeros((), y.dtype), [(0, 0, 0), *widths, (0, 0, 0)])
        dilation, pads = (1,) * len(widths), "VALID"
    return lax.conv_general_dilated(
        y,
        jnp.swapaxes(lax.rev(kernel, tuple(spatial)), -1, -2),
        (1,) * len(all_spans),
        pads,
        lhs_dilation=dilation,
        rhs_dilation=windows.dilations,
        dimension_numbers=DIMENSIONS[len(all_spans)],
        preferred_element_type=y.dtype,
    )
