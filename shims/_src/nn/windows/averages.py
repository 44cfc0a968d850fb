"""Provide average pooling, and `nn.pool`."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments.operands import operand
from shims._src.nn.windows.folding import folded
from shims._src.nn.windows.frame import spans
from shims._src.nn.windows.layout import (
    Windows,
    channels_back,
    channels_last,
    check_named,
    is_channels_first,
)
from shims._src.nn.windows.pooling import check_dtype, largest, maxima, pool_windows
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_FLOATS = ("float16", "bfloat16", "float32", "float64")


@operator
def avg_pool(input, ksize, strides, padding, data_format=None, name=None):
    """Compute average pooling over one to three spatial axes.

    Args:
      input: floating-point array `[batch, *spatial, channels]`, or with the channels after the
        batch.
      ksize: the size of a window, given as one number, one number for each spatial axis, or one number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME` or `VALID`; padded elements are ignored.
      data_format: `NWC`, `NHWC`, `NDHWC`, or with the C after the N.
      name: ignored.

    Returns:
      An array `[batch, *counts, channels]`, or with the channels after the batch.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: `input` has the wrong number of axes, or a list argument has the wrong length.
      TypeError: `padding` is not a string.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time; with `VALID` and a stride above 1,
      at least one window must then fit.

    https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool
    """
    x = operand(input)
    if not 3 <= x.ndim <= 5:
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={x.shape} of rank "
            f"{x.ndim}."
        )
    return _average_pool("avg_pool", x.ndim - 2, x, ksize, strides, padding, data_format)


@operator
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Compute average pooling over one spatial axis.

    Args:
      input: floating-point array `[batch, width, channels]` (`NWC`) or `[batch, channels, width]`.
      ksize: the size of the windows.
      strides: the distance between windows.
      padding: `SAME` or `VALID`; padded elements are ignored.
      data_format: `NWC` or `NCW`.
      name: ignored.

    Returns:
      An array `[batch, count, channels]`, or with the channels first.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: a list argument has the wrong length.
      TypeError: `padding` is not a string.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool1d
    """
    return _average_pool("avg_pool1d", 1, operand(input), ksize, strides, padding, data_format)


@operator
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Compute average pooling over two spatial axes.

    Args:
      input: floating-point array `[batch, height, width, channels]` (`NHWC`) or
        `[batch, channels, height, width]`.
      ksize: the size of a window, given as one number, one number each for height and width, or one
        number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME` or `VALID`; padded elements are ignored.
      data_format: `NHWC` or `NCHW`.
      name: ignored.

    Returns:
      An array `[batch, rows, columns, channels]`, or with the channels first.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: a list argument has the wrong length.
      TypeError: `padding` is not a string.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time; with `VALID` and a stride above 1,
      at least one window must then fit.

    https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool2d
    """
    return _average_pool("avg_pool2d", 2, operand(input), ksize, strides, padding, data_format)


@operator
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Compute average pooling over three spatial axes.

    Args:
      input: floating-point array `[batch, depth, height, width, channels]` (`NDHWC`), or with the
        channels after the batch.
      ksize: the size of a window, given as one number, one number for each spatial axis, or one number for every axis.
      strides: the distance between windows, like `ksize`.
      padding: `SAME` or `VALID`; padded elements are ignored.
      data_format: `NDHWC` or `NCDHW`.
      name: ignored.

    Returns:
      An array `[batch, *counts, channels]`, or with the channels first.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: a list argument has the wrong length.
      TypeError: `padding` is not a string.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/avg_pool3d
    """
    return _average_pool("avg_pool3d", 3, operand(input), ksize, strides, padding, data_format)


def _average_pool(function, count, x, ksize, strides, padding, data_format):
    """Check the arguments, and compute average pooling."""
    check_dtype(function, x, _FLOATS)
    check_named(function, padding)
    windows, first = pool_windows(function, count, x, ksize, strides, padding, data_format)
    return channels_back(means(windows, channels_last(x, first)), first)


def means(windows: Windows, x):
    """Compute the mean of every window of `[batch, *spatial, channels]`."""
    all_spans = spans(windows, x.shape[1:-1])
    (total,) = folded(windows, all_spans, (x,), (0,), lambda a, b: (a[0] + b[0],))
    number = jnp.ones((), x.dtype)
    for i, span in enumerate(all_spans):
        inside = _element_counts(windows, i, span).astype(x.dtype)
        number = number * inside.reshape([-1 if a == i + 1 else 1 for a in range(x.ndim)])
    return total / number


def _element_counts(windows: Windows, i: int, span):
    """Count, for every window along one axis, the elements that are not padding."""
    if windows.padding == "VALID":
        return jnp.full((1,), windows.sizes[i], jnp.int32)
    begin = jnp.arange(span.count, dtype=jnp.int32) * windows.strides[i]
    begin = begin - primitives.as_size(span.low)
    end = jnp.minimum(begin + windows.sizes[i], primitives.as_size(span.size))
    return end - jnp.maximum(begin, 0)


@operator
def pool(
    input,
    window_shape,
    pooling_type,
    strides=None,
    padding="VALID",
    data_format=None,
    dilations=None,
    name=None,
):
    """Compute max or average pooling.

    Args:
      input: array `[batch, *spatial, channels]`, or with the channels after the batch.
      window_shape: one number for each of one to three spatial axes.
      pooling_type: `MAX` or `AVG`.
      strides: the distance between windows; 1 when `None`.
      padding: `SAME`, `VALID`, or, for `MAX` over two axes, a pair of pads for every axis.
      data_format: `NWC`, `NHWC`, `NDHWC`, or with the C after the N.
      dilations: the distance between the elements of a window; must be 1 unless `padding` is `VALID`.
      name: ignored.

    Returns:
      An array `[batch, *counts, channels]`, or with the channels after the batch.

    Raises:
      InvalidArgumentError: dtypes or options do not fit, or a window is larger than the padded
        input.
      ValueError: `pooling_type` is unknown, or the options do not go with dilations.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/pool
    """
    x, count = operand(input), len(window_shape)
    if pooling_type not in ("MAX", "AVG") or not 1 <= count <= 3:
        raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")
    if x.ndim != count + 2:
        raise ValueError(f"Shape {x.shape} must have rank {count + 2}")
    if np.max(dilations or 1) == 1:
        of_kind = largest if pooling_type == "MAX" else _average_pool
        return of_kind("pool", count, x, window_shape, strides, padding, data_format)
    if padding != "VALID":
        raise ValueError(
            f"pooling with {padding!r} padding is not implemented for `dilation_rate` > 1. "
            f"Received: padding={padding} and dilation_rate={dilations}"
        )
    if not any(map(jp.is_tracer, window_shape)) and np.min(np.asarray(window_shape)) < 1:
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={strides} and window_shape={window_shape}"
        )
    if np.max(strides or 1) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={strides} and dilation_rate={dilations}"
        )
    first = is_channels_first("pool", data_format, count)
    rates = tuple(np.broadcast_to(np.asarray(dilations), (count,)).tolist())
    windows = Windows("pool", tuple(window_shape), (1,) * count, rates, "VALID")
    of_windows = maxima if pooling_type == "MAX" else means
    return channels_back(of_windows(windows, channels_last(x, first)), first)
