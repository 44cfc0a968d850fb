"""Reduce windows of arrays with a binary operator, one axis after the other."""

from __future__ import annotations

from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.nn.windows.frame import Span, framed, tap
from shims._src.nn.windows.layout import Windows

# Above this window size, combining windows of half the size is faster.
_MANY = 8


def folded(windows: Windows, all_spans, arrays, fills, combine):
    """Reduce every window of some arrays with a binary operator.

    Args:
      windows: the windows.
      all_spans: one `Span` per spatial axis.
      arrays: arrays `[batch, *spatial, channels]` of the same shape.
      fills: the padding value of each array.
      combine: the operator, a function of two tuples of elements; the first tuple precedes the
        second in the window.

    Returns:
      A tuple of arrays `[batch, *counts, channels]`.
    """
    rests = [stride - 1 for stride in windows.strides]
    arrays = tuple(
        framed(x, all_spans, fill, rests=rests) for x, fill in zip(arrays, fills, strict=True)
    )
    # Last axis first, so that of equal elements the first in memory order wins.
    for i in reversed(range(len(all_spans))):
        arrays = _fold_axis(arrays, i + 1, windows, i, all_spans[i], combine)
    return arrays


def _fold_axis(arrays, axis, windows: Windows, i: int, span: Span, combine):
    """Reduce the windows along one axis; large windows are combined from windows of half their size."""
    size, stride, dilation = windows.sizes[i], windows.strides[i], windows.dilations[i]

    def taps(arrays, offset):
        return tuple(tap(x, axis, span, stride, offset * dilation) for x in arrays)

    if size <= _MANY:
        found = taps(arrays, 0)
        for offset in range(1, size):
            found = combine(found, taps(arrays, offset))
        return found
    found, offset, length = None, 0, 1
    while True:
        if size & length:
            here = taps(arrays, offset)
            found = here if found is None else combine(found, here)
            offset += length
        if offset == size:
            return found
        arrays = _double_windows(arrays, axis, length * dilation, combine)
        length *= 2


def _double_windows(arrays, axis, shift, combine):
    """Combine pairs of adjacent windows into windows of twice the size."""
    n = arrays[0].shape[axis]
    if is_known(n) and n <= shift:
        return arrays
    before = tuple(lax.slice_in_dim(x, 0, n - shift, axis=axis) for x in arrays)
    behind = tuple(lax.slice_in_dim(x, shift, n, axis=axis) for x in arrays)
    return combine(before, behind)
