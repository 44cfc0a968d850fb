"""Define feature columns, and the features of one call from which columns are computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import shims
from shims._src.data.specs import TensorSpec
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.types.host_tensor import host
from shims._src.v1.control_flow.sparse_tensors import convert_to_tensor_or_sparse_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.host_calls import is_text, with_outline
from shims._src.v1.graph.nodes import Tensor

_expand_dims = deferred(shims.expand_dims, "expand_dims")


class IdWeightPair(NamedTuple):
    """The ids of a categorical column, a `SparseTensor`, and their weights, another one or `None`."""

    id_tensor: Any
    weight_tensor: Any


class FeatureColumn:
    """The base class of feature columns: a name, and a function of features."""

    __module__ = "shims.compat.v1.feature_column"

    @property
    def name(self) -> str:
        """The name, by which columns are ordered."""
        raise NotImplementedError

    @property
    def scope_name(self) -> str:
        """The default name of the variable scope of the column."""
        return self.name

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        raise NotImplementedError

    def transformed(self, features: Features) -> Any:
        """Return the tensor that the column makes of the features; call `features.get` instead."""
        raise NotImplementedError


class DenseColumn(FeatureColumn):
    """A column of numbers."""

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of the numbers of an example."""
        raise NotImplementedError

    def dense_tensor(self, features: Features, collections=None, trainable=None) -> Tensor:
        """Return the numbers, with a first axis of examples."""
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """A column of ids."""

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        raise NotImplementedError

    def sparse_tensors(self, features: Features) -> IdWeightPair:
        """Return the ids and their weights."""
        return IdWeightPair(features.get(self), None)


class Features:
    """The features of a call, and what columns have already made of them.

    Args:
      features: a dict from names to tensors and sparse tensors.
    """

    def __init__(self, features: Mapping[str, Any]):
        self._raw = dict(features)
        self._found: dict[Any, Any] = {}

    def get(self, key: str | FeatureColumn) -> Any:
        """Return a feature by its name, or what a column makes of the features.

        Raises:
          ValueError: there is no such feature, or it has no known rank, or rank 0.
        """
        if key not in self._found:
            self._found[key] = key.transformed(self) if not isinstance(key, str) else self._of(key)
        return self._found[key]

    def _of(self, key: str) -> Any:
        if key not in self._raw:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        value = convert_to_tensor_or_sparse_tensor(self._raw[key])
        shape = value.get_shape() if isinstance(value, SparseTensor) else value.shape
        rank = shape.rank
        if rank is None or rank == 0 or (rank == 1 and isinstance(value, SparseTensor)):
            raise ValueError(
                f"Feature (key: {key}) needs a known rank of 1 or more, or 2 if it is sparse; its shape "
                f"is {shape}. Set it with `set_shape`, or with `tf.sparse_reshape`."
            )
        return _expand_dims(value, -1) if rank == 1 else value


def check_columns(feature_columns) -> list[FeatureColumn]:
    """Return the columns as a list.

    Raises:
      ValueError: there are none, one is not a column, or two have the same name.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = list(feature_columns)
    by_name: dict[str, FeatureColumn] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): "
                f"{column}."
            )
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{by_name[column.name]}."
            )
        by_name[column.name] = column
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    return columns


def to_sparse(value, *, on_host: bool) -> SparseTensor:
    """Return the elements of a tensor of ids or texts that are not missing, as a sparse tensor.

    Args:
      value: a tensor, or a sparse tensor, which is returned as it is. -1 and `""` are missing.
      on_host: whether what follows is computed in Python, as hashes and table lookups are.
    """
    if isinstance(value, SparseTensor):
        return value
    f = _find_in_python if on_host or is_text(value) else _find
    indices, values, shape = operation_of(f, (value,), {}, public="where")
    rank = value.shape.rank
    indices.set_shape([None, rank])
    values.set_shape([None])
    shape.set_shape([rank])
    return unchecked(indices, values, shape)


def _find(value):
    indices = shims.where(value != -1)
    return indices, shims.gather_nd(value, indices), shims.shape(value, np.int64)


def _outline(value):
    rank = value.shape.rank
    dtype = object if is_text(value) else value.dtype.dtype
    indices, shape = TensorSpec([None, rank], np.int64), TensorSpec([rank], np.int64)
    return indices, TensorSpec([None], dtype), shape


@with_outline(_outline)
def _find_in_python(value):
    array = np.asarray(value)
    found = array != (b"" if array.dtype.hasobject else -1)
    indices = np.argwhere(found).astype(np.int64)
    return host(indices), host(array[found]), host(np.asarray(array.shape, np.int64))
