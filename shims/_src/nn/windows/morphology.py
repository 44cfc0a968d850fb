"""Provide grayscale dilation and erosion: `nn.dilation2d` and `nn.erosion2d`."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import matching
from shims._src.nn.windows.convolution import unfitting
from shims._src.nn.windows.frame import framed, spans, tap
from shims._src.nn.windows.layout import Windows, padding_of, per_axis
from shims._src.nn.windows.pooling import check_dtype, first_of, lowest
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_REALS = (
    *("float16", "bfloat16", "float32", "float64", "int32", "int64"),
    *("uint8", "int16", "int8", "uint16", "uint32", "uint64"),
)


@operator
def dilation2d(input, filters, strides, padding, data_format, dilations, name=None):
    """Compute grayscale dilation: the maximum over each window of input plus kernel.

    Args:
      input: array of real numbers `[batch, height, width, channels]`.
      filters: array `[height, width, channels]` of the same dtype.
      strides: four numbers, one for every axis.
      padding: `SAME` or `VALID`; padded elements are ignored.
      data_format: `NHWC`.
      dilations: four numbers, the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array `[batch, rows, columns, channels]`.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit.
      ValueError: `data_format` is unknown.
      TypeError: `strides` or `dilations` is a number.

    Differs from TensorFlow:
      Nothing. NaN is never the maximum, and the first of several equal sums receives the gradient.

    Under jit:
      All sizes except the number of channels may be unknown until run time; with `VALID` and a stride above 1,
      at least one kernel must then fit.

    https://www.tensorflow.org/api_docs/python/tf/nn/dilation2d
    """
    return _dilated("dilation2d", input, filters, strides, padding, data_format, dilations)


@operator
def erosion2d(value, filters, strides, padding, data_format, dilations, name=None):
    """Compute grayscale erosion: the minimum over each window of input minus kernel.

    Args:
      value: array of real numbers `[batch, height, width, channels]`.
      filters: array `[height, width, channels]` of the same dtype.
      strides: four numbers, one for every axis.
      padding: `SAME` or `VALID`; padded elements are ignored.
      data_format: `NHWC`.
      dilations: four numbers, the distance between the kernel's elements.
      name: ignored.

    Returns:
      An array `[batch, rows, columns, channels]`.

    Raises:
      InvalidArgumentError: shapes, dtypes or options do not fit.
      ValueError: `data_format` is unknown.
      TypeError: `strides` or `dilations` is a number.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/erosion2d
    """
    x, kernel = matching("erosion2d", value=value, filters=filters)
    if kernel.ndim == 3:
        kernel = lax.rev(kernel, (0, 1))
    return -_dilated("erosion2d", -x, kernel, strides, padding, data_format, dilations)


def _dilated(function, x, kernel, strides, padding, data_format, dilations):
    """Check the arguments, and compute a dilation."""
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    x, kernel = matching(function, input=x, filters=kernel)
    check_dtype(function, x, _REALS)
    fits = x.ndim == 4 and kernel.ndim == 3
    if fits:
        checks.check_known(function, "elements of the kernel", x.shape[-1], *kernel.shape)
    if not fits or x.shape[-1] != kernel.shape[-1]:
        raise unfitting(
            function,
            x,
            kernel,
            "an input of 4 axes and filters of 3 axes with the same number of channels",
        )
    windows = Windows(
        function,
        tuple(kernel.shape[:2]),
        _spatial_pair(function, "strides", strides),
        _spatial_pair(function, "dilations", dilations),
        padding_of(function, padding if isinstance(padding, str) else "", 2, False),
    )
    return _largest_sums(windows, x, kernel)


def _spatial_pair(function, name, value) -> tuple[int, ...]:
    """Check that an argument has four numbers; return the two of the spatial axes."""
    if np.ndim(value) != 1:
        raise TypeError(f"{function}: Expected list for '{name}' argument, not {value}.")
    if len(value) != 4:
        raise checks.invalid(function, f"`{name}` must contain four numbers.", received=f"{value}")
    return per_axis(function, name, value, 2, False)


def _largest_sums(windows: Windows, x, kernel):
    """Compute the maximum of input plus kernel over each window."""
    all_spans = spans(windows, x.shape[1:-1])
    inexact = jnp.issubdtype(x.dtype, jnp.floating)
    low = lowest(x.dtype) if inexact else np.iinfo(x.dtype).min
    if 0 in windows.sizes:  # TensorFlow returns the lowest number for windows without elements
        counts = [s.count for s in all_spans]
        none = jnp.full((x.shape[0], *counts, x.shape[-1]), low, x.dtype)
        return primitives.connected(none, x, kernel)
    rests = [stride - 1 for stride in windows.strides]
    wide = framed(x, all_spans, low, rests=rests)
    inside = framed(jnp.ones((1, *x.shape[1:-1], 1), bool), all_spans, False, rests=rests)
    carrier = first_of(windows, all_spans, x) + kernel[0, 0]
    best = jnp.full(carrier.shape, low, x.dtype)
    for place in np.ndindex(*windows.sizes):
        one, real = (_taps(windows, all_spans, a, place) for a in (wide, inside))
        one = one + kernel[place]
        larger = real & (one > best)
        best, carrier = jnp.where(larger, one, best), jnp.where(larger, one, carrier)
    return with_derivative_of(lax.stop_gradient(best), carrier) if inexact else best


def _taps(windows: Windows, all_spans, x, place):
    """Gather, from every window, the element at the offset `place`, which has a number per axis."""
    for i, (span, offset) in enumerate(zip(all_spans, place, strict=True)):
        x = tap(x, i + 1, span, windows.strides[i], offset * windows.dilations[i])
    return x
