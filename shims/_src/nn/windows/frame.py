"""Arrays padded or cut so that windows cover them exactly, and the windows' elements.

With sizes that only the run knows, JAX's derivatives of convolutions need paddings that it cannot
compute. Framed arrays need none: windows of `reach` elements, `stride` apart, cover all of them.
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
    """The windows along one axis.

    Attributes:
      size: elements of the axis.
      low: elements that the first window has before the axis.
      count: how many windows there are.
      length: elements that all windows together reach over.
    """

    size: Any
    low: Any
    count: Any
    length: Any


def spans(windows: Windows, sizes) -> list[Span]:
    """The windows along each spatial axis.

    Raises:
      InvalidArgumentError: an axis is too short for its windows (eagerly at once, otherwise after
        the call). Of an unknown size with steps, one window has to fit in.
    """
    return [_span(windows, i, size) for i, size in enumerate(sizes)]


def _span(windows: Windows, i: int, size) -> Span:
    reach, stride = windows.reach(i), windows.strides[i]
    if windows.padding == "SAME":
        count = -(-size // stride)
        length = (count - 1) * stride + reach
        missing = length - size
        if reach < stride:  # otherwise windows overlap or touch, and reach over all of the axis
            missing = _at_least(missing, 0)
        return Span(size, missing // 2, count, length)
    pads = windows.padding
    low, high = (0, 0) if isinstance(pads, str) else pads[i]
    room = size + low + high - reach
    # JAX's derivative of a strided convolution is that of at least one window.
    least = 0 if is_known(size) or stride == 1 else 1
    _check_room(windows, i, room + (1 - least) * stride)
    count = _at_least(room // stride + 1, least)
    return Span(size, low, count, (count - 1) * stride + reach)


def _at_least(d, least):
    return max(d, least) if is_known(d) else jp.core.max_dim(d, least)


def _check_room(windows: Windows, i: int, room) -> None:
    lines = {"required": f"at least {windows.reach(i)} elements, padding included"}
    problem = f"axis {i} of the windows' is shorter than one window."
    if is_known(room):
        if room < 0:
            raise checks.invalid(windows.function, problem, **lines)
        return
    checks.check_data(primitives.as_size(room) < 0, windows.function, problem, **lines)


def framed(x, all_spans, fill, *, rests=None):
    """The array with every spatial axis as long as its windows reach; channels are last.

    Args:
      x: array `[batch, *spatial, channels]`.
      all_spans: one `Span` per spatial axis.
      fill: what stands outside of the array.
      rests: how much longer than that each axis is.
    """
    lengths = [s.length + r for s, r in zip(all_spans, rests or [0] * len(all_spans), strict=True)]
    around = [(s.low, n - s.size - s.low, 0) for s, n in zip(all_spans, lengths, strict=True)]
    widths = [(0, 0, 0), *around, (0, 0, 0)]
    if all(is_known(n) and n == 0 for pair in widths for n in pair):
        return x
    return lax.pad(x, jnp.asarray(fill, x.dtype), widths)


def tap(x, axis: int, span: Span, stride: int, offset: int):
    """The elements at one place of every window along an axis framed with a rest of `stride - 1`."""
    end = offset + span.count * stride
    if is_known(end):
        return lax.slice_in_dim(x, offset, end, stride, axis=axis)
    x = lax.slice_in_dim(x, offset, end, axis=axis)
    if stride == 1:
        return x
    # Not a slice with steps: its derivative has a size that JAX cannot tell from the array's.
    x = x.reshape(*x.shape[:axis], span.count, stride, *x.shape[axis + 1 :])
    return lax.index_in_dim(x, 0, axis + 1, keepdims=False)


def is_inside(span: Span, stride: int, offset: int):
    """Which windows have the array itself at that place, not what is around it: bool `[count]`."""
    place = jnp.arange(span.count, dtype=jnp.int32) * stride + offset
    place = place - primitives.as_size(span.low)
    return (place >= 0) & (place < primitives.as_size(span.size))
