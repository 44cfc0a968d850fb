"""Provide convolutions over one to three spatial axes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, matching, meeting, operand
from shims._src.errors import errors
from shims._src.nn.windows.frame import framed, spans
from shims._src.nn.windows.layout import (
    Windows,
    channels_back,
    channels_last,
    check_named,
    is_channels_first,
    padding_of,
    per_axis,
)
from shims._src.numeric.cpu_only import cpu_only
from shims._src.tracing.dispatch import operator

_FLOATS = ("float16", "bfloat16", "float32", "float64")
KERNELS = {1: (*_FLOATS, "int32"), 2: (*_FLOATS, "int32"), 3: _FLOATS}
# JAX's names of the axes, with the channels last.
DIMENSIONS = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NDHWC", "DHWIO", "NDHWC")}


@operator
def conv2d(input, filters, strides, padding, data_format="NHWC", dilations=None, name=None):
    """Compute a two-dimensional convolution.

    Args:
      input: array `[..., height, width, channels]` (`NHWC`) or `[..., channels, height, width]`.
      filters: array `[height, width, channels / groups, out]` of the same dtype.
      strides: one number, one number each for height and width, or one number for every axis.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      dilations: the distance between the kernel's elements, like `strides`.
      name: ignored.

    Returns:
      An array `[..., new_height, new_width, out]` for `NHWC`, `[..., out, new_height, new_width]` for
      `NCHW`. With `SAME`, if the total padding is odd, the extra element is added at the end.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit, or the kernel is larger than the
        padded input.
      ValueError: a list argument has the wrong length.
      UnimplementedError: a stride or a dilation applies to the batch or the channels, or the arrays
        are integers on an accelerator.

    Differs from TensorFlow:
      If the result has no elements, TensorFlow's CPU kernel returns its input instead.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time. With `VALID`
      and a stride above 1, the input must then be at least as large as one kernel. If `input` has
      NaN or infinities, more elements of the kernel's gradient may be NaN than in TensorFlow.

    Example:
      >>> import shims
      >>> print(shims.nn.conv2d(shims.ones([1, 3, 3, 1]), shims.ones([2, 2, 1, 1]), strides=1, padding="VALID")[0, :, :, 0])
      [[4. 4.]
       [4. 4.]]

    https://www.tensorflow.org/api_docs/python/tf/nn/conv2d
    """
    return convolved("conv2d", 2, input, filters, strides, padding, data_format, dilations)


@operator
def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):
    """Compute a one-dimensional convolution.

    Args:
      input: array `[..., width, channels]` (`NWC`) or `[..., channels, width]`.
      filters: array `[width, channels / groups, out]` of the same dtype.
      stride: one number, or one for every axis.
      padding: `SAME` or `VALID`.
      data_format: `NWC` or `NCW`.
      dilations: the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array `[..., new_width, out]`, or with the channels first.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit, or the kernel is larger than the
        padded input.
      ValueError: a list argument has the wrong length, or `data_format` is unknown.
      TypeError: `padding` is not a string.
      UnimplementedError: a stride or a dilation applies to the batch or the channels, or the arrays
        are integers on an accelerator.

    Differs from TensorFlow:
      If the result has no elements, TensorFlow's CPU kernel returns its input instead.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv1d
    """
    check_named("conv1d", padding)
    return convolved("conv1d", 1, input, filters, stride, padding, data_format, dilations)


@operator
def conv3d(input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None):
    """Compute a three-dimensional convolution.

    Args:
      input: array `[..., depth, height, width, channels]` (`NDHWC`), or with the channels in front
        of the spatial axes.
      filters: array `[depth, height, width, channels, out]` of the same dtype.
      strides: one number for every axis of `input`, five in all.
      padding: `SAME` or `VALID`.
      data_format: `NDHWC` or `NCDHW`.
      dilations: the distance between the kernel's elements, five numbers.
      name: ignored.

    Returns:
      An array `[..., new_depth, new_height, new_width, out]`, or with the channels first.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit, or the kernel is larger than the
        padded input.
      TypeError: `padding` is not a string, or `strides` not a list.
      UnimplementedError: a stride or a dilation applies to the batch or the channels.

    Differs from TensorFlow:
      If the result has no elements, TensorFlow's CPU kernel returns its input instead.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/conv3d
    """
    check_named("conv3d", padding)
    if np.ndim(strides) != 1:
        raise TypeError(f"conv3d: Expected list for 'strides' argument, not {strides}.")
    if len(strides) < 5:
        raise checks.invalid(
            "conv3d", "`strides` must contain five numbers.", received=f"{strides}"
        )
    return convolved("conv3d", 3, input, filters, strides, padding, data_format, dilations)


@operator
def convolution(
    input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None
):
    """Compute a convolution over as many spatial axes as the kernel has.

    Args:
      input: array `[..., *spatial, channels]`, or with the channels in front of the spatial axes.
      filters: array `[*spatial, channels / groups, out]` with one to three spatial axes.
      strides: one number, or one for each spatial axis.
      padding: `SAME` or `VALID`.
      data_format: as in `conv1d`, `conv2d` or `conv3d`.
      dilations: the distance between the kernel's elements.
      name: ignored.

    Returns:
      The result of `conv1d`, `conv2d` or `conv3d`.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit, or the kernel is larger than the
        padded input.
      ValueError: `filters` has the wrong number of axes, or `strides` and `dilations` are both greater than 1.
      TypeError: `padding` is not a string.
      UnimplementedError: a stride or a dilation applies to the batch or the channels, or the arrays
        are integers on an accelerator.

    Differs from TensorFlow:
      If the result has no elements, TensorFlow's CPU kernel returns its input instead.

    Under jit:
      All sizes of `input` except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/convolution
    """
    input, filters = matching("convolution", input=input, filters=filters)
    count = filters.ndim - 2
    if not 1 <= count <= 3:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={count}."
        )
    check_named("convolution", padding)
    if np.any(np.asarray(strides or 1) > 1) and np.any(np.asarray(dilations or 1) > 1):
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={strides} and dilation_rate={dilations}"
        )
    return convolved("convolution", count, input, filters, strides, padding, data_format, dilations)


@operator
def atrous_conv2d(value, filters, rate, padding, name=None):
    """Compute a two-dimensional convolution with a dilated kernel.

    Args:
      value: array `[batch, height, width, channels]`.
      filters: array `[height, width, channels, out]` of the same dtype.
      rate: the distance between the kernel's elements.
      padding: `SAME` or `VALID`.
      name: ignored.

    Returns:
      An array `[batch, new_height, new_width, out]`.

    Raises:
      InvalidArgumentError: shapes or dtypes are incompatible, the kernel is larger than the padded input,
        or `rate` is not positive.
      TypeError: `padding` is not a string.
      UnimplementedError: integers on an accelerator.

    Differs from TensorFlow:
      If the result has no elements, TensorFlow's CPU kernel returns its input instead.

    Under jit:
      All sizes of `value` except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/atrous_conv2d
    """
    check_named("atrous_conv2d", padding)
    return convolved("atrous_conv2d", 2, value, filters, 1, padding, "NHWC", rate)


def convolved(function, count, x, kernel, strides, padding, data_format, dilations):
    """Check the arguments, and compute a convolution."""
    first = is_channels_first(function, data_format, count)
    windows = windows_of(function, kernel, count, strides, padding, dilations, first)
    x, kernel = matching(function, input=x, filters=kernel)
    check_kernel(function, count, x, kernel)
    x = cpu_only(function, x, describe(x))
    check_elements(function, x, kernel)
    if x.ndim < count + 2:
        raise unfitting(function, x, kernel, f"an input of at least {count + 2} axes")
    lead = x.shape[: x.ndim - count - 1]
    x = channels_last(x.reshape(-1, *x.shape[len(lead) :]) if len(lead) != 1 else x, first)
    x, groups = in_groups(function, x, kernel)
    all_spans = spans(windows, x.shape[1:-1])
    out = slide(windows, all_spans, x, kernel, groups)
    out = channels_back(out, first)
    return out.reshape(*lead, *out.shape[1:]) if len(lead) != 1 else out


def slide(windows: Windows, all_spans, x, kernel, groups: int):
    """Convolve a channels-last array with a kernel, whose windows and their spans are given."""
    if any(is_known(s.size) and s.size == 0 for s in all_spans):  # JAX cannot pad an empty axis
        counts = [s.count for s in all_spans]
        return jnp.zeros((x.shape[0], *counts, kernel.shape[-1]), x.dtype)
    static = all(is_known(n) for s in all_spans for n in (s.size, s.low))
    pads: Any = [(s.low, s.length - s.size - s.low) for s in all_spans]
    if not static:
        x, pads = framed(x, all_spans, 0), "VALID"
    return lax.conv_general_dilated(
        x,
        kernel,
        windows.strides,
        pads,
        rhs_dilation=windows.dilations,
        dimension_numbers=DIMENSIONS[len(all_spans)],
        feature_group_count=groups,
        preferred_element_type=x.dtype,
    )


def windows_of(function, kernel, count, strides, padding, dilations, first) -> Windows:
    """Return the windows over which a kernel `[*spatial, in, out]` slides, from the options given.

    first: whether the channels come directly after the batch in the options given per axis.
    """
    shape = operand(kernel).shape  # of a list of traced arrays, too
    if len(shape) != count + 2:
        raise checks.invalid(
            function,
            f"`filters` must have {count + 2} axes.",
            received=f"shape {shape}",
        )
    return Windows(
        function,
        shape[:count],
        per_axis(function, "strides", strides, count, first),
        per_axis(function, "dilations", dilations, count, first),
        padding_of(function, padding, count, first),
    )


def check_kernel(function, count, x, kernel) -> None:
    """Check that TensorFlow has a convolution for the dtype, and that kernel sizes are static."""
    if x.dtype.name not in KERNELS[count]:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                f"there is no kernel for {x.dtype.name}.",
                required=", ".join(KERNELS[count]),
                received=describe(x),
            )
        )
    checks.check_known(function, "elements of the kernel", *kernel.shape)


def check_elements(function, x, kernel) -> None:
    """Reject a kernel of size 0, as TensorFlow does."""
    if 0 in kernel.shape:
        raise unfitting(function, x, kernel, "filters with at least one element")


def in_groups(function, x, kernel):
    """Compute the number of groups of a grouped convolution; return the input and that number.

    A symbolic number of input channels is unified with that of the kernel.
    """
    x, _ = meeting(function, x, x.ndim - 1, kernel, kernel.ndim - 2)
    channels, taken, out = x.shape[-1], kernel.shape[-2], kernel.shape[-1]
    grouped = len(kernel.shape) != 5
    if channels == 0 or channels % taken or (channels != taken and not grouped):
        raise unfitting(
            function,
            x,
            kernel,
            "as many channels as `filters` accepts, or a multiple of that number",
        )
    groups = channels // taken
    if out % groups:
        raise unfitting(
            function,
            x,
            kernel,
            f"a number of output channels of `filters` that is a multiple of {groups} groups",
        )
    return x, groups


def unfitting(function, x, kernel, required) -> errors.InvalidArgumentError:
    """Return the error for an input and a kernel whose shapes are incompatible."""
    return checks.invalid(
        function,
        "the shapes of `input` and `filters` do not match.",
        required=required,
        received=f"input {describe(x)}, filters {describe(kernel)}",
    )
