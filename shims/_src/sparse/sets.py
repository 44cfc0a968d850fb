"""Compute set operations on the rows of arrays and sparse tensors."""

from __future__ import annotations

import math
import operator

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks, text_parameters
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sparse.dense import check_inside, check_order
from shims._src.sparse.tensor import columns, dims, is_sparse, unchecked
from shims._src.tracing.sized_by import selected_by
from shims._src.types.dtypes import canonical_dtype

_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16")


class _Rows:
    """The values of an operand and the row number of each.

    Attributes:
      values: the values, `[n]`.
      row: the row number of each value, `[n]`.
      shape: the sizes of all axes but the last.
      most: the number of values that a row has at most.
    """

    def __init__(self, function: str, name: str, value, validate: bool):
        value = value if is_sparse(value) else operand(value)
        if value.dtype.name not in _TYPES and not text_parameters.is_code(value.dtype):
            raise TypeError(
                f"{function}: `{name}` has dtype {value.dtype.name}, which is not one of "
                f"{', '.join(_TYPES)}."
            )
        self.dtype = value.dtype
        if is_sparse(value):
            shape = dims(function, value)
            if validate:
                check_inside(function, value, shape)
                check_order(function, value)
            self.values, self.shape = value.values, tuple(shape[:-1])
            self.most = value.values.shape[0]
            self.row = jnp.zeros(value.values.shape, jnp.int32)
            for d, place in zip(self.shape, columns(value), strict=False):
                if not validate:
                    checks.check_positions(function, f"indices of `{name}`", place, d)
                self.row = self.row * primitives.as_size(d) + place.astype(jnp.int32)
        else:
            if value.ndim < 2:
                raise checks.invalid(
                    function,
                    f"`{name}` has no row axis.",
                    required="rank 2 or more",
                    received=describe(value),
                )
            self.shape, self.most = value.shape[:-1], value.shape[-1]
            self.values = value.reshape((math.prod(value.shape),))
            row = jnp.arange(math.prod(self.shape), dtype=jnp.int32)[:, None]
            row = jnp.broadcast_to(row, (row.shape[0], value.shape[-1]))
            self.row = row.reshape(self.values.shape)


def _sort_entries(row, values, source):
    """Sort entries by row, value and source; find groups of equal row and value.

    Return the sorted vectors, a mask of the first entry of each group, and the group number of each entry.
    """
    row, values, source = lax.sort((row, values, source), num_keys=3)
    place = jnp.arange(row.shape[0], dtype=jnp.int32)
    before = jnp.maximum(place - 1, 0)
    first = (place == 0) | (row != row[before]) | (values != values[before])
    return row, values, source, first, jnp.cumsum(first.astype(jnp.int32)) - 1


def _combine_sets(function: str, a, b, validate, chosen, most):
    """Compute a set operation per row, as a sparse tensor.

    Args:
      function: the operator's name for messages.
      a: array or sparse tensor.
      b: array or sparse tensor.
      validate: whether to check the coordinates of sparse operands.
      chosen: a function of two masks, whether a value is in `a` and whether it is in `b`; returns the mask of the
        values in the result.
      most: a function of the numbers of values that a row of `a` and of `b` has at most; returns that number for
        the result.
    """
    if is_sparse(a) and not is_sparse(b):
        # TensorFlow has no kernel for this order and swaps the operands; so does this function.
        return _combine_sets(
            function, b, a, validate, lambda p, q: chosen(q, p), lambda n, m: most(m, n)
        )
    a, b = _Rows(function, "a", a, validate), _Rows(function, "b", b, validate)
    if a.dtype != b.dtype:
        raise TypeError(f"{function}: dtypes don't match, {a.dtype.name} vs {b.dtype.name}.")
    if len(a.shape) != len(b.shape):
        raise _row_count_error(function, a, b)
    for d, e in zip(a.shape, b.shape, strict=True):
        if is_known(d) and is_known(e) and d != e:
            raise _row_count_error(function, a, b)
        checks.check_data(
            primitives.as_size(d) != primitives.as_size(e),
            function,
            "the operands have different numbers of rows.",
            required="equal sizes except along the last axis",
        )
    sources = [jnp.full(x.values.shape, i, jnp.int32) for i, x in enumerate((a, b))]
    row, values, source, first, kind = _sort_entries(
        jnp.concatenate([a.row, b.row]),
        jnp.concatenate([a.values, b.values]),
        jnp.concatenate(sources),
    )
    inside = [jnp.zeros(row.shape, bool).at[kind].max(source == i)[kind] for i in (0, 1)]
    kept = first & chosen(*inside)
    return _left_aligned(row, values, kept, a.shape, most(a.most, b.most))


def _row_count_error(function, a, b):
    return checks.invalid(
        function,
        "the operands have different numbers of rows.",
        required="equal sizes except along the last axis",
        received=f"{tuple(a.shape)} and {tuple(b.shape)}",
    )


def _left_aligned(row, values, keep, shape, most):
    """Build a sparse tensor of the entries in the mask `keep`, left-aligned in each row: at most `most` of them."""
    rows = math.prod(shape)
    keep_number = keep.astype(jnp.int32)
    counts = jnp.zeros((rows,), jnp.int32).at[row].add(keep_number, mode="drop")
    start = jnp.cumsum(counts) - counts
    place = jnp.cumsum(keep_number) - 1
    inside_row = place - (start.at[row].get(mode="clip") if _has_rows(rows) else 0)
    coordinates, rest = [inside_row], row
    for d in reversed(shape[1:]):
        extent = jnp.maximum(primitives.as_size(d), 1)
        coordinates.append(jnp.remainder(rest, extent))
        rest = rest // extent
    if shape:
        coordinates.append(rest)
    wide = canonical_dtype(jnp.int64)
    indices = jnp.stack(coordinates[::-1], axis=1).astype(wide)
    # The minimum changes nothing; it bounds the size of what is computed from the sparse tensor.
    widest = jnp.minimum(jnp.max(counts, initial=0), primitives.as_size(most))
    sizes = [*(primitives.as_size(d) for d in shape), widest]
    return unchecked(
        primitives.compress(indices, keep),
        primitives.compress(values, keep),
        jnp.stack([jnp.asarray(d).astype(wide) for d in sizes]),
    )


def _has_rows(rows) -> bool:
    return not (is_known(rows) and rows == 0)


@selected_by("a", "b")
def difference(a, b, aminusb=True, validate_indices=True):
    """Compute the set difference of corresponding rows.

    Args:
      a: array `[..., n]` or sparse tensor of int8, int16, int32, int64, uint8, uint16 or strings.
      b: array `[..., m]` or sparse tensor of the same dtype and number of rows.
      aminusb: compute `a - b` if True, `b - a` if False.
      validate_indices: whether to check that the coordinates of sparse operands are in range, in
        order and not repeated; row coordinates are always checked.

    Returns:
      A `SparseTensor` `[..., most]`: the distinct values of each row, in increasing order (of bytes for strings).

    Raises:
      TypeError: the dtypes differ or are not supported.
      InvalidArgumentError: an operand has no row axis, the numbers of rows differ, or coordinates
        are out of range, out of order or repeated.

    Differs from TensorFlow:
      With `validate_indices=False`, coordinates may be in any order; TensorFlow splits a row into
      several rows if its coordinates are not in order.

    Under jit:
      The number of values is data-dependent. Strings stay on the host.

    https://www.tensorflow.org/api_docs/python/tf/sets/difference
    """
    if not aminusb:
        a, b = b, a
    return _combine_sets(
        "sets.difference", a, b, validate_indices, lambda p, q: p & ~q, lambda n, m: n
    )


@selected_by("a", "b")
def intersection(a, b, validate_indices=True):
    """Compute the set intersection of corresponding rows.

    Args:
      a: array `[..., n]` or sparse tensor of int8, int16, int32, int64, uint8, uint16 or strings.
      b: array `[..., m]` or sparse tensor of the same dtype and number of rows.
      validate_indices: whether to check that the coordinates of sparse operands are in range, in
        order and not repeated; row coordinates are always checked.

    Returns:
      A `SparseTensor` `[..., most]`: the distinct values of each row, in increasing order (of bytes for strings).

    Raises:
      TypeError: the dtypes differ or are not supported.
      InvalidArgumentError: an operand has no row axis, the numbers of rows differ, or coordinates
        are out of range, out of order or repeated.

    Differs from TensorFlow:
      With `validate_indices=False`, coordinates may be in any order; TensorFlow splits a row into
      several rows if its coordinates are not in order.

    Under jit:
      The number of values is data-dependent. Strings stay on the host.

    https://www.tensorflow.org/api_docs/python/tf/sets/intersection
    """
    return _combine_sets(
        "sets.intersection", a, b, validate_indices, operator.and_, jp.core.min_dim
    )


@selected_by("a", "b")
def union(a, b, validate_indices=True):
    """Compute the set union of corresponding rows.

    Args:
      a: array `[..., n]` or sparse tensor of int8, int16, int32, int64, uint8, uint16 or strings.
      b: array `[..., m]` or sparse tensor of the same dtype and number of rows.
      validate_indices: whether to check that the coordinates of sparse operands are in range, in
        order and not repeated; row coordinates are always checked.

    Returns:
      A `SparseTensor` `[..., most]`: the distinct values of each row, in increasing order (of bytes for strings).

    Raises:
      TypeError: the dtypes differ or are not supported.
      InvalidArgumentError: an operand has no row axis, the numbers of rows differ, or coordinates
        are out of range, out of order or repeated.

    Differs from TensorFlow:
      With `validate_indices=False`, coordinates may be in any order; TensorFlow splits a row into
      several rows if its coordinates are not in order.

    Under jit:
      The number of values is data-dependent. Strings stay on the host.

    https://www.tensorflow.org/api_docs/python/tf/sets/union
    """
    return _combine_sets("sets.union", a, b, validate_indices, operator.or_, operator.add)


@selected_by("a")
def size(a, validate_indices=True):
    """Count the distinct values of each row of a sparse tensor.

    Args:
      a: sparse tensor of int8, int16, int32, int64, uint8, uint16 or strings.
      validate_indices: whether to check that the coordinates of sparse operands are in range, in
        order and not repeated; row coordinates are always checked.

    Returns:
      int32 array in the shape of `a` without its last axis.

    Raises:
      TypeError: `a` is not sparse, or its dtype is not supported.
      InvalidArgumentError: coordinates are out of range, out of order or repeated.

    Differs from TensorFlow:
      With `validate_indices=False`, coordinates may be in any order; TensorFlow splits a row into
      several rows if its coordinates are not in order.

    Under jit:
      The sizes of `a` may be known only at run time; the result has the same sizes.

    https://www.tensorflow.org/api_docs/python/tf/sets/size
    """
    if not is_sparse(a):
        raise TypeError(f"sets.size: expected `SparseTensor`, got {type(a).__name__}.")
    a = _Rows("sets.size", "a", a, validate_indices)
    row, _, _, first, _ = _sort_entries(a.row, a.values, jnp.zeros_like(a.row))
    counts = jnp.zeros((math.prod(a.shape),), jnp.int32)
    return counts.at[row].add(first.astype(jnp.int32), mode="drop").reshape(a.shape)
