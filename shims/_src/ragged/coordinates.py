"""Convert between ragged and sparse tensors, and compute the coordinates of ragged values."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.array import select
from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor, is_ragged, row_total
from shims._src.sizes import primitives
from shims._src.sparse.tensor import SparseTensor, dims, is_sparse, rank_of, unchecked
from shims._src.tracing.sized_by import selected_by


def to_sparse(rt) -> SparseTensor:
    """Implement `RaggedTensor.to_sparse`."""
    indices, values = indices_of(rt)
    return unchecked(indices, values, rt.bounding_shape(out_type=indices.dtype))


def indices_of(rt):
    """Return the coordinates `[n, rank]` and the values `[n]` of all elements."""
    dtype = partition.splits_dtype()
    columns, values = [], rt
    while is_ragged(values):
        partition.check_splits("to_sparse", values.row_splits, row_total(values.values))
        ids = values.value_rowids()
        place = partition.offsets(values.row_splits, ids)
        columns = [partition.of_row(c, ids) for c in columns] if columns else [ids]
        columns.append(place)
        values = values.values
    while values.ndim > 1:
        size = values.shape[1]
        place = jnp.arange(values.shape[0] * size, dtype=jnp.int32)
        extent = jnp.maximum(primitives.as_size(size), 1)
        columns = [partition.of_row(c, place // extent) for c in columns]
        columns.append(place % extent)
        values = values.reshape((values.shape[0] * size, *values.shape[2:]))
    return jnp.stack([c.astype(dtype) for c in columns], 1), values


@selected_by("rt")
def where(rt):
    """Return the coordinates of the nonzero or True elements of a ragged tensor."""
    indices, values = indices_of(rt)
    return select.boolean_mask(indices, values if values.dtype == jnp.bool_ else values != 0)


def from_sparse(st_input, row_splits_dtype) -> RaggedTensor:
    """Implement `RaggedTensor.from_sparse`."""
    if not is_sparse(st_input):
        raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
    if rank_of(st_input) != 2:
        raise ValueError(f"rank(st_input) must be 2: {rank_of(st_input)}")
    return _from_sparse(st_input, row_splits_dtype)


@selected_by("sp")
def _from_sparse(sp, row_splits_dtype):
    rows = dims("from_sparse", sp)[0]
    dtype = partition.splits_dtype(row_splits_dtype)
    ids = sp.indices[:, 0].astype(dtype)
    checks.check_positions("from_sparse", "indices[:, 0]", ids, rows)
    lengths = jnp.zeros((rows,), dtype).at[ids].add(1, mode="drop")
    out = RaggedTensor(sp.values, partition.from_lengths(lengths))
    expected = out.value_rowids()
    place = partition.offsets(out.row_splits, expected)
    checks.check_data(
        (ids != expected) | (sp.indices[:, 1].astype(dtype) != place),
        "from_sparse",
        "the sparse tensor is not ragged-right.",
        required="in each row, entries in columns 0, 1, 2, ..., in this order",
    )
    return out
