"""Define categorical columns: hashes, positions in a vocabulary, and integers as they are."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import shims
from shims._src.data import gfile
from shims._src.data.features import VarLenFeature
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.types.dtypes import as_dtype, float32, int64, string
from shims._src.v1.feature_columns.column import (
    CategoricalColumn,
    Features,
    IdWeightPair,
    to_sparse,
)
from shims._src.v1.feature_columns.numeric import check_key
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.host_calls import is_text
from shims._src.v1.graph.scope_functions import control_dependencies
from shims._src.v1.graph.standard_operators import cast, identity
from shims._src.v1.ops.lookup_tables import index_table_from_file, index_table_from_tensor

_as_string = deferred(shims.as_string, "as_string")
_assert_less = deferred(shims.debugging.assert_less, "assert_less")
_assert_not_less = deferred(shims.debugging.assert_greater_equal, "assert_greater_equal")
_hash = deferred(shims.strings.to_hash_bucket_fast, "strings.to_hash_bucket_fast")


@dataclasses.dataclass(frozen=True)
class KeyColumn(CategoricalColumn):
    """A column of ids that are made of one feature."""

    key: str

    on_host = True

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return {self.key: VarLenFeature(getattr(self, "dtype", int64))}

    def transformed(self, features: Features) -> SparseTensor:
        """Return the ids."""
        given = to_sparse(features.get(self.key), on_host=self.on_host)
        return unchecked(given.indices, self.ids(given.values), given.dense_shape)

    def ids(self, values):
        """Return the ids of values."""
        raise NotImplementedError


def _check_kind(column, values) -> None:
    """Check that a feature has the kind of values of its column: strings or integers."""
    if not (is_text(values) or values.dtype.is_integer):
        raise ValueError(
            f"column_name: {column.key} input_tensor dtype must be string or integer. dtype: "
            f"{values.dtype}."
        )
    if (column.dtype == string) != is_text(values):
        raise ValueError(
            "Column dtype and SparseTensors dtype must be compatible. "
            f"key: {column.key}, column dtype: {column.dtype}, tensor dtype: {values.dtype}"
        )


def _checked_dtype(dtype, key: str):
    found = as_dtype(dtype)
    if found != string and not found.is_integer:
        raise ValueError(f"column_name: {key} dtype must be string or integer. dtype: {found}.")
    return found


@dataclasses.dataclass(frozen=True)
class HashedCategoricalColumn(KeyColumn):
    """A column of hashes; `categorical_column_with_hash_bucket` describes its fields."""

    hash_bucket_size: int
    dtype: Any

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def ids(self, values):
        """Return the hashes of values, of integers as texts."""
        _check_kind(self, values)
        texts = values if is_text(values) else _as_string(values)
        return _hash(texts, self.hash_bucket_size)


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=string):
    """Return a column that hashes strings or integers into buckets.

    Args:
      key: the name of the feature, and of the column.
      hash_bucket_size: the number of buckets.
      dtype: the dtype of the feature.

    Raises:
      ValueError: there is less than one bucket, or `dtype` is neither of strings nor of integers.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/categorical_column_with_hash_bucket
    """
    check_key(key)
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    return HashedCategoricalColumn(key, hash_bucket_size, _checked_dtype(dtype, key))


def _keys_of(column, values):
    _check_kind(column, values)
    return values if is_text(values) else cast(values, int64)


@dataclasses.dataclass(frozen=True)
class VocabularyListCategoricalColumn(KeyColumn):
    """A column of positions in a list; `categorical_column_with_vocabulary_list` describes its fields."""

    vocabulary_list: tuple
    dtype: Any
    default_value: int
    num_oov_buckets: int

    @property
    def num_buckets(self) -> int:
        """The number of words and of buckets of other words."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def ids(self, values):
        """Return the positions of values."""
        table = index_table_from_tensor(
            self.vocabulary_list,
            self.num_oov_buckets,
            self.default_value,
            dtype=self.dtype,
            name=f"{self.key}_lookup",
        )
        return table.lookup(_keys_of(self, values))


def categorical_column_with_vocabulary_list(
    key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0
):
    """Return a column of the positions of strings or integers in a list.

    Args:
      key: the name of the feature, and of the column.
      vocabulary_list: the words, which are strings or integers.
      dtype: the dtype of the feature; by default the dtype of the words.
      default_value: the id of other words; -1 leaves other words out.
      num_oov_buckets: the number of ids into which other words are hashed instead.

    Raises:
      ValueError: the list is empty, contains a word twice or has a different dtype; or both `default_value` and
        `num_oov_buckets` are given.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/categorical_column_with_vocabulary_list
    """
    check_key(key)
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    kind = np.asarray(vocabulary_list).dtype
    own = string if kind.kind in "SUO" else as_dtype(kind)
    _check_other_words(key, default_value != -1, num_oov_buckets)
    found = _checked_dtype(own if dtype is None else dtype, key)
    if (found == string) != (_checked_dtype(own, key) == string):
        raise ValueError(
            f"dtype {found} and vocabulary dtype {own} do not match, column_name: {key}"
        )
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), found, default_value, num_oov_buckets
    )


def _check_other_words(key: str, has_default: bool, num_oov_buckets: int) -> None:
    if num_oov_buckets and has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@dataclasses.dataclass(frozen=True)
class VocabularyFileCategoricalColumn(KeyColumn):
    """A column of line numbers; `categorical_column_with_vocabulary_file` describes its fields."""

    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: Any
    default_value: int

    @property
    def num_buckets(self) -> int:
        """The number of words and of buckets of other words."""
        return self.vocabulary_size + self.num_oov_buckets

    def ids(self, values):
        """Return the line numbers of values."""
        table = index_table_from_file(
            self.vocabulary_file,
            self.num_oov_buckets,
            self.vocabulary_size,
            self.default_value,
            key_dtype=self.dtype if self.dtype == string else int64,
            name=f"{self.key}_lookup",
        )
        return table.lookup(_keys_of(self, values))


def categorical_column_with_vocabulary_file(
    key,
    vocabulary_file,
    vocabulary_size=None,
    num_oov_buckets=0,
    default_value=None,
    dtype=string,
):
    """Return a column of the line numbers of strings or integers in a file.

    Args:
      key: the name of the feature, and of the column.
      vocabulary_file: the path of a file with a word in each line.
      vocabulary_size: the number of lines to read; all by default.
      num_oov_buckets: the number of ids into which other words are hashed.
      default_value: the id of words outside of the vocabulary; by default -1, which drops these
        words.
      dtype: the dtype of the feature.

    Raises:
      ValueError: there is no such file, a number is out of range, or both `default_value` and
        `num_oov_buckets` are given.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/categorical_column_with_vocabulary_file
    """
    check_key(key)
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        if not gfile.Exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with gfile.GFile(vocabulary_file) as lines:
            vocabulary_size = sum(1 for _ in lines)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_other_words(key, default_value is not None, num_oov_buckets)
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        _checked_dtype(dtype, key),
        -1 if default_value is None else default_value,
    )


@dataclasses.dataclass(frozen=True)
class IdentityCategoricalColumn(KeyColumn):
    """A column of integers; `categorical_column_with_identity` describes its fields."""

    number_buckets: int
    default_value: int | None

    on_host = False

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.number_buckets

    def ids(self, values):
        """Return the values; values out of range raise an error, or become the default value."""
        if is_text(values) or not values.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {values.dtype}")
        values = cast(values, int64)
        if self.default_value is not None:
            args = values, self.number_buckets, self.default_value
            return operation_of(_within, args, {}, public="where")
        least = _assert_not_less(values, np.int64(0), name=f"{self.key}_ids_are_not_negative")
        most = _assert_less(values, np.int64(self.number_buckets), name=f"{self.key}_ids_are_known")
        with control_dependencies([least, most]):
            return identity(values)


def _within(values, count, default):
    return shims.where((values < 0) | (values >= count), np.int64(default), values)


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Return a column of integers that are ids.

    Args:
      key: the name of the feature, and of the column.
      num_buckets: the number of ids, from 0 on.
      default_value: the id of integers out of range; if `None`, such integers raise an error.

    Raises:
      ValueError: there is less than one id, or the default is not an id.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/categorical_column_with_identity
    """
    check_key(key)
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    return IdentityCategoricalColumn(key, num_buckets, default_value)


@dataclasses.dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """A column of ids with weights; `weighted_categorical_column` describes its fields."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: Any

    @property
    def name(self) -> str:
        """The name of the ids and that of the weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        spec = self.categorical_column.parse_example_spec
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for "
                f"{self.weight_feature_key}."
            )
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        return self.categorical_column.num_buckets

    def transformed(self, features: Features) -> IdWeightPair:
        """Return the ids and their weights."""
        weights = features.get(self.weight_feature_key)
        if weights.dtype != self.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        if not isinstance(weights, SparseTensor):
            weights = to_sparse_numbers(weights)
        values = cast(weights.values, float32)
        ids = self.categorical_column.sparse_tensors(features).id_tensor
        return IdWeightPair(ids, unchecked(weights.indices, values, weights.dense_shape))

    def sparse_tensors(self, features: Features) -> IdWeightPair:
        """Return the ids and their weights."""
        return features.get(self)


def to_sparse_numbers(value) -> SparseTensor:
    """Return the elements of a tensor other than 0 as a sparse tensor."""
    indices, values, shape = operation_of(_not_zero, (value,), {}, public="where")
    return unchecked(indices, values, shape)


def _not_zero(value):
    indices = shims.where(value != 0)
    return indices, shims.gather_nd(value, indices), shims.shape(value, np.int64)


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=float32):
    """Return a column of ids, each with a weight of another feature.

    Args:
      categorical_column: the ids.
      weight_feature_key: the name of the feature of the weights.
      dtype: the dtype of the weights.

    Raises:
      ValueError: `dtype` is not numeric.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/weighted_categorical_column
    """
    found = as_dtype(dtype)
    if not (found.is_integer or found.is_floating):
        raise ValueError(f"dtype {found} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, found)
