"""Build the inputs of a model from feature columns: `input_layer`, `linear_model`."""

from __future__ import annotations

from collections.abc import Iterable

import shims
from shims._src.v1.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    Features,
    IdWeightPair,
    check_columns,
)
from shims._src.v1.feature_columns.lookups import lookup
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.scope_functions import get_collection
from shims._src.v1.graph.standard_operators import bias_add, concat, matmul, shape
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.initializers import zeros_initializer
from shims._src.v1.variables.partitioned_variables import PartitionedVariable
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope
from shims._src.v1.variables.variables import GraphKeys

_add_n = deferred(shims.add_n, "add_n")
_reshape = deferred(shims.reshape, "reshape")
_sparse_reshape = deferred(shims.sparse.reshape, "sparse.reshape")


def input_layer(
    features,
    feature_columns,
    weight_collections=None,
    trainable=True,
    cols_to_vars=None,
    cols_to_output_tensors=None,
):
    """Return the numbers of dense columns, ordered by the names of the columns, as one matrix.

    Args:
      features: a dict from names to tensors and sparse tensors.
      feature_columns: dense columns.
      weight_collections: further collections of the variables.
      trainable: whether to train the variables.
      cols_to_vars: a dict to which the variables of each column are added.
      cols_to_output_tensors: a dict to which the part of each column is added.

    Raises:
      ValueError: a column is not dense, or a feature is missing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/feature_column/input_layer
    """
    with variable_scope(None, "input_layer", values=features.values()):
        return dense_inputs(
            features,
            feature_columns,
            weight_collections,
            trainable,
            cols_to_vars,
            cols_to_output_tensors,
        )


def dense_inputs(
    features,
    feature_columns,
    weight_collections=None,
    trainable=True,
    cols_to_vars=None,
    cols_to_output_tensors=None,
):
    """Return what `input_layer` returns, with the variables in the present scope."""
    columns = check_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a DenseColumn. You can wrap a categorical column with "
                f"an embedding_column or indicator_column. Given: {column}"
            )
    collections, known, found = _collections(weight_collections), Features(features), []
    for column in sorted(columns, key=lambda c: c.name):
        with variable_scope(None, column.scope_name):
            found.append(_flat(column, known, collections, trainable))
            if cols_to_vars is not None:
                name = get_variable_scope().name
                cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, name)
        if cols_to_output_tensors is not None:
            cols_to_output_tensors[column] = found[-1]
    return concat(found, 1)


def _collections(given: Iterable | None) -> list:
    wanted = [*(given or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return list(dict.fromkeys(wanted))


def _size(column: DenseColumn) -> int:
    count = 1
    for size in column.variable_shape:
        count *= size
    return count


def _flat(column: DenseColumn, features: Features, collections, trainable):
    value = column.dense_tensor(features, collections, trainable)
    return _reshape(value, [shape(value)[0], _size(column)])


def linear_model(
    features,
    feature_columns,
    units=1,
    sparse_combiner="sum",
    weight_collections=None,
    trainable=True,
    cols_to_vars=None,
):
    """Return a linear function of columns, with weights and a bias that start at 0.

    Args:
      features: a dict from names to tensors and sparse tensors.
      feature_columns: dense and categorical columns.
      units: the number of results of an example.
      sparse_combiner: how the weights of the ids of an example are combined (`mean`, `sqrtn` or `sum`).
      weight_collections: further collections of the variables.
      trainable: whether to train the variables.
      cols_to_vars: a dict to which the variables of each column, and the variables of `"bias"`, are
        added.

    Raises:
      ValueError: an item is not a column, or a feature is missing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/feature_column/linear_model
    """
    columns = check_columns(feature_columns)
    with variable_scope(None, "linear_model") as scope:
        name = scope.name.rpartition("/")[2]
    named = {}
    for column in sorted(columns, key=lambda c: c.name):
        with variable_scope(None, column.scope_name) as scope:
            named[scope.name.rpartition("/")[2]] = column
    with variable_scope(name):
        args = features, named, units, sparse_combiner, weight_collections, trainable
        return weighted_sum(*args, cols_to_vars)


def weighted_sum(
    features,
    columns: dict[str, FeatureColumn],
    units,
    combiner,
    weight_collections=None,
    trainable=True,
    cols_to_vars=None,
):
    """Return the weighted sums of columns, by the names of their scopes, and a bias."""
    collections, known, sums = _collections(weight_collections), Features(features), []
    found = {} if cols_to_vars is None else cols_to_vars
    options = {"trainable": trainable, "collections": collections}
    for name, column in sorted(columns.items()):
        with variable_scope(name) as scope:
            sums.append(_weighted(column, known, units, combiner, options))
            found[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope.name + "/")
    bias = get_variable("bias_weights", [units], initializer=zeros_initializer(), **options)
    found["bias"] = list(bias) if isinstance(bias, PartitionedVariable) else [bias]
    return bias_add(_add_n(sums, name="weighted_sum_no_bias"), bias, name="weighted_sum")


def _weighted(column: FeatureColumn, features: Features, units, combiner, options):
    def weights(size):
        return get_variable("weights", [size, units], initializer=zeros_initializer(), **options)

    if isinstance(column, CategoricalColumn):
        table = weights(column.num_buckets)
        pair = column.sparse_tensors(features)
        rows = IdWeightPair(*(None if x is None else _as_matrix(x) for x in pair))
        return lookup(table, rows, combiner)
    if not isinstance(column, DenseColumn):
        raise ValueError(
            "Items of feature_columns must be either a DenseColumn or CategoricalColumn. Given: "
            f"{column}"
        )
    table = weights(_size(column))
    flat = _flat(column, features, options["collections"], options["trainable"])
    return matmul(flat, table, name="weighted_sum")


def _as_matrix(sparse):
    if sparse.get_shape().rank == 2:
        return sparse
    return _sparse_reshape(sparse, [sparse.dense_shape[0], -1])


def make_parse_example_spec(feature_columns):
    """Return what `tf.parse_example` extracts for columns: a dict from keys to features.

    Raises:
      ValueError: an item is not a column, or two columns need different features of the same key.

    https://www.tensorflow.org/api_docs/python/tf/feature_column/make_parse_example_spec
    """
    found: dict = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be FeatureColumn instances. Given: {column}"
            )
        for key, value in column.parse_example_spec.items():
            if key in found and value != found[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} and "
                    f"{found[key]}"
                )
            found[key] = value
    return found
