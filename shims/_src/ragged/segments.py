"""Reduce segments (groups of equal ids) of ragged rows."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.array.creation import ones_like
from shims._src.elementwise.elementwise import sqrt, square_root
from shims._src.elementwise.quotients import divide
from shims._src.math import segment
from shims._src.ragged import partition
from shims._src.ragged.elementwise import check_same_splits
from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.sizes import primitives

_OPERATORS = {
    "unsorted_segment_max": segment.unsorted_segment_max,
    "unsorted_segment_min": segment.unsorted_segment_min,
    "unsorted_segment_prod": segment.unsorted_segment_prod,
    "unsorted_segment_sum": segment.unsorted_segment_sum,
}


def reduce(name: str, data, segment_ids, num_segments):
    """Implement `tf.math.unsorted_segment_*` for ragged data or ids.

    Rows of one segment are reduced elementwise; the resulting row is as long as the longest of
    them.

    Raises:
      InvalidArgumentError: the ids are not a vector and their rows differ from those of the data.
    """
    if name in ("unsorted_segment_mean", "unsorted_segment_sqrt_n"):
        return _divide_by_count(name, data, segment_ids, num_segments)
    if is_ragged(segment_ids):
        if not is_ragged(data):
            raise _row_mismatch_error(name)
        check_same_splits(name, data.row_splits, segment_ids.row_splits)
        return _OPERATORS[name](data.values, segment_ids.values, num_segments)
    ids = operand(segment_ids)
    if ids.ndim != 1:
        raise _row_mismatch_error(name)
    ids = primitives.unify_axis(ids, 0, partition.row_count(data.row_splits), label=name)
    longest = segment.unsorted_segment_max(data.row_lengths(), ids, num_segments)
    splits = partition.from_lengths(jnp.maximum(longest, 0))
    rows = data.value_rowids()
    inside = partition.offsets(data.row_splits, rows)
    owner = partition.of_row(ids, rows)
    start = jnp.take(splits, jnp.maximum(owner, 0), mode="clip")
    place = jnp.where(owner < 0, -1, start + inside.astype(splits.dtype))
    values = _OPERATORS[name](data.values, place, splits[-1])
    return RaggedTensor(values, splits)


def _divide_by_count(name, data, segment_ids, num_segments):
    """Divide segment sums by the counts or their square roots; empty segments give NaN."""
    total = reduce("unsorted_segment_sum", data, segment_ids, num_segments)
    ones = ones_like(data)
    number = reduce("unsorted_segment_sum", ones, segment_ids, num_segments)
    if name == "unsorted_segment_sqrt_n":
        number = sqrt(number) if is_ragged(number) else square_root(number)
    return divide(total, number)


def _row_mismatch_error(name):
    return checks.invalid(
        name,
        "`data` and `segment_ids` have different rows.",
        required="one id for each row, or ragged ids with the same row lengths as the outer axes of `data`",
    )
