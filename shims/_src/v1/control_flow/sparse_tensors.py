"""Sparse tensors of a graph: made of tensors, fed and fetched as a whole."""

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


class _OfGraph(type):
    """Lets `SparseTensor(...)` take tensors, and every sparse tensor be one."""

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


class SparseTensor(Arrays, metaclass=_OfGraph):
    """Values at coordinates; everything else is 0.

    Args:
      indices: int64 `[n, rank]`.
      values: `[n]`.
      dense_shape: int64 `[rank]`.

    Raises:
      ValueError: the shapes of the three do not fit together.

    Differs from TensorFlow:
      Text can be held, and no operator takes it.

    https://www.tensorflow.org/api_docs/python/tf/sparse/SparseTensor
    """

    __module__ = "shims.compat.v1"
    __slots__ = ()

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """The sparse tensor of what a session gave for one, or of a sparse tensor."""
        if isinstance(sparse_tensor_value, Arrays):
            return sparse_tensor_value
        return cls(*sparse_tensor_value)


def _check(indices: GraphShape, values: GraphShape, dense_shape: GraphShape) -> None:
    indices, values = indices.with_rank(2), values.with_rank(1)
    indices[:1].assert_is_compatible_with(values)
    indices[1:].assert_is_compatible_with(dense_shape.with_rank(1))


def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor that has to be fed: its three parts, or a `SparseTensorValue`.

    Args:
      dtype: the dtype of its values.
      shape: its dense shape, `None` for unknown sizes; nothing is known if `None`.
      name: the scope of its three parts.

    Raises:
      RuntimeError: operators run at once.

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
    """An array with values at coordinates.

    Args:
      sparse_indices: one coordinate, a vector of them, or `[n, rank]`.
      output_shape: the shape, `[rank]`.
      sparse_values: a value, or one for each coordinate.
      default_value: what stands elsewhere.
      validate_indices: whether coordinates that are out of order are an error.
      name: the name of the operation.

    Returns:
      An array of shape `output_shape`.

    Raises:
      InvalidArgumentError: a coordinate lies outside, or is out of order or repeated.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/sparse_to_dense
    """
    arguments = (sparse_indices, output_shape, sparse_values, default_value, validate_indices)
    if executing_eagerly():
        return _dense(*arguments)
    sparse_values = convert_to_tensor(sparse_values)
    default_value = convert_to_tensor(default_value, sparse_values.dtype)
    arguments = (sparse_indices, output_shape, sparse_values, default_value, validate_indices)
    return operation_of(
        _dense, arguments, {}, public="sparse_to_dense", name=name or "SparseToDense"
    )


def _dense(indices, shape, values, default, validate: bool):
    indices, values, shape = as_array(indices), as_array(values), as_array(shape)
    default = operand(default, values.dtype)
    if indices.ndim < 2:
        indices = jnp.reshape(indices, (-1, 1))
    if values.ndim == 0:
        values = jnp.broadcast_to(values, (indices.shape[0],))
    if shape.shape != indices.shape[1:] or values.shape != indices.shape[:1]:
        raise checks.invalid(
            "sparse_to_dense",
            "the shapes do not fit together.",
            required="sparse_indices [n, rank], sparse_values [n], output_shape [rank]",
            received=f"{describe(indices)}, {describe(values)}, {describe(shape)}",
        )
    sparse = Arrays(indices, values, shape)
    return dense.to_dense(sparse, default, validate)


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A sparse tensor as it is, what a session gave for one as one, anything else as a tensor.

    Raises:
      RuntimeError: the sparse tensor has another dtype.

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
    """`IndexedSlices` and sparse tensors as they are, anything else as a tensor.

    https://www.tensorflow.org/api_docs/python/tf/convert_to_tensor_or_indexed_slices
    """
    if isinstance(value, (IndexedSlices, Arrays)):
        return value
    return convert_to_tensor(value, dtype, name)
