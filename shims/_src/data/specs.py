"""Compute the specs of elements: of values, batches and rows, and the common spec of several elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import structures
from shims._src.data.node import Node, Published
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.sparse.tensor import SparseTensor
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec


class NoneTensorSpec:
    """The spec of `None`.

    https://www.tensorflow.org/api_docs/python/tf/NoneTensorSpec
    """

    def is_compatible_with(self, other) -> bool:
        """Return whether a value is `None`."""
        return other is None or isinstance(other, NoneTensorSpec)

    def __eq__(self, other) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


class DatasetSpec:
    """The spec of a dataset as a component of an element.

    Args:
      element_spec: the specs of the elements.
      dataset_shape: the shape; anything but a scalar is not supported.

    https://www.tensorflow.org/api_docs/python/tf/data/DatasetSpec
    """

    __module__ = "shims.data"

    def __init__(self, element_spec, dataset_shape=()):
        self.element_spec = element_spec
        self._shape = TensorShape(dataset_shape)

    @classmethod
    def from_value(cls, value) -> DatasetSpec:
        """Return the spec of a dataset."""
        return cls(value.element_spec)

    @property
    def value_type(self) -> type:
        """The class of the values."""
        return type(Published.as_dataset(Node()))

    def is_compatible_with(self, other) -> bool:
        """Return whether a dataset or a spec has elements of these specs."""
        return getattr(other, "element_spec", None) == self.element_spec

    def __eq__(self, other) -> bool:
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(DatasetSpec)

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec}, {self._shape!r})"


def spec_of(component) -> Any:
    """Return the spec of a component."""
    if component is None:
        return NoneTensorSpec()
    if isinstance(component, RaggedTensor):
        shape = [len(component.row_splits) - 1, *component.shape[1:]]
        return RaggedTensorSpec(shape, component.dtype, component.ragged_rank, np.int64)
    if isinstance(component, SparseTensor):
        return SparseTensorSpec(np.asarray(component.dense_shape).tolist(), component.dtype)
    if isinstance(component, Node):
        return DatasetSpec(component.spec)
    return TensorSpec(component.shape, component.dtype)


def of_element(element) -> Any:
    """Return the structure of specs of an element."""
    return structures.map_leaves(spec_of, element)


def of_elements(elements: list) -> Any:
    """Return the structure of specs that describes several elements."""
    first, *others = map(of_element, elements)
    for other in others:
        if structures.are_alike(first, other):
            first = structures.map_leaves(lambda a, b: common(a, b) or a, first, other)
    return first


def with_shape(spec, shape) -> Any:
    """Return a spec with another shape, and one more or one fewer ragged axis to match."""
    shape = TensorShape(shape)
    if isinstance(spec, RaggedTensorSpec):
        more = 0 if None in (shape.rank, spec.shape.rank) else shape.rank - spec.shape.rank
        if shape.rank == 0:
            return TensorSpec(shape, spec.dtype)
        return RaggedTensorSpec(
            shape, spec.dtype, max(spec.ragged_rank + more, 0), spec.row_splits_dtype
        )
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    if isinstance(spec, TensorSpec):
        return TensorSpec(shape, spec.dtype)
    return spec


def batched(spec, size: int | None) -> Any:
    """Return the spec of a batch of components."""
    if isinstance(spec, DatasetSpec):
        return spec
    return with_shape(spec, TensorShape([size]).concatenate(spec.shape))


def row_of(spec) -> Any:
    """Return the spec of the rows of a component.

    Raises:
      ValueError: it is a scalar.
    """
    shape = spec.shape
    if shape.rank is None:
        return spec
    if shape.rank == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return with_shape(spec, shape[1:])


def rows_in(spec) -> int | None:
    """Return the number of rows of the components, `None` if it is not known."""
    if any(isinstance(leaf, SparseTensorSpec) for leaf in structures.flatten(spec)):
        return None
    for leaf in structures.flatten(spec):
        if leaf.shape.rank and leaf.shape[0] is not None:
            return int(leaf.shape[0])
    return None


def common(a, b) -> Any:
    """Return the spec that describes the components of two specs; `None` if there is none."""
    if a == b:
        return a
    same = type(a) is type(b) and not isinstance(a, NoneTensorSpec)
    if isinstance(a, DatasetSpec) and same:
        return DatasetSpec(structures.map_leaves(common, a.element_spec, b.element_spec))
    if not same or a.dtype != b.dtype:
        return None
    return with_shape(a, a.shape.most_specific_common_supertype([b.shape]))


def dtype_text(dtype: np.dtype) -> str:
    """Return the name of a dtype as TensorFlow's messages have it."""
    return "string" if dtype.hasobject else dtype.name
