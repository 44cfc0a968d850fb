"""Provide max pooling."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.default_dtype import as_preferred, preferring
from shims._src.arguments.operands import describe, operand
from shims._src.errors import errors
from shims._src.nn.windows.folding import folded
from shims._src.nn.windows.frame import spans
from shims._src.nn.windows.layout import (
    Windows,
    channels_back,
    channels_last,
    check_named,
    is_channels_first,
    padding_of,
    per_axis,
)
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.sizes import primitives, trace
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype

_SMALL = ("float16", "bfloat16", "float32")
_REALS = (*_SMALL, "float64", "int32", "int64", "uint8", "int16", "int8", "uint16")


@operator
def max_pool(input, ksize, strides, padding, data_format=None, name=None):
    """Compute max pooling over one to three spatial axes.

    Args:
      input: array of numbers `[batch, *spatial, channels]`, or with the channels after the batch.
      ksize: the size of a window, given as one number, one number for each spatial axis, or one number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME`, `VALID`, or, for two spatial axes, a pair of pads for every axis.
      data_format: `NWC`, `NHWC`, `NDHWC`, or with the C after the N.
      name: ignored.

    Returns:
      An array `[batch, *counts, channels]`, or with the channels after the batch.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: `input` has the wrong number of axes, or a list argument has the wrong length.
      UnimplementedError: windows over the batch, or windows over the channels that overlap.

    Differs from TensorFlow:
      Nothing. NaN is never the maximum; the maximum of a window of NaNs is the lowest finite number.

    Under jit:
      All sizes except the number of channels may be unknown until run time; with `VALID` and a stride above 1,
      at least one window must then fit.

    https://www.tensorflow.org/api_docs/python/tf/nn/max_pool
    """
    x = operand(input)
    if x.ndim == 4 and trace.current() is None:  # only 2-D has a preferred dtype
        x = operand(as_preferred(input, "float32"))
    if not 3 <= x.ndim <= 5:
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={x.shape} of rank "
            f"{x.ndim}."
        )
    return largest("max_pool", x.ndim - 2, x, ksize, strides, padding, data_format)


@operator
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Compute max pooling over one spatial axis.

    Args:
      input: array of numbers `[batch, width, channels]` (`NWC`) or `[batch, channels, width]`.
      ksize: the size of the windows.
      strides: the distance between windows.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NWC` or `NCW`.
      name: ignored.

    Returns:
      An array `[batch, count, channels]`, or with the channels first.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: a list argument has the wrong length.
      UnimplementedError: a window or a stride applies to the batch or the channels.

    Differs from TensorFlow:
      Windows over the channels are not supported. NaN is never the maximum.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/max_pool1d
    """
    return largest("max_pool1d", 1, operand(input), ksize, strides, padding, data_format)


@preferring("float32", "input")
@operator
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Compute max pooling over two spatial axes.

    Args:
      input: array of numbers `[batch, height, width, channels]` (`NHWC`) or
        `[batch, channels, height, width]`.
      ksize: the size of a window, given as one number, one number each for height and width, or one
        number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME`, `VALID`, or a pair of pads for every axis.
      data_format: `NHWC` or `NCHW`.
      name: ignored.

    Returns:
      An array `[batch, rows, columns, channels]`, or with the channels first.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: a list argument has the wrong length.
      UnimplementedError: windows over the batch, or windows over the channels that overlap.

    Differs from TensorFlow:
      Nothing. NaN is never the maximum, and the first of several equal elements receives the gradient.

    Under jit:
      All sizes except the number of channels may be unknown until run time; with `VALID` and a stride above 1,
      at least one window must then fit.

    https://www.tensorflow.org/api_docs/python/tf/nn/max_pool2d
    """
    return largest("max_pool2d", 2, operand(input), ksize, strides, padding, data_format)


@operator
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Compute max pooling over three spatial axes.

    Args:
      input: float32, float16 or bfloat16 array `[batch, depth, height, width, channels]` (`NDHWC`),
        or with the channels after the batch.
      ksize: the size of a window, given as one number, one number for each spatial axis, or one number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME` or `VALID`.
      data_format: `NDHWC` or `NCDHW`.
      name: ignored.

    Returns:
      An array `[batch, *counts, channels]`, or with the channels first.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: a list argument has the wrong length.
      TypeError: `padding` is not a string.
      UnimplementedError: a window or a stride applies to the batch or the channels.

    Differs from TensorFlow:
      Nothing. NaN is never the maximum. The gradient flows to all elements less than 1e-5 below the
      maximum, and to none if the maximum is infinite.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/max_pool3d
    """
    return largest("max_pool3d", 3, operand(input), ksize, strides, padding, data_format)


@operator
def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    output_dtype=np.int64,
    include_batch_in_index=False,
    name=None,
):
    """Compute max pooling over two spatial axes, with the indices of the maxima.

    Args:
      input: array of numbers `[batch, height, width, channels]`.
      ksize: the size of a window, given as one number, one number each for height and width, or one
        number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME` or `VALID`.
      data_format: `NHWC`.
      output_dtype: the dtype of the indices, int64 or int32.
      include_batch_in_index: whether indices count through the whole batch instead of one image.
      name: ignored.

    Returns:
      The maxima, and their flat indices `(row * width + column) * channels + channel`. The maximum of a
      window that begins with NaN is NaN.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: `data_format` is unknown, or a list argument has the wrong length.
      UnimplementedError: a window or a stride applies to the batch or the channels.

    Differs from TensorFlow:
      Windows over the channels are not supported. int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/max_pool_with_argmax
    """
    function = "max_pool_with_argmax"
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    dtype = array_dtype(output_dtype, function)
    x = operand(input)
    check_dtype(function, x, _REALS)
    checks.check_data(
        jnp.stack([primitives.as_size(d) for d in x.shape]) == 0,
        function,
        "`input` has no elements.",
        required="no size of 0",
        received=describe(x),
    )
    windows, _ = pool_windows(function, 2, x, ksize, strides, padding, None)
    all_spans = spans(windows, x.shape[1:-1])
    numbers = _flat_indices(x, include_batch_in_index, dtype)
    best, place = folded(windows, all_spans, (x, numbers), (_padding_value(x.dtype), 0), _larger)
    if jnp.issubdtype(x.dtype, jnp.floating):
        first, first_place = (first_of(windows, all_spans, a) for a in (x, numbers))
        stuck = jnp.isnan(first)
        best, place = jnp.where(stuck, first, best), jnp.where(stuck, first_place, place)
    return best, place


def _flat_indices(x, with_batch: bool, dtype):
    """Return the flat index of every element, within its image or within the batch."""
    number = jnp.zeros((), dtype)
    for axis in range(0 if with_batch else 1, x.ndim):
        along = jnp.arange(x.shape[axis], dtype=dtype)
        number = number * primitives.as_size(x.shape[axis]).astype(dtype)
        number = number[..., None] + along
    return jnp.broadcast_to(number, x.shape)


def largest(function, count, x, ksize, strides, padding, data_format):
    """Check the arguments, and compute max pooling."""
    check_dtype(function, x, _SMALL if count == 3 else _REALS)
    if count == 3:
        check_named(function, padding)
    if count == 2 and _over_channels(ksize, data_format):
        return _pool_channels(function, x, ksize, strides, padding)
    windows, first = pool_windows(function, count, x, ksize, strides, padding, data_format)
    return channels_back(maxima(windows, channels_last(x, first)), first)


def pool_windows(function, count, x, ksize, strides, padding, data_format):
    """Parse the arguments of pooling; return the `Windows`, and whether the channels come first."""
    first = is_channels_first(function, data_format, count)
    windows = Windows(
        function,
        per_axis(function, "ksize", ksize, count, first),
        per_axis(function, "strides", strides, count, first),
        (1,) * count,
        padding_of(function, padding, count, first),
    )
    if x.ndim != count + 2:
        raise checks.invalid(function, f"`input` must have {count + 2} axes.", received=describe(x))
    for size, pads in zip(windows.sizes, windows.padding, strict=False):
        if not isinstance(padding, str) and max(pads) >= size:
            raise checks.invalid(
                function,
                "a padding must be smaller than the window.",
                required=f"pads below {size}",
                received=f"{pads}",
            )
    return windows, first


def check_dtype(function, x, names) -> None:
    """Check that the dtype of `x` is one of those for which TensorFlow has a kernel."""
    if x.dtype.name not in names:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                f"there is no kernel for {x.dtype.name}.",
                required=", ".join(names),
                received=describe(x),
            )
        )


def maxima(windows: Windows, x):
    """Compute the maximum of every window of `[batch, *spatial, channels]`."""
    all_spans = spans(windows, x.shape[1:-1])
    (best,) = folded(windows, all_spans, (x,), (_padding_value(x.dtype),), _larger)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return best
    low = lowest(x.dtype)
    value = lax.stop_gradient(jnp.where(best >= low, best, low))
    if len(all_spans) == 3:
        return with_derivative_of(value, _sum_of_maxima(windows, all_spans, x, value))
    first = first_of(windows, all_spans, x)
    return with_derivative_of(value, jnp.where(jnp.isnan(first), first, best))


def _padding_value(dtype):
    """Return the padding value of max pooling: the lowest integer, or NaN, which is ignored."""
    return np.nan if jnp.issubdtype(dtype, jnp.floating) else np.iinfo(dtype).min


def lowest(dtype):
    """Return TensorFlow's maximum of a pooling window that holds only padding and NaN."""
    return -np.inf if dtype == jnp.bfloat16 else jnp.finfo(dtype).min


def _larger(before, behind):
    """Select the larger of two `(element, index)` pairs, the first one on ties; NaN never wins."""
    is_larger = behind[0] > before[0]
    if jnp.issubdtype(before[0].dtype, jnp.floating):
        is_larger |= jnp.isnan(before[0])
    return tuple(jnp.where(is_larger, b, a) for a, b in zip(before, behind, strict=True))


def first_of(windows: Windows, all_spans, x):
    """Return the first element of every window."""
    for i, span in enumerate(all_spans):
        place = jnp.arange(span.count, dtype=jnp.int32) * windows.strides[i]
        place = jnp.maximum(place - primitives.as_size(span.low), 0)
        x = jnp.take(x, place, axis=i + 1, mode="clip")
    return x


def _sum_of_maxima(windows: Windows, all_spans, x, value):
    """Sum the elements that equal the maximum of their window, to derive the gradient of the maxima.

    TensorFlow compares with a tolerance of 1e-5, which infinite elements do not satisfy.
    """
    total = jnp.zeros((), x.dtype)
    for place in np.ndindex(*windows.sizes):
        one = x
        (one,) = folded(
            Windows(windows.function, (1, 1, 1), windows.strides, (1, 1, 1), "VALID"),
            [_shift_span(s, n) for s, n in zip(all_spans, place, strict=True)],
            (one,),
            (np.nan,),
            _larger,
        )
        total = total + jnp.where(jnp.abs(value - one) < 1e-5, one, 0)
    return total


def _shift_span(span, offset: int):
    """Return the span of one-element windows that lie at an offset within the windows of `span`."""
    low = span.low - offset
    return type(span)(span.size, low, span.count, span.length)


def _over_channels(ksize, data_format) -> bool:
    """Return whether the windows pool over channels."""
    ksize = np.ravel(np.asarray(ksize))
    return len(ksize) == 4 and ksize[-1] > 1 and data_format in (None, "NHWC")


def _pool_channels(function, x, ksize, strides, padding):
    """Compute the maxima of groups of adjacent channels."""
    size, channels = int(ksize[-1]), x.shape[-1]
    fits = tuple(ksize[:3]) == tuple(strides[:3]) == (1, 1, 1) and strides[-1] == size
    if not fits or not is_known(channels) or channels % size or not isinstance(padding, str):
        raise errors.UnimplementedError(
            errors.message(
                function,
                "windows over the channels must not overlap.",
                required="ksize = strides = [1, 1, 1, n], where n divides the channels",
                received=f"ksize={ksize}, strides={strides}, {describe(x)}",
            )
        )
    x = x.reshape(*x.shape[:-1], channels // size, size)
    flat = Windows(function, (size,), (size,), (1,), "VALID")
    rows = x.reshape(-1, size, 1)
    return maxima(flat, rows).reshape(x.shape[:-1])
