"""Gather and mask rows of ragged tensors, and entries of rows."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known, static_int
from shims._src.arguments.operands import operand
from shims._src.array import gather, select
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.ragged import dense, partition, uniform
from shims._src.ragged.elementwise import check_same_rows
from shims._src.ragged.tensor import RaggedTensor, is_ragged, row_total
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by


def rows(rt, positions, *, times=None):
    """Gather rows of a ragged tensor at a vector of positions, which must be in range.

    Args:
      rt: the ragged tensor.
      positions: integers `[m]`.
      times: the largest number of times that a row is gathered, if known.
    """
    # Bound each level separately: empty rows can outnumber the values in them.
    bound = None if times is None else row_total(rt.values) * times
    lengths = partition.of_row(rt.row_lengths(), positions)
    splits, ids, place = partition.spread(lengths, bound=bound, label="gather")
    source = partition.of_row(partition.of_row(rt.row_splits, positions), ids) + place
    return RaggedTensor(entries(rt.values, source, times=times), splits)


def entries(values, positions, *, times=None):
    """Gather entries of an array or ragged tensor at positions, which must be in range."""
    if is_ragged(values):
        return rows(values, positions, times=times)
    return partition.of_row(values, positions)


def kept_rows(rt, mask):
    """Return the rows of a ragged tensor that a boolean vector selects."""
    ids = rt.value_rowids()
    splits = partition.from_lengths(primitives.compress(rt.row_lengths(), mask))
    return RaggedTensor(kept(rt.values, partition.of_row(mask, ids)), splits)


def kept(values, mask):
    """Return the entries of an array or a ragged tensor that a boolean vector selects."""
    return kept_rows(values, mask) if is_ragged(values) else primitives.compress(values, mask)


def row(rt, position):
    """Return one row of a ragged tensor, without the row axis."""
    count = row_total(rt)
    if not jp.is_tracer(position) and not jp.is_symbolic(position):
        position = int(np.asarray(position))
        if is_known(count):
            check_row(position, count)
    return _row_at(rt, position)


def check_row(position: int, count: int) -> None:
    """Reject a position that is out of range for `count` rows."""
    if not -count <= position < count:
        raise errors.OutOfBoundsError(
            errors.message(
                "index",
                f"row {position} is out of bounds.",
                required=f"-{count} <= index < {count}",
            )
        )


@selected_by("rt", "position")
def _row_at(rt, position):
    n = primitives.as_size(row_total(rt)).astype(rt.row_splits.dtype)
    position = jnp.asarray(position, rt.row_splits.dtype)
    checks.check_data(
        (position < -n) | (position >= n),
        "index",
        "a row number is out of range.",
        required="-rows <= index < rows",
    )
    position = jnp.where(position < 0, position + n, position)
    return kept(rt.values, rt.value_rowids() == position)


@selected_by("params", "indices")
def take(params, indices, axis=None, batch_dims=0):
    """Implement `tf.gather` for ragged `params` or `indices`."""
    batch_dims = static_int("gather", "batch_dims", batch_dims)
    axis = batch_dims if axis is None else static_int("gather", "axis", axis)
    if is_ragged(params) and axis < 0:
        axis += params.ragged_rank + params.flat_values.ndim
    if batch_dims == 0 and axis == 0:
        return _take_rows(params, indices)
    if batch_dims == axis and axis > 0:
        return _take_in_batch(params, indices, batch_dims)
    if batch_dims == 0 and is_ragged(params) and axis > params.ragged_rank:
        flat = gather.gather(params.flat_values, indices, axis=axis - params.ragged_rank)
        return params.with_flat_values(flat)
    raise checks.invalid(
        "gather",
        f"ragged operands do not support `axis` {axis} with `batch_dims` {batch_dims}.",
        required="axis 0, axis == batch_dims, or an axis of the flat values",
    )


def _take_rows(params, indices):
    if is_ragged(indices):
        return indices.with_values(_take_rows(params, indices.values))
    indices = operand(indices)
    if not is_ragged(params):
        return gather.gather(params, indices)
    count = row_total(params)
    checks.check_positions("gather", "indices", indices, count)
    if indices.ndim == 0:
        return row(params, indices)
    shape = indices.shape
    size = 1
    for d in shape:
        size = size * d
    out = rows(params, indices.reshape((size,)))
    for i in reversed(range(1, len(shape))):
        size = size // shape[i] if is_known(shape[i]) and shape[i] else 0
        out = uniform.wrap(out, shape[i], size, params.row_splits.dtype)
    return out


def _take_in_batch(params, indices, batch_dims):
    """Gather within each row: row `i` of `indices` indexes row `i` of `params`."""
    dtype = (params if is_ragged(params) else indices).row_splits.dtype
    params = dense.as_ragged(params, 1, dtype)
    if not is_ragged(indices):
        array = operand(indices)
        indices = dense.as_ragged(array, batch_dims, dtype) if array.ndim > batch_dims else array
    if batch_dims > 1:
        if not is_ragged(params.values):
            params = params.with_values(dense.as_ragged(params.values, 1, dtype))
        return indices.with_values(_take_in_batch(params.values, indices.values, batch_dims - 1))
    starts, lengths = params.row_splits[:-1], params.row_lengths()
    indices = _check_row_count(indices, row_total(params))
    if not is_ragged(indices):
        _check_inside(indices, lengths)
        return entries(params.values, starts + indices.astype(starts.dtype))
    ids, places = indices.value_rowids(), indices.values
    if is_ragged(places):
        middle = partition.of_row(ids, places.value_rowids())
        flat = places.flat_values
        out = places.with_flat_values(_take_in_rows(params, flat, middle))
        return indices.with_values(out)
    return indices.with_values(_take_in_rows(params, places, ids))


def _check_row_count(indices, count):
    """Check that `indices` has `count` rows."""
    have = row_total(indices) if is_ragged(indices) else indices.shape[0]
    if is_known(have) and is_known(count) and have != count:
        raise ValueError(f"gather: `indices` has {have} rows, but `params` has {count} rows.")
    if not is_ragged(indices):
        return primitives.unify_axis(indices, 0, count, label="gather")
    splits = primitives.unify_axis(indices.row_splits, 0, count + 1, label="gather")
    return RaggedTensor(indices.values, splits, indices.uniform_row_length)


def _take_in_rows(params, places, ids):
    places = operand(places).astype(params.row_splits.dtype)
    _check_inside(places, partition.of_row(params.row_lengths(), ids))
    return entries(params.values, partition.of_row(params.row_splits, ids) + places)


def _check_inside(places, lengths):
    checks.check_data(
        (places < 0) | (places >= lengths),
        "gather",
        "`indices` is out of range.",
        required="0 <= indices < the length of the row",
    )


@selected_by("mask")
def boolean_mask(data, mask, name=None):
    """Select the entries where a mask is True, keeping the rows of the mask.

    Args:
      data: array or ragged tensor.
      mask: bools in the shape of the leading axes of `data`; ragged where `data` is ragged.
      name: ignored.

    Returns:
      A ragged tensor with `rank(mask) - 1` ragged axes; if `mask` is a vector, the selected
      entries of `data`.

    Raises:
      ValueError: `mask` is a scalar.
      InvalidArgumentError: the rows of `mask` and `data` differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of entries is data-dependent.

    Example:
      >>> import shims
      >>> shims.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False] * 3])
      <tf.RaggedTensor [[1, 3], []]>

    https://www.tensorflow.org/api_docs/python/tf/ragged/boolean_mask
    """
    data = data if is_ragged(data) else operand(data)
    mask = mask if is_ragged(mask) else operand(mask)
    if mask.dtype != jnp.bool_:
        raise errors.DtypeMismatchError(
            errors.message(
                "ragged.boolean_mask",
                "`mask` is not boolean.",
                required="a mask of dtype bool",
                received=mask.dtype.name,
            )
        )
    if not is_ragged(mask) and mask.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    return _boolean_mask(data, mask)


def _boolean_mask(data, mask):
    if not is_ragged(mask) and mask.ndim == 1:
        if is_ragged(data):
            mask = primitives.unify_axis(mask, 0, row_total(data), label="ragged.boolean_mask")
            return kept_rows(data, mask)
        return select.boolean_mask(data, mask)
    dtype = next((x.row_splits.dtype for x in (mask, data) if is_ragged(x)), None)
    dtype = dtype or partition.splits_dtype()
    data, mask = dense.as_ragged(data, 1, dtype), dense.as_ragged(mask, 1, dtype)
    _check_same_outer_rows(data, mask)
    values = _boolean_mask(data.values, mask.values)
    if is_ragged(mask.values) or mask.values.ndim > 1:
        return RaggedTensor(values, mask.row_splits)
    ids = mask.value_rowids()
    hits = mask.values.astype(mask.row_splits.dtype)
    count = partition.row_count(mask.row_splits)
    lengths = jnp.zeros((count,), hits.dtype).at[ids].add(hits, mode="drop")
    return RaggedTensor(values, partition.from_lengths(lengths))


def _check_same_outer_rows(data, mask):
    outer = RaggedTensor(mask.value_rowids(), mask.row_splits)
    check_same_rows(
        "ragged.boolean_mask", RaggedTensor(data.value_rowids(), data.row_splits), outer
    )
