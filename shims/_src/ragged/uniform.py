"""Build ragged tensors whose rows all have the same length."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.array.shapes import size_of, sizes_of
from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor, row_total
from shims._src.sizes import primitives


def wrap(values, length, rows, dtype) -> RaggedTensor:
    """Partition values into `rows` rows of length `length`; both numbers are dimensions."""
    size = primitives.as_size(length).astype(dtype)
    splits = jnp.arange(rows + 1, dtype=dtype) * size
    return RaggedTensor(values, splits, length if is_known(length) else None)


def from_uniform_row_length(values, uniform_row_length, nrows) -> RaggedTensor:
    """Implement `RaggedTensor.from_uniform_row_length`."""
    (length,) = sizes_of("from_uniform_row_length", [uniform_row_length])
    total = row_total(values)
    if nrows is not None:
        rows = size_of("from_uniform_row_length", nrows)
    elif is_known(length) and length == 0:
        rows = 0
    else:
        rows = total // length
    if is_known(rows) and is_known(length) and is_known(total) and rows * length != total:
        raise checks.invalid(
            "from_uniform_row_length",
            f"the number of values, {total}, does not match {rows} rows of length {length}.",
            required="nrows * uniform_row_length == number of values",
        )
    dtype = getattr(uniform_row_length, "dtype", None)
    if isinstance(values, RaggedTensor):
        dtype = values.row_splits.dtype
    out = wrap(values, length, rows, dtype or partition.splits_dtype())
    partition.check_splits("from_uniform_row_length", out.row_splits, total)
    return out
