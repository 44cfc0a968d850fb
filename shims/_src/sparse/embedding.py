"""Look up rows of an embedding table and combine them per row of sparse ids."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments.operands import operand
from shims._src.elementwise.elementwise import square_root
from shims._src.math.segment_reducers import total
from shims._src.nn.embedding import rows_of
from shims._src.sizes import primitives
from shims._src.sparse.selection import fill_empty_rows, kept
from shims._src.sparse.tensor import SparseTensor, dims, is_sparse, unchecked
from shims._src.tracing.sized_by import selected_by
from shims._src.types.composite import Ragged

_COMBINERS = ("mean", "sqrtn", "sum")


def _as_sparse(value):
    return value.to_sparse() if isinstance(value, Ragged) else value


def _check_arguments(function, ids, weights, combiner):
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of {', '.join(_COMBINERS)}, got {combiner}")
    if not is_sparse(ids):
        raise TypeError(f"{function}: sp_ids must be SparseTensor, got {type(ids).__name__}")
    if weights is None:
        return
    if not is_sparse(weights):
        raise TypeError(f"{function}: sp_weights must be SparseTensor or None.")


@selected_by("params", "sp_ids", "sp_weights")
def embedding_lookup_sparse(
    params,
    sp_ids,
    sp_weights,
    combiner=None,
    max_norm=None,
    name=None,
    allow_fast_lookup=False,
):
    """Look up table rows and combine them by sum, mean or sqrtn per row of ids.

    Args:
      params: the table `[vocabulary, ...]`, or a list of arrays that contain the rows in order. If
        the rows do not divide evenly, the first arrays have one more row than the other arrays.
      sp_ids: sparse or ragged matrix of row positions, ordered by row.
      sp_weights: weights at the same coordinates, or `None` for weights of 1.
      combiner: `"mean"` (also when `None`), `"sqrtn"` or `"sum"`.
      max_norm: rows with a larger l2 norm are scaled down to it.
      name: ignored.
      allow_fast_lookup: ignored.

    Returns:
      An array `[last row with ids + 1, ...]`; 0 for a row without ids.

    Raises:
      ValueError: the combiner is unknown.
      TypeError: ids or weights are not sparse.
      InvalidArgumentError: an id is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of rows follows from the row of the last id, as in TensorFlow, and is
      data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/nn/embedding_lookup_sparse
    """
    combiner = "mean" if combiner is None else combiner
    ids, weights = _as_sparse(sp_ids), _as_sparse(sp_weights)
    _check_arguments("embedding_lookup_sparse", ids, weights, combiner)
    return _lookup_and_combine(params, ids, weights, combiner, max_norm)


def _lookup_and_combine(params, ids, weights, combiner, max_norm):
    rows = rows_of("embedding_lookup_sparse", params, operand(ids.values))
    if max_norm is not None:
        rows = _clip_row_norms(rows, max_norm)
    row = ids.indices[:, 0]
    number = jnp.max(row, initial=-1) + 1
    count = primitives.to_dim(number, label="embedding_lookup_sparse")
    if weights is None:
        weight = jnp.ones(row.shape, rows.dtype)
    else:
        weight = operand(weights.values).astype(rows.dtype)
        weight = primitives.unify_axis(weight, 0, row.shape[0], label="embedding_lookup_sparse")
    return _combine_rows(rows, weight, row, count, combiner)


def _combine_rows(rows, weight, row, count, combiner):
    spread = weight.reshape((weight.shape[0], *(1,) * (rows.ndim - 1)))
    sums = total(rows * spread, row, count)
    if combiner == "sum":
        return sums
    if combiner == "mean":
        scale = total(spread, row, count)
    else:
        scale = square_root(total(spread * spread, row, count))
    # TensorFlow's div_no_nan: rows whose weights add up to 0 are 0.
    return jnp.where(scale == 0, 0, sums / jnp.where(scale == 0, 1, scale))


def _clip_row_norms(rows, max_norm):
    axes = tuple(range(1, rows.ndim))
    norm = square_root(jnp.sum(rows * rows, axis=axes, keepdims=True))
    limit = jnp.asarray(max_norm, rows.dtype)
    return rows * limit / jnp.maximum(norm, limit)


@selected_by("embedding_weights", "sparse_ids", "sparse_weights")
def safe_embedding_lookup_sparse(
    embedding_weights,
    sparse_ids,
    sparse_weights=None,
    combiner="mean",
    default_id=None,
    max_norm=None,
    name=None,
    allow_fast_lookup=False,
):
    """Look up embeddings like `embedding_lookup_sparse`; drop invalid ids and fill empty rows.

    Args:
      embedding_weights: the table `[vocabulary, ...]`, or a list of arrays that contain the rows in
        order. If the rows do not divide evenly, the first arrays have one more row than the other
        arrays.
      sparse_ids: sparse or ragged array of positions; negative positions are dropped.
      sparse_weights: weights at the same coordinates; unless `combiner` is `"sum"`, ids with
        weights <= 0 are dropped.
      combiner: `"mean"`, `"sqrtn"` or `"sum"`.
      default_id: the id that a row without ids looks up; when `None` the row is 0.
      max_norm: rows with a larger l2 norm are scaled down to it.
      name: ignored.
      allow_fast_lookup: ignored.

    Returns:
      An array of shape `sparse_ids.dense_shape[:-1]`, followed by the shape of a table row.

    Raises:
      ValueError: the combiner is unknown.
      InvalidArgumentError: an id is too large.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The dense shape of the ids may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/safe_embedding_lookup_sparse
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    ids, weights = _as_sparse(sparse_ids), _as_sparse(sparse_weights)
    _check_arguments("safe_embedding_lookup_sparse", ids, weights, combiner)
    outer = dims("safe_embedding_lookup_sparse", ids)[:-1]
    ids, weights, rows = _as_matrix(ids, weights, outer)
    valid = ids.values >= 0
    if weights is not None:
        # A sum allows weights of any sign.
        valid = valid if combiner == "sum" else valid & (weights.values > 0)
        weights = kept(weights, valid)
    ids = kept(ids, valid)
    filled, is_empty = fill_empty_rows(ids, 0 if default_id is None else default_id)
    if weights is not None:
        weights, _ = fill_empty_rows(weights, 1.0)
    found = rows_of("safe_embedding_lookup_sparse", embedding_weights, operand(filled.values))
    if max_norm is not None:
        found = _clip_row_norms(found, max_norm)
    row = filled.indices[:, 0]
    weight = jnp.ones(row.shape, found.dtype) if weights is None else weights.values
    weight = primitives.unify_axis(weight.astype(found.dtype), 0, row.shape[0], label="embedding")
    out = _combine_rows(found, weight, row, rows, combiner)
    if default_id is None:
        out = jnp.where(is_empty.reshape((rows, *(1,) * (out.ndim - 1))), 0, out)
    return out.reshape((*outer, *out.shape[1:]))


def _as_matrix(ids: SparseTensor, weights, outer):
    """Merge all axes but the last one of ids and weights."""
    if len(outer) == 1:
        return ids, weights, outer[0]
    rows, row = 1, jnp.zeros((ids.indices.shape[0],), ids.indices.dtype)
    for i, d in enumerate(outer):
        row = row * primitives.as_size(d).astype(row.dtype) + ids.indices[:, i]
        rows = rows * d
    shape = jnp.stack([primitives.as_size(rows).astype(row.dtype), ids.dense_shape[-1]])
    indices = jnp.stack([row, ids.indices[:, -1]], 1)
    flat = [unchecked(indices, x.values, shape) for x in (ids, weights) if x is not None]
    return flat[0], flat[1] if weights is not None else None, rows
