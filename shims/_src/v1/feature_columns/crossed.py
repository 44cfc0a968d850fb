"""Define crossed columns: hashes of combinations of features."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np

from shims._src.data.features import VarLenFeature
from shims._src.data.specs import TensorSpec
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.strings.hashes import farm
from shims._src.types.dtypes import string
from shims._src.types.host_tensor import host
from shims._src.v1.feature_columns.categorical import HashedCategoricalColumn
from shims._src.v1.feature_columns.column import CategoricalColumn, FeatureColumn, Features
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.host_calls import is_text, with_outline

_KEY = 0xDECAFCAFFE
_MULTIPLIER = 0xC6A4A7935BD1E995
_WORD = (1 << 64) - 1


@dataclasses.dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """A column of hashed combinations; `crossed_column` describes its fields."""

    keys: tuple
    hash_bucket_size: int
    hash_key: Any

    @property
    def name(self) -> str:
        """The names of all features."""
        names = (k.name if isinstance(k, FeatureColumn) else k for k in self.leaves())
        return "_X_".join(sorted(names))

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        spec: dict = {}
        for key in self.keys:
            one = isinstance(key, FeatureColumn)
            spec.update(key.parse_example_spec if one else {key: VarLenFeature(string)})
        return spec

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def leaves(self) -> list:
        """Return the features and columns that are crossed, and those of crossed columns among them."""
        found: list = []
        for key in self.keys:
            found.extend(key.leaves() if isinstance(key, CrossedColumn) else [key])
        return found

    def transformed(self, features: Features) -> SparseTensor:
        """Return the hashes of all combinations of an example."""
        columns = [_checked(key, features) for key in self.leaves()]
        args = columns, self.hash_bucket_size, self.hash_key
        return operation_of(_cross, args, {}, public="sparse.cross_hashed")


def _checked(key, features: Features):
    """Return what is crossed: ids, integers or texts, a tensor or a sparse tensor."""
    if isinstance(key, CategoricalColumn):
        ids, weights = key.sparse_tensors(features)
        if weights is not None:
            raise ValueError(
                "crossed_column does not support weight_tensor, but the given column populates "
                f"weight_tensor. Given column: {key.name}"
            )
        return ids
    value = features.get(key)
    kind = value.values if isinstance(value, SparseTensor) else value
    if not is_text(kind) and not kind.dtype.is_integer:
        raise ValueError(
            f"crossed_column: feature {key} must be of strings or integers. dtype: {kind.dtype}"
        )
    return value


def _outline(columns, count, key) -> SparseTensor:
    two = TensorSpec([None, 2], np.int64), TensorSpec([None], np.int64), TensorSpec([2], np.int64)
    return unchecked(*two)


@with_outline(_outline)
def _cross(columns, count, key) -> SparseTensor:
    """Cross columns in Python, where texts are; `shims.sparse.cross_hashed` crosses numbers."""
    ordered = sorted(columns, key=lambda x: not isinstance(x, SparseTensor))
    by_row = [_fingerprints_of_rows(column) for column in ordered]
    indices, hashes, widest = [], [], 0
    for row, features in enumerate(zip(*by_row, strict=True)):
        combinations = list(itertools.product(*features))
        indices += [(row, i) for i in range(len(combinations))]
        hashes += [_hash(numbers, key or _KEY) % count for numbers in combinations]
        widest = max(widest, len(combinations))
    shape = np.array([len(by_row[0]), widest], np.int64)
    places = np.array(indices, np.int64).reshape(-1, 2)
    return unchecked(host(places), host(np.array(hashes, np.int64)), host(shape))


def _fingerprints_of_rows(column) -> list[list[int]]:
    """Return the 64-bit numbers that stand for the features of each row."""
    if not isinstance(column, SparseTensor):
        return [[_fingerprint(x) for x in row.ravel()] for row in np.asarray(column)]
    found: list[list[int]] = [[] for _ in range(int(np.asarray(column.dense_shape)[0]))]
    for place, value in zip(np.asarray(column.indices), np.asarray(column.values), strict=True):
        found[place[0]].append(_fingerprint(value))
    return found


def _fingerprint(value) -> int:
    return farm(value) if isinstance(value, bytes) else int(value) & _WORD


def _hash(numbers, key: int) -> int:
    """Combine numbers to one by `FingerprintCat64`, as TensorFlow does."""
    found = key
    for number in numbers:
        mixed = _shift_mix(number * _MULTIPLIER & _WORD) * _MULTIPLIER
        found = (found ^ _MULTIPLIER ^ mixed) * _MULTIPLIER & _WORD
        found = _shift_mix(_shift_mix(found) * _MULTIPLIER & _WORD)
    return found


def _shift_mix(number: int) -> int:
    return number ^ number >> 47


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """Return a column of hashes of the combinations of features.

    Args:
      keys: names of features, of strings or integers, and categorical columns without hashes.
      hash_bucket_size: the number of buckets.
      hash_key: the seed of the hashes.

    Raises:
      ValueError: there are less than two keys or less than one bucket, or a key is a column that must
        not be crossed.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/crossed_column
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                f"Unsupported key type. All keys must be either string, or categorical column. Given: "
                f"{key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
                f"crossing will increase probability of collision. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
