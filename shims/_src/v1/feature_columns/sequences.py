"""Define the columns of sequences, and `sequence_input_layer`: numbers for each step of each example."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import shims
from shims._src.data.features import VarLenFeature
from shims._src.data.specs import TensorSpec
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.types.dtypes import float32, string
from shims._src.types.host_tensor import host
from shims._src.v1.feature_columns import categorical
from shims._src.v1.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    Features,
    IdWeightPair,
    check_columns,
)
from shims._src.v1.feature_columns.embedded import EmbeddingColumn, IndicatorColumn
from shims._src.v1.feature_columns.numeric import check_key, checked_numbers
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.host_calls import with_outline
from shims._src.v1.graph.scope_functions import control_dependencies
from shims._src.v1.graph.standard_operators import cast, concat, identity, shape
from shims._src.v1.variables.variable_scope import variable_scope
from shims._src.v1.variables.variables import GraphKeys

_assert_equal = deferred(shims.debugging.assert_equal, "assert_equal")
_reshape = deferred(shims.reshape, "reshape")
_stack = deferred(shims.stack, "stack")
_to_dense = deferred(shims.sparse.to_dense, "sparse.to_dense")


@dataclasses.dataclass(frozen=True)
class SequenceCategoricalColumn(CategoricalColumn):
    """A column of ids for each step.

    Attributes:
      categorical_column: how a value becomes an id.
    """

    categorical_column: categorical.KeyColumn

    @property
    def name(self) -> str:
        """The name of the ids."""
        return self.categorical_column.name

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return self.categorical_column.parse_example_spec

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.categorical_column.num_buckets

    def sparse_tensors(self, features: Features) -> IdWeightPair:
        """Raise an error: the ids of steps cannot be combined to numbers of an example."""
        raise ValueError(
            "categorical_column must not be of type SequenceCategoricalColumn. Suggested fix A: If you "
            "wish to use input_layer, use a non-sequence categorical_column_with_*. Suggested fix B: If "
            "you wish to create sequence input, use sequence_input_layer instead of input_layer. Given: "
            f"{self}"
        )

    def steps(self, features: Features) -> SparseTensor:
        """Return the ids, a sparse tensor of examples, steps and further axes."""
        found: SparseTensor = self.categorical_column.sparse_tensors(features).id_tensor
        return found


@dataclasses.dataclass(frozen=True)
class SequenceNumericColumn(DenseColumn):
    """A column of real numbers for each step; `sequence_numeric_column` describes its fields."""

    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: Any
    normalizer_fn: Callable | None

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of the numbers of a step."""
        return self.shape

    def transformed(self, features: Features):
        """Return the normalized feature, a sparse tensor."""
        value = features.get(self.key)
        return value if self.normalizer_fn is None else self.normalizer_fn(value)

    def dense_tensor(self, features: Features, collections=None, trainable=None):
        """Raise an error: the numbers of steps are not numbers of an example."""
        raise ValueError(f"Use sequence_input_layer instead of input_layer for {self}")

    def sequence(self, features: Features):
        """Return the numbers of each step, and the number of steps of each example."""
        given = features.get(self)
        default = np.asarray(self.default_value, given.dtype.dtype)
        dense = cast(_to_dense(given, default_value=default), float32)
        count = 1
        if given.get_shape().rank == 2:
            count = int(np.prod(self.shape))
        dense = _reshape(dense, [shape(dense)[0], -1, *self.shape])
        return dense, _lengths_of(given, count)


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=float32, normalizer_fn=None):
    """Return a column of real numbers for each step of a sequence.

    Args:
      key: the name of the feature, which must be sparse, and of the column.
      shape: the shape of the numbers of a step.
      default_value: the number for steps that an example does not have.
      dtype: the dtype of the feature in an `Example`.
      normalizer_fn: a function of the sparse tensor.

    Raises:
      ValueError: a size is not positive, or `dtype` is not numeric.
      TypeError: `normalizer_fn` is not a function.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/sequence_numeric_column
    """
    check_key(key)
    sizes, found = checked_numbers(key, shape, dtype, normalizer_fn)
    return SequenceNumericColumn(key, sizes, default_value, found, normalizer_fn)


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """Return a column of integers that are ids, for each step; see `categorical_column_with_identity`.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/sequence_categorical_column_with_identity
    """
    made = categorical.categorical_column_with_identity(key, num_buckets, default_value)
    return SequenceCategoricalColumn(made)


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=string):
    """Return a column of hashes, for each step; see `categorical_column_with_hash_bucket`.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/sequence_categorical_column_with_hash_bucket
    """
    made = categorical.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    return SequenceCategoricalColumn(made)


def sequence_categorical_column_with_vocabulary_list(
    key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0
):
    """Return a column of positions in a list, for each step; see `categorical_column_with_vocabulary_list`.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/sequence_categorical_column_with_vocabulary_list
    """
    given = key, vocabulary_list, dtype, default_value, num_oov_buckets
    return SequenceCategoricalColumn(categorical.categorical_column_with_vocabulary_list(*given))


def sequence_categorical_column_with_vocabulary_file(
    key,
    vocabulary_file,
    vocabulary_size=None,
    num_oov_buckets=0,
    default_value=None,
    dtype=string,
):
    """Return a column of line numbers, for each step; see `categorical_column_with_vocabulary_file`.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/sequence_categorical_column_with_vocabulary_file
    """
    given = key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    return SequenceCategoricalColumn(categorical.categorical_column_with_vocabulary_file(*given))


def sequence_input_layer(features, feature_columns, weight_collections=None, trainable=True):
    """Return the numbers of each step of columns of sequences, ordered by the names of the columns.

    Args:
      features: a dict from names to sparse tensors; the ids of a step may be along a third axis.
      feature_columns: numeric columns of sequences, and embedding and indicator columns of their ids.
      weight_collections: further collections of the variables.
      trainable: whether to train the variables.

    Returns:
      The numbers `[examples, steps, sum of sizes]`, and the number of steps of each example, int64.

    Raises:
      ValueError: a column is not of sequences, or a feature is missing.
      InvalidArgumentError: the columns have different numbers of steps.
    """
    columns = check_columns(feature_columns)
    wanted = [*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    known, parts, lengths = Features(features), [], []
    with variable_scope(None, "sequence_input_layer", values=features.values()):
        for column in sorted(columns, key=lambda c: c.name):
            with variable_scope(None, column.scope_name):
                dense, count = _sequence(column, known, list(dict.fromkeys(wanted)), trainable)
                size = int(np.prod(column.variable_shape))
                parts.append(_reshape(dense, [shape(dense)[0], shape(dense)[1], size]))
                lengths.append(count)
        checks = [_assert_equal(lengths[0], other) for other in lengths[1:]]
        with control_dependencies(checks):
            return concat(parts, -1), identity(lengths[0])


def _sequence(column: FeatureColumn, features: Features, collections, trainable):
    """Return the numbers of each step of a column, and the number of steps of each example."""
    if isinstance(column, SequenceNumericColumn):
        return column.sequence(features)
    ids = getattr(column, "categorical_column", None)
    if not isinstance(ids, SequenceCategoricalColumn):
        raise ValueError(
            "All feature_columns must be of type SequenceDenseColumn. You can wrap a "
            f"sequence_categorical_column with an embedding_column or indicator_column. Given: {column}"
        )
    assert isinstance(column, (EmbeddingColumn, IndicatorColumn))
    steps = ids.steps(features)
    pair = IdWeightPair(_rows_of_steps(steps), None)
    found = column.combined(pair, collections, trainable)
    sizes = [steps.dense_shape[0], steps.dense_shape[1], np.int64(column.variable_shape[-1])]
    return _reshape(found, _stack(sizes)), _lengths_of(steps, 1)


def _rows_of_steps(steps: SparseTensor) -> SparseTensor:
    """Return ids of examples and steps as ids of rows, one row for each step."""
    indices, sizes = operation_of(_as_rows, (steps,), {}, public="sparse.reshape")
    return unchecked(indices, steps.values, sizes)


def _outline_of_rows(steps):
    return TensorSpec([None, 2], np.int64), TensorSpec([2], np.int64)


@with_outline(_outline_of_rows)
def _as_rows(steps):
    places, sizes = np.asarray(steps.indices), [int(d) for d in np.asarray(steps.dense_shape)]
    last = int(np.prod(sizes[2:]))
    flat = np.ravel_multi_index(tuple(places.T), sizes) if len(places) else np.zeros(0, np.int64)
    rows = np.stack([flat // max(last, 1), flat % max(last, 1)], 1).astype(np.int64)
    return host(rows), host(np.asarray([sizes[0] * sizes[1], last], np.int64))


def _lengths_of(steps: SparseTensor, count: int):
    """Return the number of steps of each example, where a step has `count` elements of the second axis."""
    return operation_of(_lengths, (steps, count), {}, public="segment_max")


def _outline_of_lengths(steps, count):
    rows = steps.get_shape()[0]
    return TensorSpec([getattr(rows, "value", rows)], np.int64)


@with_outline(_outline_of_lengths)
def _lengths(steps, count):
    places, sizes = np.asarray(steps.indices), np.asarray(steps.dense_shape)
    found = np.zeros(int(sizes[0]), np.int64)
    np.maximum.at(found, places[:, 0], places[:, 1] + 1)
    return host(-(-found // count))
