"""Define numeric columns, and the buckets of their numbers."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import shims
from shims._src.data.features import FixedLenFeature
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.types.dtypes import as_dtype, float32
from shims._src.v1.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    Features,
    IdWeightPair,
)
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.standard_operators import cast


@dataclasses.dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """A column of real numbers; `numeric_column` describes its fields."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Callable | None

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of the numbers of an example."""
        return self.shape

    def transformed(self, features: Features):
        """Return the normalized numbers, float32."""
        value = features.get(self.key)
        if isinstance(value, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not "
                f"supported. key: {self.key}"
            )
        return cast(value if self.normalizer_fn is None else self.normalizer_fn(value), float32)

    def dense_tensor(self, features: Features, collections=None, trainable=None):
        """Return the numbers."""
        return features.get(self)


def numeric_column(key, shape=(1,), default_value=None, dtype=float32, normalizer_fn=None):
    """Return a column of real numbers.

    Args:
      key: the name of the feature, and of the column.
      shape: the shape of the numbers of an example.
      default_value: the value that `parse_example` uses if the feature is missing, which is a
        number, or numbers in the shape `shape`.
      dtype: the dtype of the feature in an `Example`.
      normalizer_fn: a function that is applied to the feature.

    Raises:
      ValueError: a size is not positive, `dtype` is not numeric, or `default_value` does not fit.
      TypeError: the key is not a text, `normalizer_fn` is not a function, or a default is not a number.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/numeric_column
    """
    check_key(key)
    sizes, dtype = checked_numbers(key, shape, dtype, normalizer_fn)
    return NumericColumn(key, sizes, _filled(default_value, sizes, key), dtype, normalizer_fn)


def checked_numbers(key: str, shape, dtype, normalizer_fn) -> tuple[tuple[int, ...], Any]:
    """Return the sizes and the dtype of a column of numbers.

    Raises:
      ValueError: a size is not positive, or the dtype is not numeric.
      TypeError: a size is not an integer, or `normalizer_fn` is not a function.
    """
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if any(not isinstance(n, int) for n in sizes):
        raise TypeError(f"shape dimensions must be integer. shape: {sizes}")
    if any(n < 1 for n in sizes):
        raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}")
    found = as_dtype(dtype)
    if not (found.is_integer or found.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {found}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return sizes, found


def _filled(value, shape: tuple[int, ...], key: str):
    """Return a default value as a number of the shape, in nested tuples."""
    if value is None:
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"default_value must be numeric. default_value: {value}, key: {key}")
    if array.ndim and array.shape != shape:
        raise ValueError(
            f"The shape of default_value must be equal to given shape. default_value: {value}, shape: "
            f"{shape}, key: {key}"
        )
    return _tuples(np.broadcast_to(array, shape).tolist())


def _tuples(value):
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def check_key(key) -> None:
    """Check that a key is a text."""
    if not isinstance(key, str):
        raise TypeError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


@dataclasses.dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """A column of the buckets of numbers; `bucketized_column` describes its fields."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        """The name of the numbers, and `_bucketized`."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of the buckets of an example, one-hot."""
        return (*self.source_column.shape, len(self.boundaries) + 1)

    @property
    def num_buckets(self) -> int:
        """The number of buckets of all numbers of an example."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transformed(self, features: Features):
        """Return the number of the bucket of each number."""
        source = features.get(self.source_column)
        return operation_of(_bucket, (source, self.boundaries), {}, public="bucketize")

    def dense_tensor(self, features: Features, collections=None, trainable=None):
        """Return the buckets, one-hot."""
        args = features.get(self), len(self.boundaries) + 1
        return operation_of(shims.one_hot, args, {}, public="one_hot")

    def sparse_tensors(self, features: Features) -> IdWeightPair:
        """Return an id for each number of an example; each number has ids of its own."""
        args = features.get(self), len(self.boundaries) + 1
        indices, ids, shape = operation_of(_ids, args, {}, public="stack")
        return IdWeightPair(unchecked(indices, ids, shape), None)


def _bucket(x, boundaries):
    # A NaN is after all boundaries, as it is for a binary search by `<`.
    below = shims.cast(x[..., None] < np.asarray(boundaries, np.float32), np.int32)
    return len(boundaries) - shims.reduce_sum(below, -1)


def _ids(buckets, count):
    rows, width = shims.shape(buckets)[0], buckets.shape[1]
    column = shims.tile(shims.range(width), [rows])
    row = shims.reshape(shims.tile(shims.expand_dims(shims.range(rows), 1), [1, width]), [-1])
    ids = shims.cast(shims.reshape(buckets, [-1]) + count * column, np.int64)
    indices = shims.cast(shims.stack([row, column], 1), np.int64)
    return indices, ids, shims.cast(shims.stack([rows, width]), np.int64)


def bucketized_column(source_column, boundaries):
    """Return a column of the buckets between boundaries into which numbers fall.

    Args:
      source_column: a `numeric_column` of rank 1.
      boundaries: the boundaries, ascending; a number equal to a boundary is in the bucket after
        this boundary.

    Raises:
      ValueError: the source is not a numeric column of rank 1, or the boundaries do not ascend.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/bucketized_column
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). Given: "
            f"{source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    ascends = isinstance(boundaries, (list, tuple)) and all(
        a < b for a, b in itertools.pairwise(boundaries)
    )
    if not boundaries or not ascends:
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
