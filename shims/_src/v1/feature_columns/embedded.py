"""Define the dense columns made from categorical columns: embeddings and one-hot vectors."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from shims._src.errors import errors
from shims._src.v1.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    Features,
    IdWeightPair,
)
from shims._src.v1.feature_columns.lookups import COMBINERS, lookup, one_hot
from shims._src.v1.graph.scope_functions import add_to_collection, get_collection
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.initializers import truncated_normal_initializer


@dataclasses.dataclass(frozen=True)
class EmbeddingColumn(DenseColumn):
    """A column of embeddings; `embedding_column` describes its fields."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    max_norm: Any
    trainable: bool

    @property
    def name(self) -> str:
        """The name of the ids, and `_embedding`."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of an embedding."""
        return (self.dimension,)

    def table(self, collections, trainable):
        """Return the variable of the embeddings, created in the present scope."""
        return get_variable(
            "embedding_weights",
            [self.categorical_column.num_buckets, self.dimension],
            initializer=self.initializer,
            trainable=self.trainable and trainable is not False,
            collections=collections,
        )

    def dense_tensor(self, features: Features, collections=None, trainable=None):
        """Return the combined embeddings of the ids of each example."""
        pair = self.categorical_column.sparse_tensors(features)
        return self.combined(pair, collections, trainable)

    def combined(self, pair: IdWeightPair, collections, trainable):
        """Return the combined embeddings of the ids of each row."""
        return lookup(self.table(collections, trainable), pair, self.combiner, self.max_norm)


def _checked(dimension, combiner, initializer, *checkpoint):
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if combiner not in COMBINERS:
        raise ValueError(f"combiner must be one of {COMBINERS}, not {combiner!r}")
    if any(x is not None for x in checkpoint):
        raise errors.UnimplementedError(
            errors.message(
                "feature_column.embedding_column",
                "a checkpoint of the embedding is not supported.",
                received=f"ckpt_to_load_from={checkpoint[0]!r}",
                do="call `tf.train.init_from_checkpoint` for the variable of the column",
            )
        )
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")
    return initializer or truncated_normal_initializer(0.0, 1 / math.sqrt(dimension))


def embedding_column(
    categorical_column,
    dimension,
    combiner="mean",
    initializer=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
):
    """Return a column of the embeddings of the ids of a categorical column.

    Args:
      categorical_column: the ids.
      dimension: the size of an embedding.
      combiner: how the embeddings of an example are combined (`mean`, `sqrtn` or `sum`).
      initializer: the initializer of the embeddings; by default a truncated normal distribution with
        standard deviation `1 / sqrt(dimension)`.
      ckpt_to_load_from: must be `None`.
      tensor_name_in_ckpt: must be `None`.
      max_norm: the greatest norm of an embedding.
      trainable: whether to train the embeddings.

    Raises:
      ValueError: `dimension` is not positive, `combiner` is unknown, or `initializer` is not a function.
      UnimplementedError: a checkpoint is given.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/embedding_column
    """
    initializer = _checked(dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    return EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, max_norm, trainable
    )


@dataclasses.dataclass(frozen=True)
class SharedEmbeddingColumn(EmbeddingColumn):
    """A column of embeddings whose variable several columns share."""

    shared_name: str

    @property
    def name(self) -> str:
        """The name of the ids, and `_shared_embedding`."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def scope_name(self) -> str:
        """The default name of the variable scope: that of the embeddings."""
        return self.shared_name

    def table(self, collections, trainable):
        """Return the variable of the embeddings, created by the first column that needs it."""
        known = get_collection(self.shared_name)
        if len(known) > 1:
            raise ValueError(
                f"Collection {self.shared_name} can only contain one variable. Suggested fix: choose a "
                "unique shared_embedding_collection_name."
            )
        if known:
            wanted = [self.categorical_column.num_buckets, self.dimension]
            if known[0].shape.as_list() != wanted:
                raise ValueError(
                    f"Shared embedding collection {self.shared_name} contains variable {known[0].name} of "
                    f"unexpected shape {known[0].shape}. Expected shape is {wanted}."
                )
            return known[0]
        table = super().table(collections, trainable)
        add_to_collection(self.shared_name, table)
        return table


def shared_embedding_columns(
    categorical_columns,
    dimension,
    combiner="mean",
    initializer=None,
    shared_embedding_collection_name=None,
    ckpt_to_load_from=None,
    tensor_name_in_ckpt=None,
    max_norm=None,
    trainable=True,
):
    """Return columns of embeddings that share one variable; see `embedding_column`.

    Args:
      categorical_columns: columns of the same number of ids.
      dimension: the size of an embedding.
      combiner: how to combine the embeddings of an example.
      initializer: the initializer of the embeddings.
      shared_embedding_collection_name: the name of the scope and of the collection of the variable.
      ckpt_to_load_from: must be `None`.
      tensor_name_in_ckpt: must be `None`.
      max_norm: the greatest norm of an embedding.
      trainable: whether to train the embeddings.

    Raises:
      ValueError: the columns have different types or different numbers of ids, or an argument is one
        for which `embedding_column` raises `ValueError`.
      UnimplementedError: a checkpoint is given.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/feature_column/shared_embedding_columns
    """
    initializer = _checked(dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    ordered = sorted(categorical_columns, key=lambda column: column.name)
    if len({column.num_buckets for column in ordered}) > 1:
        raise ValueError(
            "To use shared_embedding_column, all categorical_columns must have the same number of "
            f"buckets. Given: {[(column.name, column.num_buckets) for column in ordered]}"
        )
    kinds = {type(getattr(c, "categorical_column", c)) for c in ordered}
    if len(kinds) > 1:
        raise ValueError(
            "To use shared_embedding_column, all categorical_columns must have the same type. Given: "
            f"{sorted(kind.__name__ for kind in kinds)}"
        )
    name = shared_embedding_collection_name
    name = name or "_".join(column.name for column in ordered) + "_shared_embedding"
    options = dimension, combiner, initializer, max_norm, trainable, name
    return [SharedEmbeddingColumn(column, *options) for column in categorical_columns]


@dataclasses.dataclass(frozen=True)
class IndicatorColumn(DenseColumn):
    """A column of one-hot vectors, added up for each example.

    Attributes:
      categorical_column: the ids.
    """

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        """The name of the ids, and `_indicator`."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict:
        """The features that `parse_example` extracts for the column."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of the vector of an example."""
        return (1, self.categorical_column.num_buckets)

    def transformed(self, features: Features):
        """Return the vectors."""
        return self.combined(self.categorical_column.sparse_tensors(features))

    def combined(self, pair: IdWeightPair, collections=None, trainable=None):
        """Return the added vectors of the ids of each row."""
        return one_hot(pair, self.categorical_column.num_buckets)

    def dense_tensor(self, features: Features, collections=None, trainable=None):
        """Return the vectors."""
        return features.get(self)


def indicator_column(categorical_column):
    """Return a column of one-hot vectors of the ids of a categorical column, added up for each example.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/indicator_column
    """
    return IndicatorColumn(categorical_column)
