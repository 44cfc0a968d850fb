"""Reduce segments (groups of equal ids) of gathered rows: `tf.sparse.segment_*`."""

from __future__ import annotations

import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.gather import gather
from shims._src.math import segment
from shims._src.tracing.sized_by import selected_by


def _as_positions(value):
    """Convert row indices to an array; an empty list becomes int32."""
    if isinstance(value, (list, tuple)) and not value:
        return operand(np.zeros(0, np.int32))
    return operand(value)


def _gather_rows(data, indices, as_slices):
    """Gather rows; the gradient is an array, or `IndexedSlices` if `as_slices`."""
    if as_slices:
        return gather(data, indices)
    return lax.squeeze(gather(lax.expand_dims(data, (0,)), indices, axis=1), (0,))


def _reduce_segments(
    function, sorted_op, unsorted_op, data, indices, segment_ids, num_segments, sparse_gradient
):
    data, indices, ids = operand(data), _as_positions(indices), _as_positions(segment_ids)
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
        raise checks.invalid(
            function, f"the number of indices is {n}, but the number of segment ids is {m}."
        )
    rows = _gather_rows(data, indices, sparse_gradient)
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
    """Sum segments of gathered rows.

    Args:
      data: array `[n, ...]`.
      indices: positions `[m]` of rows.
      segment_ids: ascending integers `[m]`.
      num_segments: the number of segments; the last id + 1 when `None`.
      name: ignored.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      An array with one row per segment; 0 for empty segments.

    Raises:
      InvalidArgumentError: ids are not ascending, or a position is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments is data-dependent unless it is given.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_sum
    """
    return _reduce_segments(
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
    """Average segments of gathered rows.

    Args:
      data: floating-point array `[n, ...]`.
      indices: positions `[m]` of rows.
      segment_ids: ascending integers `[m]`.
      num_segments: the number of segments; the last id + 1 when `None`.
      name: ignored.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      An array with one row per segment; 0 for empty segments.

    Raises:
      InvalidArgumentError: ids are not ascending, or a position is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments is data-dependent unless it is given.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_mean
    """
    return _reduce_segments(
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
    """Sum segments of gathered rows and divide by the square root of their size.

    Args:
      data: floating-point array `[n, ...]`.
      indices: positions `[m]` of rows.
      segment_ids: ascending integers `[m]`.
      num_segments: the number of segments; the last id + 1 when `None`.
      name: ignored.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      An array with one row per segment; 0 for empty segments.

    Raises:
      InvalidArgumentError: ids are not ascending, or a position is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments is data-dependent unless it is given.

    https://www.tensorflow.org/api_docs/python/tf/sparse/segment_sqrt_n
    """
    return _reduce_segments(
        "sparse.segment_sqrt_n",
        _sorted_segment_sqrt_n,
        segment.unsorted_segment_sqrt_n,
        data,
        indices,
        segment_ids,
        num_segments,
        sparse_gradient,
    )


def _sorted_segment_sqrt_n(data, ids):
    count = segment.segment_sum(data, ids).shape[0]
    return segment.unsorted_segment_sqrt_n(data, ids, count)
