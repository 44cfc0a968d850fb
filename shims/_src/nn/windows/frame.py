"""Pad or crop arrays so that windows cover them exactly, and read elements of the windows.

With symbolic sizes, JAX cannot compute the paddings in its derivatives of convolutions. Framed
arrays need no padding: windows of `reach` elements, `stride` apart, cover them exactly.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.nn.windows.layout import Windows
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """The windows along one axis of an array.

    Attributes:
      size: the size of the axis.
      low: the number of elements of padding before the axis.
      count: the number of windows.
      length: the number of elements that the windows cover, padding included.
    """

    size: Any
    low: Any
    count: Any
    length: Any


def spans(windows: Windows, sizes) -> list[Span]:
    """Compute the windows along each spatial axis.

    Raises:
      InvalidArgumentError: an axis is shorter than its windows (a symbolic size raises an error
        after the call). With a symbolic size and a stride above 1, at least one window must fit.
    """
    return [_span(windows, i, size) for i, size in enumerate(sizes)]


def _span(windows: Windows, i: int, size) -> Span:
    """Compute the windows along one axis."""
    reach, stride = windows.reach(i), windows.strides[i]
    if windows.padding == "SAME":
        count = -(-size // stride)
        length = (count - 1) * stride + reach
        missing = length - size
        if reach < stride:  # otherwise the windows cover the whole axis
            missing = _at_least(missing, 0)
        return Span(size, missing // 2, count, length)
    pads = windows.padding
    low, high = (0, 0) if isinstance(pads, str) else pads[i]
    room = size + low + high - reach
    # JAX's derivative of a strided convolution needs at least one window.
    least = 0 if is_known(size) or stride == 1 else 1
    _check_room(windows, i, room + (1 - least) * stride)
    count = _at_least(room // stride + 1, least)
    return Span(size, low, count, (count - 1) * stride + reach)


def _at_least(d, least):
    return max(d, least) if is_known(d) else jp.core.max_dim(d, least)


def _check_room(windows: Windows, i: int, room) -> None:
    lines = {"required": f"at least {windows.reach(i)} elements, including the padding"}
    problem = f"spatial axis {i} is shorter than one window."
    if is_known(room):
        if room < 0:
            raise checks.invalid(windows.function, problem, **lines)
        return
    checks.check_data(primitives.as_size(room) < 0, windows.function, problem, **lines)


def framed(x, all_spans, fill, *, rests=None):
    """Pad or crop every spatial axis of a channels-last array to what its windows cover.

    Args:
      x: array `[batch, *spatial, channels]`.
      all_spans: one `Span` per spatial axis.
      fill: the padding value.
      rests: the number of additional elements at the end of each axis; 0 when `None`.
    """
    lengths = [s.length + r for s, r in zip(all_spans, rests or [0] * len(all_spans), strict=True)]
    around = [(s.low, n - s.size - s.low, 0) for s, n in zip(all_spans, lengths, strict=True)]
    widths = [(0, 0, 0), *around, (0, 0, 0)]
    if all(is_known(n) and n == 0 for pair in widths for n in pair):
        return x
    return lax.pad(x, jnp.asarray(fill, x.dtype), widths)


def tap(x, axis: int, span: Span, stride: int, offset: int):
    """Gather, along one axis, the element at a given offset in every window.

    `x` must be an array from `framed`, with `stride - 1` additional elements at the end of the axis.
    """
    end = offset + span.count * stride
    if is_known(end):
        return lax.slice_in_dim(x, offset, end, stride, axis=axis)
    x = lax.slice_in_dim(x, offset, end, axis=axis)
    if stride == 1:
        return x
    # Not a strided slice, since JAX cannot infer the size of its derivative.
    x = x.reshape(*x.shape[:axis], span.count, stride, *x.shape[axis + 1 :])
    return lax.index_in_dim(x, 0, axis + 1, keepdims=False)


def is_inside(span: Span, stride: int, offset: int):
    """Return the mask `[count]` of windows whose element at an offset is not padding."""
    place = jnp.arange(span.count, dtype=jnp.int32) * stride + offset
    place = place - primitives.as_size(span.low)
    return (place >= 0) & (place < primitives.as_size(span.size))
