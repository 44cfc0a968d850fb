"""Convert between the specs of dataset components and tensors of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import specs
from shims._src.data.specs import TensorSpec
from shims._src.errors import errors
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.types.dtypes import as_dtype, int64, string
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import constant_value_as_shape
from shims._src.v1.graph.shapes import GraphShape


def outputs_of(spec) -> list[tuple[Any, Any]]:
    """Return the shapes and dtypes of the tensors of a component."""
    if isinstance(spec, specs.NoneTensorSpec):
        return []
    if isinstance(spec, specs.DatasetSpec):
        raise errors.UnimplementedError(
            errors.message(
                "Iterator.get_next",
                "an element of the dataset is itself a dataset, which is not supported while a graph is built.",
                do="join the inner datasets: `dataset.flat_map(lambda inner: inner.batch(n))`",
            )
        )
    shape = None if spec.shape.rank is None else spec.shape.as_list()
    dtype = string if np.dtype(spec.dtype).hasobject else as_dtype(spec.dtype)
    if isinstance(spec, SparseTensorSpec):
        rank = None if shape is None else len(shape)
        return [([None, rank], int64), ([None], dtype), ([rank], int64)]
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        inner = (shape or [])[spec.ragged_rank + 1 :]
        return [([None, *inner], dtype), *[([None], int64)] * spec.ragged_rank]
    return [(shape, dtype)]


def component(spec, leaves) -> Any:
    """Return a component made of the next tensors of an operation."""
    if isinstance(spec, specs.NoneTensorSpec):
        return None
    if isinstance(spec, SparseTensorSpec):
        return unchecked(next(leaves), next(leaves), next(leaves))
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        found = next(leaves)
        for _ in range(spec.ragged_rank):
            found = RaggedTensor(found, next(leaves))
        return found
    return next(leaves)


def spec_of(value) -> Any:
    """Return the spec of a component made of tensors of a graph."""
    if value is None:
        return specs.NoneTensorSpec()
    if isinstance(value, SparseTensor):
        shape = constant_value_as_shape(value.dense_shape)
        return SparseTensorSpec(_sizes(shape), _numpy_dtype(value.values))
    if isinstance(value, RaggedTensor):
        flat = value.flat_values
        inner = _sizes(flat.shape)[1:]
        axes = [None] * (value.ragged_rank + 1)
        return RaggedTensorSpec(
            [*axes, *inner], _numpy_dtype(flat), value.ragged_rank, row_splits_dtype=np.int64
        )
    if isinstance(value, Tensor):
        return TensorSpec(_sizes(value.shape), _numpy_dtype(value))
    return specs.DatasetSpec(value.element_spec)


def _sizes(shape: GraphShape) -> Any:
    return None if shape.rank is None else shape.as_list()


def _numpy_dtype(tensor: Tensor) -> np.dtype:
    return np.dtype(object) if tensor.dtype == string else tensor.dtype.dtype
