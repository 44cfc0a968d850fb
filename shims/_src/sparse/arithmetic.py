"""Multiply, add and reduce sparse tensors."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks, kernels
from shims._src.arguments.checks import axes_of, is_known
from shims._src.arguments.operands import describe, matching, operand
from shims._src.array.shapes import size_of
from shims._src.errors import errors
from shims._src.math.segment_reducers import largest_or_zero, total
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sparse import ordering
from shims._src.sparse.dense import check_inside
from shims._src.sparse.selection import kept
from shims._src.sparse.tensor import (
    columns,
    coordinates,
    dims,
    is_sparse,
    rank_of,
    sizes_as_vector,
    unchecked,
)
from shims._src.tracing.sized_by import selected_by


@selected_by("sp_a")
def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """Multiply a sparse matrix by a dense matrix.

    Args:
      sp_a: sparse matrix; an array if `b` is sparse.
      b: array `[k, m]` of the same dtype.
      adjoint_a: whether to use the conjugate transpose of `sp_a`.
      adjoint_b: whether to use the conjugate transpose of `b`.
      name: ignored.

    Returns:
      An array `[n, m]`.

    Raises:
      InvalidArgumentError: the inner sizes differ, or a coordinate is out of range.
      DtypeMismatchError: the operands have different dtypes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Gradients flow to the values and to `b`.

    https://www.tensorflow.org/api_docs/python/tf/sparse/sparse_dense_matmul
    """
    if is_sparse(b) and not is_sparse(sp_a):
        out = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return jnp.conj(out.T)
    b = operand(b, None)
    if rank_of(sp_a) != 2 or b.ndim != 2:
        raise checks.invalid(
            "sparse_dense_matmul",
            "an operand is not a matrix.",
            required="rank 2",
            received=f"sparse of rank {rank_of(sp_a)}, {describe(b)}",
        )
    sizes = dims("sparse_dense_matmul", sp_a)
    row, column = columns(sp_a)
    values, b = matching("sparse_dense_matmul", sp_a=sp_a.values, b=b)
    if adjoint_a:
        sizes, row, column, values = sizes[::-1], column, row, jnp.conj(values)
    b = jnp.conj(b.T) if adjoint_b else b
    if is_known(sizes[1]) and is_known(b.shape[0]) and sizes[1] != b.shape[0]:
        raise checks.invalid(
            "sparse_dense_matmul",
            "the inner sizes of the matrices differ.",
            required=f"`b` with {sizes[1]} rows",
            received=describe(b),
        )
    if not (is_known(sizes[1]) and is_known(b.shape[0])):
        b = primitives.unify_axis(b, 0, sizes[1], label="sparse_dense_matmul")
    checks.check_positions("sparse_dense_matmul", "rows of `sp_a`", row, sizes[0])
    checks.check_positions("sparse_dense_matmul", "columns of `sp_a`", column, sizes[1])
    if is_known(b.shape[0]) and b.shape[0] == 0:
        return jnp.zeros((sizes[0], b.shape[1]), b.dtype)
    products = values[:, None] * primitives.take(b, column, 0)
    out = jnp.zeros((sizes[0], b.shape[1]), products.dtype)
    if is_known(products.shape[0]) and products.shape[0] == 0:
        return primitives.connected(out, products)
    return out.at[row].add(products, mode="drop")


def _reduce(function, sp, axis, keepdims, output_is_sparse, reduce, *, takes):
    kernels.check_dtype(function, takes, sp.values.dtype)
    if output_is_sparse:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "`output_is_sparse` is not supported.",
                do="reduce to an array, then call `shims.sparse.from_dense`",
            )
        )
    sizes = dims(function, sp)
    check_inside(function, sp, sizes)
    axes = axes_of(function, axis, rank_of(sp))
    left = [i for i in range(rank_of(sp)) if i not in axes]
    ids = jnp.zeros((sp.values.shape[0],), jnp.int32)
    count = 1
    for i in left:
        size = primitives.as_size(sizes[i])
        ids = ids * size + columns(sp)[i].astype(jnp.int32)
        count = count * sizes[i]
    out = reduce(sp.values, ids, count)
    if keepdims:
        return out.reshape([1 if i in axes else d for i, d in enumerate(sizes)])
    return out.reshape([sizes[i] for i in left])


@selected_by("sp_input")
def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Sum a sparse tensor over axes.

    Args:
      sp_input: sparse tensor.
      axis: the axes to sum over; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      output_is_sparse: must be False.
      name: ignored.

    Returns:
      An array.

    Raises:
      UnimplementedError: `output_is_sparse` is True.

    Differs from TensorFlow:
      Sparse results are not supported.

    Under jit:
      The sizes of the operand may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reduce_sum
    """
    options = axis, keepdims, output_is_sparse
    return _reduce("sparse.reduce_sum", sp_input, *options, total, takes="number")


def _segment_max(values, ids, count):
    return largest_or_zero(values, ids, count)


@selected_by("sp_input")
def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """Return the maximum of the stored values over axes; 0 where no values are stored.

    Args:
      sp_input: sparse tensor.
      axis: the axes to reduce; all when `None`.
      keepdims: whether to keep the reduced axes with size 1.
      output_is_sparse: must be False.
      name: ignored.

    Returns:
      An array.

    Raises:
      UnimplementedError: `output_is_sparse` is True.

    Differs from TensorFlow:
      Sparse results are not supported. The result is differentiable, unlike TensorFlow's.

    Under jit:
      The sizes of the operand may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reduce_max
    """
    options = axis, keepdims, output_is_sparse
    return _reduce("sparse.reduce_max", sp_input, *options, _segment_max, takes="real")


@selected_by("a", "b")
def add(a, b, threshold=0):
    """Add two sparse tensors, or a sparse tensor and an array.

    Args:
      a: sparse tensor or array.
      b: sparse tensor or array of the same shape; `a` or `b` must be sparse.
      threshold: for two sparse tensors, sums of smaller magnitude are dropped.

    Returns:
      A `SparseTensor` in row-major order if both are sparse, otherwise an array.

    Raises:
      TypeError: neither is sparse.
      InvalidArgumentError: the shapes differ.
      DtypeMismatchError: the operands have different dtypes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/add
    """
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError("At least one input should be SparseTensor; do you mean `shims.add`?")
    if is_sparse(a) and is_sparse(b):
        return _add_sparse(a, b, threshold)
    sp, array = (a, b) if is_sparse(a) else (b, a)
    values, array = matching("sparse.add", a=sp.values, b=operand(array, None))
    if array.ndim != rank_of(sp):
        raise checks.invalid("sparse.add", "the operands have different ranks.")
    checks.check_data(
        sp.dense_shape != sizes_as_vector(sp, array),
        "sparse.add",
        "the shapes differ.",
        required="a sparse tensor and an array of the same shape",
    )
    check_inside("sparse.add", sp, array.shape)
    return array.at[tuple(columns(sp))].add(values, mode="drop")


def _add_sparse(a, b, threshold):
    if rank_of(a) != rank_of(b):
        raise checks.invalid("sparse.add", "the operands have different ranks.")
    checks.check_data(
        a.dense_shape != b.dense_shape,
        "sparse.add",
        "the shapes differ.",
        required="two sparse tensors of the same shape",
    )
    indices = jnp.concatenate([a.indices, b.indices])
    values = jnp.concatenate(matching("sparse.add", a=a.values, b=b.values))
    out = ordering.combined(unchecked(indices, values, a.dense_shape))
    is_zero = not checks.jp.is_tracer(threshold) and threshold == 0
    if is_zero and not jnp.issubdtype(out.dtype, jnp.inexact):
        return out
    # NaN fails every threshold, 0 included, but XLA simplifies `abs(x) >= 0` to true.
    return kept(out, (jnp.abs(out.values) >= threshold) & ~jnp.isnan(out.values))


def eye(num_rows, num_columns=None, dtype=jnp.float32, name=None):
    """Build an identity matrix as a sparse tensor.

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; equal to the number of rows when `None`.
      dtype: the dtype of the ones.
      name: ignored.

    Returns:
      A `SparseTensor`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced; the number of entries is then data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/eye
    """
    from shims._src.types.dtypes import array_dtype

    sizes = [size_of("sparse.eye", d) for d in (num_rows, num_columns) if d is not None]
    shape = coordinates("num_rows", jnp.stack([primitives.as_size(sizes[i]) for i in (0, -1)]))
    place = coordinates("num_rows", jnp.arange(jp.core.min_dim(sizes[0], sizes[-1])))
    ones = jnp.ones(place.shape, array_dtype(dtype, "sparse.eye"))
    return unchecked(jnp.stack([place, place], 1), ones, shape)
