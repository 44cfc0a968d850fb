"""Reduce segments of rows, given the segment id of each row."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import sizes_of
from shims._src.elementwise.elementwise import is_inexact
from shims._src.math.segment_reducers import (
    average,
    average_of_sorted,
    average_of_whole,
    largest_of_sorted,
    largest_or_lowest,
    over_root,
    product_of_any,
    product_of_sorted,
    smallest_of_sorted,
    smallest_or_highest,
    total,
    total_of_sorted,
)
from shims._src.platform import device_arrays
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, room
from shims._src.tracing.repeated import Repeated
from shims._src.tracing.sized_by import selected_by, sized_by

_SORTED = "segment_ids sorted, and >= 0"
_NOT_SORTED = "segment ids are not increasing."
# In eager mode the number of segments is known before the reduction.
_REDUCED = {
    reduce: Repeated(reduce, reduce)
    for reduce in (
        total_of_sorted,
        average_of_sorted,
        product_of_sorted,
        largest_of_sorted,
        smallest_of_sorted,
    )
}

# ---- sorted ids: the number of segments is the last id + 1 ---------------------------------------


def _reduce_sorted(function, reduce, data, segment_ids):
    data, ids = operand(data), operand(segment_ids)
    checks.check_vector(function, "segment_ids", ids)
    ids = _match_rows(function, data, ids)
    if not jp.is_tracer(ids):
        return _reduce_known_ids(function, reduce, data, ids)
    before = lax.pad(ids, np.zeros((), ids.dtype), [(1, -1, 0)]) if _may_have_rows(ids) else ids
    checks.check_data(
        (ids < before) | (ids < 0),
        function,
        _NOT_SORTED,
        required=_SORTED,
    )
    highest = lax.reduce_max(ids, (0,)).astype(jnp.int32)
    count = primitives.to_dim(primitives.one_more(jnp.maximum(highest, -1)), label=function)
    return reduce(data, ids, count)


def _reduce_known_ids(function, reduce, data, ids):
    known = device_arrays.where_it_lies(ids)
    wrong = device_arrays.is_any(known[1:] < known[:-1]) or device_arrays.is_any(known[:1] < 0)
    checks.check_data(wrong, function, _NOT_SORTED, required=_SORTED)
    count = primitives.to_dim(int(known[-1]) + 1 if len(known) else 0, label=function)
    room.check(function, (count, *data.shape[1:]), data.dtype)
    return _REDUCED[reduce](data, ids, count)


def _may_have_rows(ids) -> bool:
    return not is_known(ids.shape[0]) or ids.shape[0] > 0


def _match_rows(function, data, ids):
    if data.ndim == 0:
        raise checks.invalid(function, "`data` is a scalar.", required="at least one axis")
    rows, named = data.shape[0], ids.shape[0]
    if is_known(rows) and is_known(named):
        if rows != named:
            raise _shape_mismatch(function, data, ids)
        return ids
    return primitives.unify_axis(ids, 0, rows, label=function)


def _shape_mismatch(function, data, ids):
    return checks.invalid(
        function,
        "`segment_ids` must match the leading axes of `data`.",
        required="segment_ids.shape == data.shape[:segment_ids.ndim]",
        received=f"data {describe(data)}, segment_ids {describe(ids)}",
    )


@selected_by("segment_ids")
def segment_sum(data, segment_ids, name=None):
    """Sum each segment of rows; the ids are sorted.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      An array `[last id + 1, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or the number of ids differs from the number
        of rows.

    Differs from TensorFlow:
      On a GPU, TensorFlow does not check that the ids ascend; its result for other ids is unspecified.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_sum
    """
    return _reduce_sorted("segment_sum", total_of_sorted, data, segment_ids)


@selected_by("segment_ids")
def segment_mean(data, segment_ids, name=None):
    """Compute the mean of each segment of rows; the ids are sorted.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      An array `[last id + 1, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or the number of ids differs from the number
        of rows.

    Differs from TensorFlow:
      On a GPU, TensorFlow does not check that the ids ascend; its result for other ids is unspecified.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_mean
    """
    return _reduce_sorted("segment_mean", average_of_sorted, data, segment_ids)


@selected_by("segment_ids")
def segment_max(data, segment_ids, name=None):
    """Compute the element-wise maximum of each segment of rows; the ids are sorted.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      An array `[last id + 1, ...]`; 0 for an empty segment. Equal elements share
      the gradient.

    Raises:
      InvalidArgumentError: the ids are not ascending, or the number of ids differs from the number
        of rows.

    Differs from TensorFlow:
      NaN is propagated; TensorFlow drops a NaN if a number follows in the same segment.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_max
    """
    return _reduce_sorted("segment_max", largest_of_sorted, data, segment_ids)


@selected_by("segment_ids")
def segment_min(data, segment_ids, name=None):
    """Compute the element-wise minimum of each segment of rows; the ids are sorted.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      An array `[last id + 1, ...]`; 0 for an empty segment. Equal elements share
      the gradient.

    Raises:
      InvalidArgumentError: the ids are not ascending, or the number of ids differs from the number
        of rows.

    Differs from TensorFlow:
      NaN is propagated; TensorFlow drops a NaN if a number follows in the same segment.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_min
    """
    return _reduce_sorted("segment_min", smallest_of_sorted, data, segment_ids)


@selected_by("segment_ids")
def segment_prod(data, segment_ids, name=None):
    """Multiply each segment of rows; the ids are sorted.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      An array `[last id + 1, ...]`; 1 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or the number of ids differs from the number
        of rows.

    Differs from TensorFlow:
      TensorFlow does not define the gradient at zeros. On a GPU, TensorFlow does not check that the ids
      ascend; its result for other ids is unspecified.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_prod
    """
    return _reduce_sorted("segment_prod", product_of_sorted, data, segment_ids)


# ---- ids in any order: the number of segments is given -------------------------------------------


def _reduce_unsorted(function, reduce, data, segment_ids, num_segments):
    data, ids = operand(data), operand(segment_ids)
    (count,) = sizes_of(function, [num_segments])
    # TensorFlow ignores the ids if `data` is empty, except where it counts rows.
    others = () if reduce in (average, over_root) else data.shape
    checks.check_positions(function, "segment_ids", ids, count, low=-1, others=others)
    there = data.shape[: ids.ndim]
    known = all(map(is_known, (*there, *ids.shape)))
    if len(there) < ids.ndim or (known and there != ids.shape):
        raise _shape_mismatch(function, data, ids)
    if not known:
        for i, d in enumerate(there):
            ids = primitives.unify_axis(ids, i, d, label=function)
    if ids.ndim != 1:
        flat = math.prod(ids.shape)
        data, ids = data.reshape((flat, *data.shape[ids.ndim :])), ids.reshape((flat,))
    if is_known(count) and count == 0:  # JAX cannot index an array without rows
        none = jnp.zeros((0, *data.shape[1:]), data.dtype)
        return primitives.connected(none, data) if data.ndim else none
    # JAX counts negative positions from the end; TensorFlow drops them.
    ids = jnp.where(ids < 0, primitives.as_size(count).astype(ids.dtype), ids)
    return reduce(data, ids, count)


@sized_by("num_segments", compiled=True)
def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """Sum each segment of rows; the ids may be in any order.

    Args:
      data: array of numbers.
      segment_ids: integers with the shape of the leading axes of `data`, in any order; rows with a
        negative id are dropped.
      num_segments: the number of segments.
      name: ignored.

    Returns:
      An array `[num_segments, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      On a GPU, TensorFlow does not check the ids; the result for an id that is too large is unspecified.

    Under jit:
      `num_segments` may be traced.

    Example:
      >>> import shims
      >>> print(shims.math.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 3))
      [2 4 0]

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_sum
    """
    return _reduce_unsorted("unsorted_segment_sum", total, data, segment_ids, num_segments)


@sized_by("num_segments", compiled=True)
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """Compute the mean of each segment of rows; the ids may be in any order.

    Args:
      data: floating-point array.
      segment_ids: integers with the shape of the leading axes of `data`, in any order; rows with a
        negative id are dropped.
      num_segments: the number of segments.
      name: ignored.

    Returns:
      An array `[num_segments, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      On a GPU, TensorFlow does not check the ids; the result for an id that is too large is unspecified.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_mean
    """
    data = operand(data)
    mean = average if is_inexact(data) else average_of_whole
    return _reduce_unsorted("unsorted_segment_mean", mean, data, segment_ids, num_segments)


@sized_by("num_segments", compiled=True)
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Sum each segment of rows, and divide by the square root of its size.

    Args:
      data: floating-point array.
      segment_ids: integers with the shape of the leading axes of `data`, in any order; rows with a
        negative id are dropped.
      num_segments: the number of segments.
      name: ignored.

    Returns:
      An array `[num_segments, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      On a GPU, TensorFlow does not check the ids; the result for an id that is too large is unspecified.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_sqrt_n
    """
    return _reduce_unsorted("unsorted_segment_sqrt_n", over_root, data, segment_ids, num_segments)


@sized_by("num_segments", compiled=True)
def unsorted_segment_max(data, segment_ids, num_segments, name=None):
    """Compute the element-wise maximum of each segment; the ids may be in any order.

    Args:
      data: array of numbers.
      segment_ids: integers with the shape of the leading axes of `data`, in any order; rows with a
        negative id are dropped.
      num_segments: the number of segments.
      name: ignored.

    Returns:
      An array `[num_segments, ...]`; the lowest finite number for an empty segment. Equal elements share
      the gradient.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      NaN is propagated; TensorFlow drops a NaN if a number follows in the same segment.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_max
    """
    return _reduce_unsorted(
        "unsorted_segment_max", largest_or_lowest, data, segment_ids, num_segments
    )


@sized_by("num_segments", compiled=True)
def unsorted_segment_min(data, segment_ids, num_segments, name=None):
    """Compute the element-wise minimum of each segment; the ids may be in any order.

    Args:
      data: array of numbers.
      segment_ids: integers with the shape of the leading axes of `data`, in any order; rows with a
        negative id are dropped.
      num_segments: the number of segments.
      name: ignored.

    Returns:
      An array `[num_segments, ...]`; the highest finite number for an empty segment. Equal elements share
      the gradient.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      NaN is propagated; TensorFlow drops a NaN if a number follows in the same segment.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_min
    """
    return _reduce_unsorted(
        "unsorted_segment_min", smallest_or_highest, data, segment_ids, num_segments
    )


@sized_by("num_segments", compiled=True)
def unsorted_segment_prod(data, segment_ids, num_segments, name=None):
    """Multiply each segment of rows; the ids may be in any order.

    Args:
      data: array of numbers.
      segment_ids: integers with the shape of the leading axes of `data`, in any order; rows with a
        negative id are dropped.
      num_segments: the number of segments.
      name: ignored.

    Returns:
      An array `[num_segments, ...]`; 1 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      On a GPU, TensorFlow does not check the ids; the result for an id that is too large is unspecified.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_prod
    """
    return _reduce_unsorted(
        "unsorted_segment_prod", product_of_any, data, segment_ids, num_segments
    )
