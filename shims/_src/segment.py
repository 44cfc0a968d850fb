"""Reductions of rows that carry the number of their segment."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src import checks, primitives
from shims._src.checks import is_known
from shims._src.elementwise import is_inexact, square_root
from shims._src.operands import describe, operand
from shims._src.shapes import sizes_of
from shims._src.sized_by import selected_by, sized_by

# ---- reductions over `[n, ...]` and ids `[n]`; ids outside of the segments count for nothing -----


def _slots(data, count, value):
    return jnp.full((count, *data.shape[1:]), value, data.dtype)


def total(data, ids, count):
    """The sum of each segment."""
    return _slots(data, count, 0).at[ids].add(data, mode="drop")


def population(data, ids, count):
    """How many rows each segment has, shaped to divide the segments of `data`."""
    ones = jnp.ones(ids.shape, jnp.int32)
    number = jnp.zeros((count,), jnp.int32).at[ids].add(ones, mode="drop")
    number = jnp.maximum(number, 1).astype(data.dtype)
    return lax.expand_dims(number, tuple(range(1, data.ndim)))


def average(data, ids, count):
    """The mean of each segment, 0 where it is empty."""
    sums, number = total(data, ids, count), population(data, ids, count)
    if is_inexact(data):
        return sums / number
    return lax.div(sums, jnp.broadcast_to(number, sums.shape))


def over_root(data, ids, count):
    """The sum of each segment over the root of its number of rows."""
    return total(data, ids, count) / square_root(population(data, ids, count))


def _place(ids, count):
    """Ids as positions that can be read; a negative one is not read from the end."""
    return jnp.clip(ids, 0, primitives.as_size(count).astype(ids.dtype) - 1)


def _read(segments, ids, count):
    return jnp.take(segments, _place(ids, count), axis=0, mode="clip")


def _inside(ids, data):
    return lax.expand_dims(ids >= 0, tuple(range(1, data.ndim)))


@functools.cache
def extreme(method: str):
    """The largest or smallest row of each segment; equal ones share the gradient."""

    @functools.partial(jax.custom_jvp, nondiff_argnums=(2, 3))
    def reduce(data, ids, count, start):
        return getattr(_slots(data, count, start).at[ids], method)(data, mode="drop")

    @reduce.defjvp
    def jvp(count, start, primals, tangents):
        data, ids = primals
        out = reduce(data, ids, count, start)
        here = (data == _read(out, ids, count)) & _inside(ids, data)
        hits = here.astype(data.dtype)
        shared = jnp.maximum(total(hits, ids, count), 1)
        return out, total(tangents[0] * hits, ids, count) / shared

    return reduce


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def product(data, ids, count):
    """The product of each segment, 1 where it is empty."""
    return _slots(data, count, 1).at[ids].multiply(data, mode="drop")


@product.defjvp
def _product_jvp(count, primals, tangents):
    data, ids = primals
    out = product(data, ids, count)
    is_zero = data == 0
    zeros = _read(total(is_zero.astype(jnp.int32), ids, count), ids, count)
    without = product(jnp.where(is_zero, 1, data), ids, count)
    # The product of the others: one zero leaves it to that element alone, two leave nothing.
    others = jnp.where(is_zero, 1, 1 / jnp.where(is_zero, 1, data)) * _read(without, ids, count)
    others = jnp.where(zeros - is_zero > 0, 0, others)
    return out, total(tangents[0] * others, ids, count)


# ---- sorted ids: there are as many segments as the last id says ----------------------------------


def _sorted(function, reduce, data, segment_ids):
    data, ids = operand(data), operand(segment_ids)
    checks.check_vector(function, "segment_ids", ids)
    ids = _same_rows(function, data, ids)
    place = jnp.arange(ids.shape[0], dtype=jnp.int32)
    before = jnp.take(ids, jnp.maximum(place - 1, 0), mode="clip") if _may_have_rows(ids) else ids
    checks.check_data(
        (ids < before) | (ids < 0),
        function,
        "segment ids are not increasing.",
        required="segment_ids sorted, and >= 0",
    )
    highest = lax.reduce_max(ids, (0,)).astype(jnp.int32)
    count = primitives.to_dim(jnp.maximum(highest, -1) + 1, label=function)
    return reduce(data, ids, count)


def _may_have_rows(ids) -> bool:
    return not is_known(ids.shape[0]) or ids.shape[0] > 0


def _same_rows(function, data, ids):
    if data.ndim == 0:
        raise checks.invalid(function, "`data` is a scalar.", required="at least one axis")
    rows, named = data.shape[0], ids.shape[0]
    if is_known(rows) and is_known(named):
        if rows != named:
            raise _unlike(function, data, ids)
        return ids
    return primitives.unify_axis(ids, 0, rows, label=function)


def _unlike(function, data, ids):
    return checks.invalid(
        function,
        "`segment_ids` must match the leading axes of `data`.",
        required="segment_ids.shape == data.shape[:segment_ids.ndim]",
        received=f"data {describe(data)}, segment_ids {describe(ids)}",
    )


def _lowest(dtype, method):
    """What stands in an empty segment before anything does: the finite end of the range."""
    info = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype)
    return np.asarray(info.min if method == "max" else info.max, dtype)[()]


def _extreme_or_zero(method, data, ids, count):
    """Sorted segments have 0 where they are empty."""
    start = -np.inf if method == "max" else np.inf
    start = start if is_inexact(data) else _lowest(data.dtype, method)
    out = extreme(method)(data, ids, count, start)
    number = jnp.zeros((count,), jnp.int32).at[ids].add(1, mode="drop")
    return jnp.where(lax.expand_dims(number > 0, tuple(range(1, data.ndim))), out, 0)


@selected_by("segment_ids")
def segment_sum(data, segment_ids, name=None):
    """The sum of each segment of rows.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      `[last id + 1, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or not as many as rows.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_sum
    """
    return _sorted("segment_sum", total, data, segment_ids)


@selected_by("segment_ids")
def segment_mean(data, segment_ids, name=None):
    """The mean of each segment of rows.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      `[last id + 1, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or not as many as rows.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_mean
    """
    return _sorted("segment_mean", average, data, segment_ids)


@selected_by("segment_ids")
def segment_max(data, segment_ids, name=None):
    """The largest row of each segment, element by element.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      `[last id + 1, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or not as many as rows.

    Differs from TensorFlow:
      Nothing on CPU; equal rows share the gradient.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_max
    """
    reduce = functools.partial(_extreme_or_zero, "max")
    return _sorted("segment_max", reduce, data, segment_ids)


@selected_by("segment_ids")
def segment_min(data, segment_ids, name=None):
    """The smallest row of each segment, element by element.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      `[last id + 1, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or not as many as rows.

    Differs from TensorFlow:
      Nothing on CPU; equal rows share the gradient.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_min
    """
    reduce = functools.partial(_extreme_or_zero, "min")
    return _sorted("segment_min", reduce, data, segment_ids)


@selected_by("segment_ids")
def segment_prod(data, segment_ids, name=None):
    """The product of each segment of rows.

    Args:
      data: array `[n, ...]` of numbers.
      segment_ids: integers `[n]`, ascending.
      name: ignored.

    Returns:
      `[last id + 1, ...]`; 1 for an empty segment.

    Raises:
      InvalidArgumentError: the ids are not ascending, or not as many as rows.

    Differs from TensorFlow:
      Nothing on CPU, apart from the gradient at zeros, which TensorFlow does not define.

    Under jit:
      The number of segments depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/segment_prod
    """
    return _sorted("segment_prod", _product_of_any, data, segment_ids)


def _product_of_any(data, ids, count):
    if is_inexact(data):
        return product(data, ids, count)
    return _slots(data, count, 1).at[ids].multiply(data, mode="drop")


# ---- ids in any order: the number of segments is given -------------------------------------------


def _unsorted(function, reduce, data, segment_ids, num_segments):
    data, ids = operand(data), operand(segment_ids)
    (count,) = sizes_of(function, [num_segments])
    checks.check_positions(function, "segment_ids", ids, count, low=-1)
    there = data.shape[: ids.ndim]
    known = all(map(is_known, (*there, *ids.shape)))
    if len(there) < ids.ndim or (known and there != ids.shape):
        raise _unlike(function, data, ids)
    if not known:
        for i, d in enumerate(there):
            ids = primitives.unify_axis(ids, i, d, label=function)
    if ids.ndim != 1:
        flat = math.prod(ids.shape)
        data, ids = data.reshape((flat, *data.shape[ids.ndim :])), ids.reshape((flat,))
    # JAX counts negative positions from the end; TensorFlow drops them.
    ids = jnp.where(ids < 0, primitives.as_size(count).astype(ids.dtype), ids)
    return reduce(data, ids, count)


def _extreme_or_lowest(method, data, ids, count):
    """Unsorted segments have the end of the range where they are empty, not infinity."""
    return extreme(method)(data, ids, count, _lowest(data.dtype, method))


@sized_by("num_segments")
def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """The sum of each segment of rows.

    Args:
      data: array of numbers.
      segment_ids: integers in the shape of the leading axes of `data`, in any order; rows with a
        negative one are dropped.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      `[num_segments, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_sum
    """
    return _unsorted("unsorted_segment_sum", total, data, segment_ids, num_segments)


@sized_by("num_segments")
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """The mean of each segment of rows.

    Args:
      data: floating-point array.
      segment_ids: integers in the shape of the leading axes of `data`, in any order; rows with a
        negative one are dropped.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      `[num_segments, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_mean
    """
    return _unsorted("unsorted_segment_mean", average, data, segment_ids, num_segments)


@sized_by("num_segments")
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sum of each segment of rows over the root of their number.

    Args:
      data: floating-point array.
      segment_ids: integers in the shape of the leading axes of `data`, in any order; rows with a
        negative one are dropped.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      `[num_segments, ...]`; 0 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_sqrt_n
    """
    return _unsorted("unsorted_segment_sqrt_n", over_root, data, segment_ids, num_segments)


@sized_by("num_segments")
def unsorted_segment_max(data, segment_ids, num_segments, name=None):
    """The largest row of each segment, element by element.

    Args:
      data: array of numbers.
      segment_ids: integers in the shape of the leading axes of `data`, in any order; rows with a
        negative one are dropped.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      `[num_segments, ...]`; the lowest finite number for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      Nothing on CPU; equal rows share the gradient.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_max
    """
    reduce = functools.partial(_extreme_or_lowest, "max")
    return _unsorted("unsorted_segment_max", reduce, data, segment_ids, num_segments)


@sized_by("num_segments")
def unsorted_segment_min(data, segment_ids, num_segments, name=None):
    """The smallest row of each segment, element by element.

    Args:
      data: array of numbers.
      segment_ids: integers in the shape of the leading axes of `data`, in any order; rows with a
        negative one are dropped.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      `[num_segments, ...]`; the highest finite number for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      Nothing on CPU; equal rows share the gradient.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_min
    """
    reduce = functools.partial(_extreme_or_lowest, "min")
    return _unsorted("unsorted_segment_min", reduce, data, segment_ids, num_segments)


@sized_by("num_segments")
def unsorted_segment_prod(data, segment_ids, num_segments, name=None):
    """The product of each segment of rows.

    Args:
      data: array of numbers.
      segment_ids: integers in the shape of the leading axes of `data`, in any order; rows with a
        negative one are dropped.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      `[num_segments, ...]`; 1 for an empty segment.

    Raises:
      InvalidArgumentError: an id is too large, or the shapes do not match.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      `num_segments` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/unsorted_segment_prod
    """
    return _unsorted("unsorted_segment_prod", _product_of_any, data, segment_ids, num_segments)
