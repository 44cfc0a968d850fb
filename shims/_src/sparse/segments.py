"""Segments of rows that are taken by position: `tf.sparse.segment_*`."""

from __future__ import annotations

import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.gather import gather
from shims._src.math import segment
from shims._src.tracing.sized_by import selected_by


def _positions(value):
    """An array of positions; of nothing, positions too."""
    if isinstance(value, (list, tuple)) and not value:
        return operand(np.zeros(0, np.int32))
    return operand(value)


def _rows(data, indices, as_slices):
    """Rows by position, whose gradient is an array unless slices of it are asked for."""
    if as_slices:
        return gather(data, indices)
    return lax.squeeze(gather(lax.expand_dims(data, (0,)), indices, axis=1), (0,))


def _segments(
    function, sorted_op, unsorted_op, data, indices, segment_ids, num_segments, sparse_gradient
):
    data, indices, ids = operand(data), _positions(indices), _positions(segment_ids)
    if indices.ndim != 1 or ids.ndim != 1:
        raise checks.invalid(
            function,
            "`indices` and `segment_ids` must be vectors.",
            required="rank 1",
            received=f"{describe(indices)}, {describe(ids)}",
        )
    if not data.ndim:
        raise checks.invalid(function, "`data` is a scalar.", required="at least one axis")
    n, m = indices.shape[0], ids.shape[0]
    if is_known(n) and is_known(m) and n != m:
        raise checks.invalid(function, f"{n} indices for {m} segment ids.")
    rows = _rows(data, indices, sparse_gradient)
    if num_segments is None:
        return sorted_op(rows, ids)
    checks.check_data(ids < 0, function, "segment ids are negative.", required="segment_ids >= 0")
    if not is_known(m) or m > 1:
        checks.check_data(
            ids[1:] < ids[:-1],
            function,
            "segment ids are not increasing.",
            required="segment_ids sorted",
        )
    return unsorted_op(rows, ids, num_segments)


@selected_by("segment_ids", "num_segments")
def segment_sum(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """The sum of each segment of rows taken by position.

    Args:
      data: array `[n, ...]`.
      indices: positions `[m]` of rows.
      segment_ids: ascending integers `[m]`.
      num_segments: how many segments there are; the last id + 1 when `None`.
      name: ignored.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      An array of one row per segment; 0 for an empty one.

    Raises:
      InvalidArgumentError: ids are not ascending, or a position is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments depends on data, unless it is given.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_sum
    """
    return _segments(
        "sparse.segment_sum",
        segment.segment_sum,
        segment.unsorted_segment_sum,
        data,
        indices,
        segment_ids,
        num_segments,
        sparse_gradient,
    )


@selected_by("segment_ids", "num_segments")
def segment_mean(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """The mean of each segment of rows taken by position.

    Args:
      data: floating-point array `[n, ...]`.
      indices: positions `[m]` of rows.
      segment_ids: ascending integers `[m]`.
      num_segments: how many segments there are; the last id + 1 when `None`.
      name: ignored.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      An array of one row per segment; 0 for an empty one.

    Raises:
      InvalidArgumentError: ids are not ascending, or a position is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments depends on data, unless it is given.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_mean
    """
    return _segments(
        "sparse.segment_mean",
        segment.segment_mean,
        segment.unsorted_segment_mean,
        data,
        indices,
        segment_ids,
        num_segments,
        sparse_gradient,
    )


@selected_by("segment_ids", "num_segments")
def segment_sqrt_n(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    """The sum of each segment of rows taken by position, over the root of their number.

    Args:
      data: floating-point array `[n, ...]`.
      indices: positions `[m]` of rows.
      segment_ids: ascending integers `[m]`.
      num_segments: how many segments there are; the last id + 1 when `None`.
      name: ignored.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      An array of one row per segment; 0 for an empty one.

    Raises:
      InvalidArgumentError: ids are not ascending, or a position is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments depends on data, unless it is given.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_sqrt_n
    """
    return _segments(
        "sparse.segment_sqrt_n",
        _sorted_over_root,
        segment.unsorted_segment_sqrt_n,
        data,
        indices,
        segment_ids,
        num_segments,
        sparse_gradient,
    )


def _sorted_over_root(data, ids):
    count = segment.segment_sum(data, ids).shape[0]
    return segment.unsorted_segment_sqrt_n(data, ids, count)
