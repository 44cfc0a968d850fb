"""Add, merge and tile axes of ragged tensors."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known
from shims._src.arguments.operands import operand
from shims._src.array import shapes
from shims._src.array.repetition import tile as tile_array
from shims._src.array.shapes import sizes_of
from shims._src.ragged import partition, uniform
from shims._src.ragged.gathering import entries, rows
from shims._src.ragged.tensor import RaggedTensor, is_ragged, row_total
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by


def rank_of(value) -> int:
    """Return the number of axes of an array or a ragged tensor."""
    return value.ragged_rank + value.flat_values.ndim if is_ragged(value) else value.ndim


def expand_dims(value, axis):
    """Insert an axis of size 1.

    If a ragged axis follows it, the new axis is stored as a ragged axis of uniform rows.
    """
    if not is_ragged(value):
        return shapes.expand_dims(value, axis)
    axis = axis_of("expand_dims", axis, rank_of(value) + 1)
    if axis > 1:
        return value.with_values(expand_dims(value.values, axis - 1))
    total, dtype = row_total(value), value.row_splits.dtype
    length, count = (total, 1) if axis == 0 else (1, total)
    return uniform.wrap(value, length, count, dtype)


def merge_dims(value, outer_axis, inner_axis):
    """Implement `RaggedTensor.merge_dims`."""
    rank = rank_of(value)
    outer = axis_of("merge_dims", outer_axis, rank, name="outer_axis")
    inner = axis_of("merge_dims", inner_axis, rank, name="inner_axis")
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer}) to be at most inner_axis ({inner})")
    return _merge_axes(value, outer, inner)


def _merge_axes(value, outer, inner):
    if outer == inner:
        return value
    if outer > 0:
        if is_ragged(value) and (outer > 1 or is_ragged(value.values)):
            if outer > 1:
                return value.with_values(_merge_axes(value.values, outer - 1, inner - 1))
            return _merge_inner_axes(value, inner)
        if is_ragged(value):
            return _merge_inner_axes(value, inner)
        shape = (*value.shape[:outer], -1, *value.shape[inner + 1 :])
        return value.reshape(shape)
    while inner > 0 and is_ragged(value):
        value, inner = value.values, inner - 1
    if inner == 0:
        return value
    return value.reshape((-1, *value.shape[inner + 1 :]))


def _merge_inner_axes(value, inner):
    """Merge axes 1 to `inner` by composing the outer row splits with the inner ones."""
    splits, values = value.row_splits, value.values
    for _ in range(inner - 1):
        if is_ragged(values):
            splits, values = values.row_splits[splits], values.values
        else:
            size = primitives.as_size(values.shape[1]).astype(splits.dtype)
            splits = splits * size
            values = values.reshape((values.shape[0] * values.shape[1], *values.shape[2:]))
    return RaggedTensor(values, splits)


def tile(value, multiples):
    """Tile a ragged tensor along its axes."""
    times = sizes_of("tile", multiples)
    if len(times) != rank_of(value):
        raise checks.invalid(
            "tile",
            f"`multiples` has length {len(times)}, but the input has rank {rank_of(value)}.",
            required="one number for each axis",
        )
    return _tile_axes(value, times)


@selected_by("value", "times")
def _tile_axes(value, times):
    inner = list(times[1:])
    if is_ragged(value.values) and any(not is_known(t) or t != 1 for t in inner[1:]):
        value = value.with_values(_tile_axes(value.values, (1, *inner[1:])))
    elif not is_ragged(value.values):
        value = value.with_values(tile_array(value.values, [1, *inner[1:]]))
    value = _tile_within_rows(value, inner[0])
    times = times[0]
    if is_known(times) and times == 1:
        return value
    count = partition.row_count(value.row_splits)
    place = jnp.tile(jnp.arange(count, dtype=jnp.int32), times)
    return rows(value, place, times=times)


def _tile_within_rows(value, times):
    if is_known(times) and times == 1:
        return value
    number = primitives.as_size(times).astype(value.row_splits.dtype)
    lengths = value.row_lengths()
    bound = row_total(value.values) * times
    splits, ids, place = partition.spread(lengths * number, bound=bound, label="tile")
    length = jnp.maximum(partition.of_row(lengths, ids), 1)
    source = partition.of_row(value.row_splits, ids) + place % length
    return RaggedTensor(entries(value.values, source, times=times), splits)


def size(value, out_type=None):
    """Return the number of elements of a ragged tensor."""
    return shapes.size(operand(value.flat_values), out_type)
