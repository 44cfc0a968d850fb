"""Define the shapes and dtypes of the features that `parse_example` extracts."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

import numpy as np

from shims._src.types.dtypes import as_dtype


class FixedLenFeature(NamedTuple):
    """A feature of known shape.

    Attributes:
      shape: the shape.
      dtype: float32, int64 or string.
      default_value: the value where the feature is missing; an error when `None`.

    https://www.tensorflow.org/api_docs/python/tf/io/FixedLenFeature
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any number of values, which becomes a `SparseTensor`.

    Attributes:
      dtype: float32, int64 or string.

    https://www.tensorflow.org/api_docs/python/tf/io/VarLenFeature
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows of known shape, padded in a batch.

    Attributes:
      shape: the shape of a row.
      dtype: float32, int64 or string.
      allow_missing: must be true, except in `parse_sequence_example`.
      default_value: the value to pad with.

    https://www.tensorflow.org/api_docs/python/tf/io/FixedLenSequenceFeature
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """Two features, coordinates and values, which become a `SparseTensor`.

    Attributes:
      index_key: the name of the coordinates, or several names.
      value_key: the name of the values.
      dtype: float32, int64 or string.
      size: the size, or the sizes, of the dense tensor.
      already_sorted: whether the coordinates are in order.

    https://www.tensorflow.org/api_docs/python/tf/io/SparseFeature
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RaggedFeature(
    collections.namedtuple("RaggedFeature", "dtype value_key partitions row_splits_dtype validate")
):
    """A feature of any number of values, which becomes a `RaggedTensor`.

    Args:
      dtype: float32, int64 or string.
      value_key: the name of the values; by default the name of the feature.
      partitions: inner partitions, such as `RaggedFeature.RowLengths(key)`.
      row_splits_dtype: int32 or int64.
      validate: accepted and ignored, because partitions are always checked.

    https://www.tensorflow.org/api_docs/python/tf/io/RaggedFeature
    """

    RowSplits = collections.namedtuple("RowSplits", "key")
    RowLengths = collections.namedtuple("RowLengths", "key")
    RowStarts = collections.namedtuple("RowStarts", "key")
    RowLimits = collections.namedtuple("RowLimits", "key")
    ValueRowIds = collections.namedtuple("ValueRowIds", "key")
    UniformRowLength = collections.namedtuple("UniformRowLength", "length")

    def __new__(
        cls, dtype, value_key=None, partitions=(), row_splits_dtype=np.int32, validate=False
    ):
        """Create the description of a feature."""
        return super().__new__(
            cls, dtype, value_key, tuple(partitions), as_dtype(row_splits_dtype), validate
        )
