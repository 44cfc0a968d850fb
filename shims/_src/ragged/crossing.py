"""Compute hashed feature crosses of ragged, sparse and dense operands."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.sparse.crossing import Column, check_buckets, column, crossed
from shims._src.sparse.tensor import is_sparse
from shims._src.tracing.sized_by import selected_by

_FUNCTION = "ragged.cross_hashed"


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Hash every combination of features within a row, one feature from each operand.

    Args:
      inputs: list of matrices of integers, each of which is a ragged tensor, a sparse tensor or an array `[rows, n]`.
      num_buckets: an int; the hashes are reduced modulo this number.
      hash_key: an int that seeds every hash; TensorFlow's own key when `None`.
      name: ignored.

    Returns:
      An int64 `RaggedTensor` `[rows, (combinations)]`; the features of the last operand vary
      fastest.

    Raises:
      TypeError: `inputs` is not a list.
      ValueError: a ragged operand is not a matrix.
      MissingKernelError: features are not integers.
      InvalidArgumentError: an operand is not a matrix, the numbers of rows differ, the rows of a
        sparse tensor are not in order, or `num_buckets` is negative.
      UnimplementedError: the hashes do not fit into 32 bits and `jax_enable_x64` is off.

    Differs from TensorFlow:
      Features must be integers.

    Under jit:
      The number of values is data-dependent.

    Example:
      >>> import shims
      >>> rows = shims.ragged.constant([[1, 2], [], [3]])
      >>> shims.ragged.cross_hashed([rows, rows], num_buckets=100).row_lengths().tolist()
      [4, 0, 1]

    https://www.tensorflow.org/api_docs/python/tf/ragged/cross_hashed
    """
    if not isinstance(inputs, list):
        raise TypeError(f"{_FUNCTION}: inputs must be a list.")
    if any(is_ragged(x) and (x.ragged_rank > 1 or x.flat_values.ndim > 1) for x in inputs):
        raise ValueError(f"{_FUNCTION}: ragged inputs must have rank 2.")
    check_buckets(_FUNCTION, num_buckets)
    if not inputs:
        nothing = jnp.zeros((0,), partition.splits_dtype())
        return RaggedTensor.from_row_lengths(nothing, nothing, validate=False)
    return _cross_columns(list(inputs), num_buckets, hash_key)


@selected_by("inputs")
def _cross_columns(inputs, num_buckets, hash_key):
    columns = [_as_column(x) for x in inputs]
    totals, _, _, hashes = crossed(_FUNCTION, columns, num_buckets, hash_key)
    ragged = [x.row_splits.dtype for x in inputs if is_ragged(x)]
    narrow = bool(ragged) and all(d == np.int32 for d in ragged)
    dtype = partition.splits_dtype(np.int32 if narrow else None)
    return RaggedTensor.from_row_lengths(hashes, totals.astype(dtype), validate=False)


def _as_column(value) -> Column:
    if not is_ragged(value):
        is_array = is_sparse(value) or isinstance(value, (jax.Array, np.ndarray))
        return column(_FUNCTION, value if is_array else operand(value))
    checks.check_kind(_FUNCTION, "integer", value.values)
    splits = value.row_splits.astype(jnp.int32)
    return Column(
        value.values, partition.lengths_of(splits), splits[:-1], partition.row_count(splits)
    )
