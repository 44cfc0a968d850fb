"""Windows of arrays taken together, element by element, one axis after the other."""

from __future__ import annotations

from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.nn.windows.frame import Span, framed, tap
from shims._src.nn.windows.layout import Windows

# From here on it pays to combine windows of one half of the size.
_MANY = 8


def folded(windows: Windows, all_spans, arrays, fills, combine):
    """Every window of some arrays taken together.

    Args:
      windows: the windows.
      all_spans: one `Span` per spatial axis.
      arrays: arrays `[batch, *spatial, channels]` of one shape.
      fills: per array what stands outside of it.
      combine: of two tuples of elements, the first of which stands before the second.

    Returns:
      A tuple of arrays `[batch, *counts, channels]`.
    """
    rests = [stride - 1 for stride in windows.strides]
    arrays = tuple(
        framed(x, all_spans, fill, rests=rests) for x, fill in zip(arrays, fills, strict=True)
    )
    # The last axis first: of equal elements the one that comes first in memory is met first.
    for i in reversed(range(len(all_spans))):
        arrays = _along(arrays, i + 1, windows, i, all_spans[i], combine)
    return arrays


def _along(arrays, axis, windows: Windows, i: int, span: Span, combine):
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
        arrays = _doubled(arrays, axis, length * dilation, combine)
        length *= 2


def _doubled(arrays, axis, shift, combine):
    """Windows of twice the size, out of two that lie side by side."""
    n = arrays[0].shape[axis]
    if is_known(n) and n <= shift:
        return arrays
    before = tuple(lax.slice_in_dim(x, 0, n - shift, axis=axis) for x in arrays)
    behind = tuple(lax.slice_in_dim(x, shift, n, axis=axis) for x in arrays)
    return combine(before, behind)
