"""Provide canned estimators: linear models, networks of dense layers, and both in one."""

from __future__ import annotations

import math
from typing import Any

import shims
from shims._src.v1.estimator.estimator import Estimator
from shims._src.v1.estimator.heads import ClassHead, Head, RegressionHead, minimizing
from shims._src.v1.estimator.mode_keys import ModeKeys
from shims._src.v1.feature_columns.layers import dense_inputs, weighted_sum
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.grouping import group
from shims._src.v1.graph.scope_functions import control_dependencies, get_collection
from shims._src.v1.layers.core import Dense, Dropout
from shims._src.v1.layers.losses import Reduction
from shims._src.v1.layers.normalization import BatchNormalization
from shims._src.v1.train.adagrad import AdagradOptimizer
from shims._src.v1.train.adam import AdamOptimizer
from shims._src.v1.train.ftrl import FtrlOptimizer
from shims._src.v1.train.global_step import get_global_step
from shims._src.v1.train.gradient_descent import GradientDescentOptimizer
from shims._src.v1.train.rmsprop import RMSPropOptimizer
from shims._src.v1.variables.assign_functions import assign_add
from shims._src.v1.variables.initializers import glorot_uniform_initializer
from shims._src.v1.variables.variable_scope import variable_scope
from shims._src.v1.variables.variables import GraphKeys

_relu = deferred(shims.nn.relu, "nn.relu")
_OPTIMIZERS = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def _optimizer(given, rate: float) -> Any:
    """Return an optimizer for a name, a function, or an optimizer.

    Raises:
      ValueError: there is no optimizer of that name, or the function does not return one.
    """
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(
                f"Unsupported optimizer name: {given}. Supported names are: "
                f"{tuple(sorted(_OPTIMIZERS))}"
            )
        return _OPTIMIZERS[given](learning_rate=rate)
    found = given() if callable(given) else given
    if not hasattr(found, "minimize"):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {found}")
    return found


def _scope(name: str, features) -> variable_scope:
    """Open the scope of a part of a model."""
    return variable_scope(name, values=tuple(features.values()))


def _dense_logits(features, mode, units, columns, hidden, activation, dropout, batch_norm):
    """Return the logits of a network of dense layers."""
    trains = mode == ModeKeys.TRAIN
    with variable_scope("input_from_feature_columns/input_layer"):
        net = dense_inputs(features, columns)
    for i, size in enumerate(hidden):
        with variable_scope(f"hiddenlayer_{i}") as scope:
            net = _dense(size, activation, scope)(net)
            if dropout is not None and trains:
                net = Dropout(rate=dropout)(net, training=True)
            if batch_norm:
                name = f"batchnorm_{i}"
                norm = BatchNormalization(momentum=0.999, name=name, _scope=name)
                net = norm(net, training=trains)
    with variable_scope("logits") as scope:
        return _dense(units, None, scope)(net)


def _dense(units, activation, scope) -> Dense:
    initializer = glorot_uniform_initializer()
    name = scope.name.rpartition("/")[2]
    return Dense(units, activation, kernel_initializer=initializer, name=name, _scope=scope)


def _linear_logits(features, units, columns, combiner):
    """Return the logits of a linear model."""
    named = {column.scope_name: column for column in columns}
    with variable_scope("linear_model"):
        return weighted_sum(features, named, units, combiner)


def _check_features(features) -> None:
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


class _Canned(Estimator):
    """An estimator whose model function is given by its parts."""

    def __init__(self, model, model_dir, config, warm_start_from):
        def model_fn(features, labels, mode):
            _check_features(features)
            return model(features, labels, mode)

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class _DNN(_Canned):
    def __init__(self, head: Head, hidden, columns, optimizer, network, rest):
        def model(features, labels, mode):
            args = head.logits_dimension, tuple(columns), hidden
            train = minimizing(_optimizer(optimizer, 0.05))
            with _scope("dnn", features):
                logits = _dense_logits(features, mode, *args, *network)
                return head.spec(features, labels, mode, logits, train)

        super().__init__(model, *rest)


class DNNClassifier(_DNN):
    """Classifies examples by a network of dense layers.

    Args:
      hidden_units: the sizes of the hidden layers.
      feature_columns: dense columns.
      model_dir: the folder of checkpoints and summaries.
      n_classes: the number of classes.
      weight_column: the name or the column of the weights of examples.
      label_vocabulary: the names of the classes, if labels are strings.
      optimizer: an optimizer, its name, or a function that returns an optimizer; by default,
        `Adagrad` with a learning rate of 0.05.
      activation_fn: the activation of the hidden layers.
      dropout: the rate of dropout after each hidden layer.
      input_layer_partitioner: accepted and ignored.
      config: a `RunConfig`.
      warm_start_from: must be `None`.
      loss_reduction: how the losses of examples are reduced.
      batch_norm: whether to normalize after each hidden layer.

    Differs from TensorFlow:
      The variables of optimizers in a checkpoint have no `part_0` in their names.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/DNNClassifier
    """

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Adagrad",
        activation_fn=_relu,
        dropout=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=Reduction.SUM,
        batch_norm=False,
    ):
        head = ClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
        network = activation_fn, dropout, batch_norm
        rest = model_dir, config, warm_start_from
        super().__init__(head, hidden_units, feature_columns, optimizer, network, rest)


class DNNRegressor(_DNN):
    """Predicts numbers by a network of dense layers; see `DNNClassifier`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/DNNRegressor
    """

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Adagrad",
        activation_fn=_relu,
        dropout=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=Reduction.SUM,
        batch_norm=False,
    ):
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        network = activation_fn, dropout, batch_norm
        rest = model_dir, config, warm_start_from
        super().__init__(head, hidden_units, feature_columns, optimizer, network, rest)


class _Linear(_Canned):
    def __init__(self, head: Head, columns, optimizer, combiner, rest):
        columns = tuple(columns)

        def model(features, labels, mode):
            # TensorFlow takes the number of columns into account only if no optimizer is given.
            rate = 0.2 if optimizer else min(0.2, 1.0 / math.sqrt(len(columns)))
            train = minimizing(_optimizer(optimizer or "Ftrl", rate))
            with _scope("linear", features):
                logits = _linear_logits(features, head.logits_dimension, columns, combiner)
                return head.spec(features, labels, mode, logits, train)

        super().__init__(model, *rest)


class LinearClassifier(_Linear):
    """Classifies examples by a linear model; see `DNNClassifier`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/LinearClassifier
    """

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        partitioner=None,
        warm_start_from=None,
        loss_reduction=Reduction.SUM,
        sparse_combiner="sum",
    ):
        head = ClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
        rest = model_dir, config, warm_start_from
        super().__init__(head, feature_columns, optimizer, sparse_combiner, rest)


class LinearRegressor(_Linear):
    """Predicts numbers by a linear model; see `DNNClassifier`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/LinearRegressor
    """

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Ftrl",
        config=None,
        partitioner=None,
        warm_start_from=None,
        loss_reduction=Reduction.SUM,
        sparse_combiner="sum",
    ):
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        rest = model_dir, config, warm_start_from
        super().__init__(head, feature_columns, optimizer, sparse_combiner, rest)


class _Combined(_Canned):
    def __init__(self, head: Head, linear, dnn, network, rest):
        columns, optimizer, combiner = linear
        dense_columns, dense_optimizer, hidden = dnn
        columns, dense_columns = tuple(columns or ()), tuple(dense_columns or ())
        if not columns and not dense_columns:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        if dense_columns and not hidden:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )

        def model(features, labels, mode):
            size, parts = head.logits_dimension, []
            if dense_columns:
                with _scope("dnn", features) as scope:
                    args = features, mode, size, dense_columns, hidden, *network
                    found = _dense_logits(*args), scope.name
                parts.append((*found, _optimizer(dense_optimizer, 0.001)))
            if columns:
                with _scope("linear", features) as scope:
                    found = _linear_logits(features, size, columns, combiner), scope.name
                rate = min(0.005, 1.0 / math.sqrt(len(columns)))
                parts.append((*found, _optimizer(optimizer, rate)))
            logits = parts[0][0] if len(parts) == 1 else parts[0][0] + parts[1][0]
            chosen = [(scope, each) for _, scope, each in parts]
            return head.spec(features, labels, mode, logits, lambda x: _minimize_parts(x, chosen))

        super().__init__(model, *rest)


def _minimize_parts(loss, parts):
    """Return an operation that minimizes the loss by each optimizer over its scope, and counts."""
    steps = []
    for scope, optimizer in parts:
        variables = get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)
        steps.append(optimizer.minimize(loss, var_list=variables))
    with control_dependencies([group(*steps)]):
        return assign_add(get_global_step(), 1).op


class DNNLinearCombinedClassifier(_Combined):
    """Classifies examples by the sum of a linear model and a network; see `DNNClassifier`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/DNNLinearCombinedClassifier
    """

    def __init__(
        self,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        dnn_activation_fn=_relu,
        dnn_dropout=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=Reduction.SUM,
        batch_norm=False,
        linear_sparse_combiner="sum",
    ):
        head = ClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
        linear = linear_feature_columns, linear_optimizer, linear_sparse_combiner
        dnn = dnn_feature_columns, dnn_optimizer, dnn_hidden_units
        network = dnn_activation_fn, dnn_dropout, batch_norm
        super().__init__(head, linear, dnn, network, (model_dir, config, warm_start_from))


class DNNLinearCombinedRegressor(_Combined):
    """Predicts numbers by the sum of a linear model and a network; see `DNNClassifier`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/DNNLinearCombinedRegressor
    """

    def __init__(
        self,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        dnn_activation_fn=_relu,
        dnn_dropout=None,
        label_dimension=1,
        weight_column=None,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        loss_reduction=Reduction.SUM,
        batch_norm=False,
        linear_sparse_combiner="sum",
    ):
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        linear = linear_feature_columns, linear_optimizer, linear_sparse_combiner
        dnn = dnn_feature_columns, dnn_optimizer, dnn_hidden_units
        network = dnn_activation_fn, dnn_dropout, batch_norm
        super().__init__(head, linear, dnn, network, (model_dir, config, warm_start_from))
