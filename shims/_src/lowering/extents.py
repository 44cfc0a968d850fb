"""Compare and cut the axes of lowered values that are combined slot by slot."""

from __future__ import annotations

from jax import lax

from shims._src.lowering.value import Axis, Value


def one_extent(values: list[Value], i: int) -> list[Value]:
    """Cut packed axes of the same size to the smallest of their extents, which bounds the size."""
    extents = {v.array.shape[i] for v in values if v.axes[i] is not None and not is_uniform(v, i)}
    if len(extents) < 2:
        return values
    return [cut(v, i, min(extents)) for v in values]


def cut(value: Value, i: int, extent: int) -> Value:
    """Cut a packed axis to an extent that bounds its size."""
    if value.array.shape[i] == extent:
        return value
    if value.axes[i] is None or value.axes[i].uniform:
        return value
    array = lax.slice_in_dim(value.array, 0, extent, axis=i)
    return Value(array, value.axes, value.pad, value.bounds)


def common_extent(extents) -> int:
    """Return the extent of an axis after broadcasting: the one that is not 1, or 1."""
    return next((e for e in extents if e != 1), 1)


def is_uniform(value: Value, i: int) -> bool:
    """Return whether an axis of a value stores one slot that stands for all."""
    return value.axes[i] is not None and value.axes[i].uniform


def common_axis(values: list[Value], i: int) -> Axis | None:
    """Return axis `i` of the result of broadcasting values; `None` if it is static.

    An axis that stores all slots takes precedence over a uniform one, which stores one slot for all.
    """
    best = None
    for v in values:
        axis = v.axes[i]
        if axis is not None and (best is None or best.uniform):
            best = axis
    return best


def same_axes(value: Value, axes) -> bool:
    """Return whether a value's axes are of the same kinds (static, dynamic, uniform) as `axes`.

    Only then may `axes` replace the value's axes without filling. A uniform axis has no padding that would need
    it, but the axis that replaces it may have some.
    """
    kinds = [[None if a is None else a.uniform for a in given] for given in (value.axes, axes)]
    return kinds[0] == kinds[1]
