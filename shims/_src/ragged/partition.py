"""Convert between row splits, row lengths, row ids and offsets within rows.

Row splits `[rows + 1]` start at 0, do not decrease and end at the number of values.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.conversion import narrow_array
from shims._src.arguments.operands import describe, operand
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.types.dtypes import array_dtype, canonical_dtype


def splits_dtype(dtype=None) -> np.dtype:
    """Return the dtype of row splits: by default int64, or int32 if 64-bit types are off."""
    return canonical_dtype(np.int64) if dtype is None else array_dtype(dtype, "row_splits_dtype")


def as_partition(function: str, name: str, value, beside=None):
    """Convert row splits, row lengths or row ids to an integer array.

    Python numbers become int64, as in TensorFlow; if `beside` is a ragged tensor, they get the dtype of its row splits.
    """
    if isinstance(value, (list, tuple)) and not any(map(jp.is_tracer, value)):
        value = np.asarray(value)
        if not value.size or value.dtype.kind in "iu":
            dtype = getattr(getattr(beside, "row_splits", None), "dtype", splits_dtype())
            value = narrow_array(value.astype(np.int64, copy=False), dtype)
    value = operand(value)
    if not jnp.issubdtype(value.dtype, jnp.integer) or value.ndim != 1:
        message = errors.message(
            function,
            f"`{name}` must be a vector of integers.",
            required="rank 1, int32 or int64",
            received=describe(value),
        )
        whole = jnp.issubdtype(value.dtype, jnp.integer)
        raise (errors.InvalidArgumentError if whole else errors.DtypeMismatchError)(message)
    return value


def row_count(splits):
    """Return the number of rows, as a dimension."""
    return splits.shape[0] - 1


def lengths_of(splits):
    """Return the length of each row."""
    return splits[1:] - splits[:-1]


def from_lengths(lengths):
    """Return the row splits of rows with the given lengths."""
    zero = jnp.zeros((1,), lengths.dtype)
    return jnp.concatenate([zero, jnp.cumsum(lengths, dtype=lengths.dtype)])


def row_ids(splits, count):
    """Return the row id of each of `count` values."""
    # Each row end increments the row id of all later values.
    steps = jnp.zeros((count,), splits.dtype).at[splits[1:]].add(1, mode="drop")
    return jnp.cumsum(steps, dtype=splits.dtype)


def of_row(per_row, ids):
    """Gather, for each value, the entry of `per_row` for its row."""
    if is_known(per_row.shape[0]) and per_row.shape[0] == 0:
        none = jnp.zeros((ids.shape[0], *per_row.shape[1:]), per_row.dtype)
        return primitives.connected(none, per_row)
    return primitives.take(per_row, ids, 0)


def offsets(splits, ids):
    """Return the offset of each value within its row."""
    return jnp.arange(ids.shape[0], dtype=splits.dtype) - of_row(splits, ids)


def spread(lengths, *, bound=None, label: str):
    """Partition new values into rows of given lengths; return `(splits, row ids, offsets)`.

    Args:
      lengths: the number of values in each row.
      bound: an upper bound of the total number, a dimension, if known.
      label: the operator, for error messages.
    """
    splits = from_lengths(lengths)
    places = primitives.fresh_range(
        primitives.total(lengths, label=label), bound=bound, label=label
    )
    ids = row_ids(splits, places.shape[0])
    return splits, ids, offsets(splits, ids)


def longest(splits, bound):
    """Return the length of the longest row, as a dimension with the upper bound `bound`."""
    length = jnp.max(lengths_of(splits), initial=0)
    return primitives.to_dim(length, label="to_tensor", bound=bound)


def check_splits(function: str, splits, count) -> None:
    """Check that row splits start at 0, do not decrease, and end at the number of values."""
    n = primitives.as_size(count).astype(splits.dtype)
    problems = (
        (splits[:1] != 0, "the first row does not start at 0."),
        (splits[1:] < splits[:-1], "row splits decrease."),
        (splits[-1:] != n, "the last row does not end where the values end."),
    )
    for bad, problem in problems:
        checks.check_data(
            bad,
            function,
            problem,
            required="row_splits[0] == 0, ascending, row_splits[-1] == number of values",
        )
