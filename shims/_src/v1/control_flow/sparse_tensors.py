"""Provide sparse tensors of a graph, which can be fed and fetched like tensors."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.conversion import as_array
from shims._src.arguments.operands import describe, operand
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.sparse import dense
from shims._src.sparse.tensor import SparseTensor as Arrays
from shims._src.sparse.tensor import unchecked
from shims._src.types.dtypes import as_dtype, int64
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import constant_value_as_shape
from shims._src.v1.graph.placeholders import placeholder, placeholder_with_default
from shims._src.v1.graph.shapes import GraphShape


class _GraphSparseTensorMeta(type):
    """The metaclass of `SparseTensor`, whose constructor accepts tensors of a graph.

    All sparse tensors, also those of arrays, are instances of `SparseTensor`.
    """

    def __call__(cls, indices, values, dense_shape):
        if executing_eagerly():
            return Arrays(indices, values, dense_shape)
        with get_default_graph().name_scope("SparseTensor"):
            parts = (
                convert_to_tensor(indices, int64, name="indices"),
                convert_to_tensor(values, name="values"),
                convert_to_tensor(dense_shape, int64, name="dense_shape"),
            )
        _check(*(t.shape for t in parts))
        return unchecked(*parts)

    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, Arrays)


class SparseTensor(Arrays, metaclass=_GraphSparseTensorMeta):
    """A tensor of values at given indices, with zeros elsewhere.

    Args:
      indices: int64 `[n, rank]`.
      values: `[n]`.
      dense_shape: int64 `[rank]`.

    Raises:
      ValueError: the shapes of the arguments are incompatible.

    Differs from TensorFlow:
      String values can be stored, but no operator accepts them.

    https://www.tensorflow.org/api_docs/python/tf/sparse/SparseTensor
    """

    __module__ = "shims.compat.v1"
    __slots__ = ()

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """Convert a fetched `SparseTensorValue` to a sparse tensor; return a sparse tensor unchanged."""
        if isinstance(sparse_tensor_value, Arrays):
            return sparse_tensor_value
        return cls(*sparse_tensor_value)


def _check(indices: GraphShape, values: GraphShape, dense_shape: GraphShape) -> None:
    indices, values = indices.with_rank(2), values.with_rank(1)
    indices[:1].assert_is_compatible_with(values)
    indices[1:].assert_is_compatible_with(dense_shape.with_rank(1))


def sparse_placeholder(dtype, shape=None, name=None):
    """Create a sparse tensor that must be fed, as three parts or a `SparseTensorValue`.

    Args:
      dtype: the dtype of the values.
      shape: the dense shape, with `None` for unknown sizes. If `shape` itself is `None`, even the rank is unknown.
      name: the name scope of the three parts.

    Raises:
      RuntimeError: eager execution is on.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/sparse_placeholder
    """
    if executing_eagerly():
        raise RuntimeError("`sparse_placeholder` is not compatible with eager execution.")
    part = lambda last: f"{name}/{last}" if name is not None else None
    if shape is None:
        rank, known = None, GraphShape(None)
        dense_shape = placeholder(int64, [None], part("shape"))
    else:
        if isinstance(shape, Tensor):
            known, default = constant_value_as_shape(shape), shape
        else:
            sizes = [None if d == -1 else d for d in GraphShape(shape).as_list()]
            known = GraphShape(sizes)
            default = [-1 if d is None else d for d in sizes]
            default = convert_to_tensor(default, int64, name=part("shape_default"))
        rank = default.shape.as_list()[0]
        dense_shape = placeholder_with_default(default, default.shape, part("shape"))
    dense_shape.op.attributes["shapes"] = {0: known}
    values = placeholder(dtype, [None], part("values"))
    indices = placeholder(int64, [None, rank], part("indices"))
    if rank is None:
        dense_shape.op.attributes["rank_axis"] = 0
        indices.op.attributes["rank_axis"] = 1
    get_default_graph().unique_name("SparseTensor")
    return unchecked(indices, values, dense_shape)


def sparse_to_dense(
    sparse_indices,
    output_shape,
    sparse_values,
    default_value=0,
    validate_indices=True,
    name=None,
):
    """Create a dense array with values at given indices.

    Args:
      sparse_indices: an index, a vector of indices, or an array `[n, rank]`.
      output_shape: the shape, `[rank]`.
      sparse_values: one value, or a value for each index.
      default_value: the value of all other elements.
      validate_indices: whether unsorted indices are an error.
      name: the name of the operation.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: an index is out of bounds, out of order or repeated.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/sparse_to_dense
    """
    arguments = (sparse_indices, output_shape, sparse_values, default_value, validate_indices)
    if executing_eagerly():
        return _to_dense(*arguments)
    sparse_values = convert_to_tensor(sparse_values)
    default_value = convert_to_tensor(default_value, sparse_values.dtype)
    arguments = (sparse_indices, output_shape, sparse_values, default_value, validate_indices)
    return operation_of(
        _to_dense, arguments, {}, public="sparse_to_dense", name=name or "SparseToDense"
    )


def _to_dense(indices, shape, values, default, validate: bool):
    indices, values, shape = as_array(indices), as_array(values), as_array(shape)
    default = operand(default, values.dtype)
    if indices.ndim < 2:
        indices = jnp.reshape(indices, (-1, 1))
    if values.ndim == 0:
        values = jnp.broadcast_to(values, (indices.shape[0],))
    if shape.shape != indices.shape[1:] or values.shape != indices.shape[:1]:
        raise checks.invalid(
            "sparse_to_dense",
            "the shapes of the arguments are incompatible.",
            required="sparse_indices [n, rank], sparse_values [n], output_shape [rank]",
            received=f"{describe(indices)}, {describe(values)}, {describe(shape)}",
        )
    sparse = Arrays(indices, values, shape)
    return dense.to_dense(sparse, default, validate)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """Convert a value to a tensor, or a `SparseTensorValue` to a sparse tensor.

    A sparse tensor is returned unchanged.

    Raises:
      RuntimeError: the sparse tensor has a different dtype.

    https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor_or_sparse_tensor
    """
    if type(value).__name__ == "SparseTensorValue":
        value = SparseTensor.from_value(value)
    if isinstance(value, Arrays):
        if dtype is not None and as_dtype(dtype) != as_dtype(value.dtype):
            raise RuntimeError(
                f"Sparse dtype mismatch. Requested: {as_dtype(dtype).name}, "
                f" Actual: {as_dtype(value.dtype).name}"
            )
        return value
    return convert_to_tensor(value, dtype, name)


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """Convert a value to a tensor; return `IndexedSlices` and sparse tensors unchanged.

    https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor_or_indexed_slices
    """
    if isinstance(value, (IndexedSlices, Arrays)):
        return value
    return convert_to_tensor(value, dtype, name)
