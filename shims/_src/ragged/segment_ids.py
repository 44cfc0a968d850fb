"""Convert between row splits and segment ids."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.array.shapes import size_of
from shims._src.ragged import partition
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by


def splits_of_rows(function: str, ids, nrows, validate: bool = True):
    """Compute row splits from ascending row ids; `nrows` defaults to the last id + 1."""
    if nrows is None:
        empty = is_known(ids.shape[0]) and ids.shape[0] == 0
        # The maximum of an empty selection of ids is the smallest number of their dtype.
        highest = jnp.int32(-1) if empty else jnp.maximum(lax.reduce_max(ids, (0,)), -1)
        count = primitives.to_dim(primitives.one_more(highest), label=function)
    else:
        count = size_of(function, nrows)
    if validate:
        _check_rows(function, ids, count)
    lengths = jnp.zeros((count,), ids.dtype).at[ids].add(1, mode="drop")
    return partition.from_lengths(lengths)


def _check_rows(function, ids, count):
    limit = primitives.as_size(count).astype(ids.dtype)
    checks.check_data(
        (ids < 0) | (ids >= limit),
        function,
        "a row id is out of range.",
        required="0 <= row ids < number of rows",
    )
    checks.check_data(
        ids[1:] < ids[:-1]
        if not is_known(ids.shape[0]) or ids.shape[0] > 1
        else jnp.zeros(0, bool),
        function,
        "row ids are not ascending.",
        required="ascending row ids",
    )


@selected_by("splits")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """Convert row splits to the row id of each value.

    Args:
      splits: row splits `[rows + 1]`.
      name: ignored.
      out_type: int32 or int64; the dtype of `splits` when `None`.

    Returns:
      `[splits[-1]]`, ascending.

    Raises:
      ValueError: `splits` is empty.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      The number of values is data-dependent.

    Example:
      >>> import shims
      >>> shims.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).tolist()
      [0, 0, 0, 2, 2]

    https://www.tensorflow.org/api_docs/python/tf/ragged/row_splits_to_segment_ids
    """
    splits = partition.as_partition("row_splits_to_segment_ids", "splits", splits)
    if is_known(splits.shape[0]) and splits.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    dtype = splits.dtype if out_type is None else partition.splits_dtype(out_type)
    count = primitives.fresh_range(splits[-1] - splits[0], label="row_splits_to_segment_ids")
    return partition.row_ids(splits - splits[0], count.shape[0]).astype(dtype)


@selected_by("segment_ids", "num_segments")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Convert ascending segment ids to row splits.

    Args:
      segment_ids: ascending integers.
      num_segments: the number of rows; the last id + 1 when `None`.
      out_type: int32 or int64; the dtype of `segment_ids` when `None`.
      name: ignored.

    Returns:
      An array `[rows + 1]`.

    Raises:
      InvalidArgumentError: an id is negative or too large.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      Without `num_segments` the number of rows is data-dependent.

    Example:
      >>> import shims
      >>> shims.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).tolist()
      [0, 3, 3, 5]

    https://www.tensorflow.org/api_docs/python/tf/ragged/segment_ids_to_row_splits
    """
    ids = partition.as_partition("segment_ids_to_row_splits", "segment_ids", segment_ids)
    dtype = ids.dtype if out_type is None else partition.splits_dtype(out_type)
    splits = splits_of_rows("segment_ids_to_row_splits", ids, num_segments, validate=False)
    return splits.astype(dtype)
