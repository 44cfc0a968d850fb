"""Define the heads of canned estimators: predictions, losses and metrics computed from logits."""

from __future__ import annotations

from typing import Any

import numpy as np

import shims
from shims._src.v1.control_flow.assertions import Assert
from shims._src.v1.estimator.export import ClassificationOutput, PredictOutput, RegressionOutput
from shims._src.v1.estimator.mode_keys import ModeKeys
from shims._src.v1.estimator.specs import EstimatorSpec
from shims._src.v1.feature_columns.column import Features
from shims._src.v1.feature_columns.numeric import NumericColumn, numeric_column
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.grouping import group, with_dependencies
from shims._src.v1.graph.host_calls import is_text
from shims._src.v1.graph.scope_functions import get_collection, name_scope
from shims._src.v1.graph.standard_operators import cast, concat, sigmoid, zeros_like
from shims._src.v1.layers import losses
from shims._src.v1.metrics import mean_metrics as metrics
from shims._src.v1.metrics.confusion_counts import precision, recall
from shims._src.v1.metrics.mean_metrics import accuracy
from shims._src.v1.metrics.thresholds import auc
from shims._src.v1.ops.lookup_tables import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from shims._src.v1.summary import operators as summary
from shims._src.v1.train.global_step import get_global_step
from shims._src.v1.variables.variables import GraphKeys

_argmax = deferred(shims.argmax, "argmax")
_as_string = deferred(shims.as_string, "as_string")
_cross_entropy = deferred(shims.nn.sigmoid_cross_entropy_with_logits, "nn.sigmoid_cross_entropy")
_expand_dims = deferred(shims.expand_dims, "expand_dims")
_maximum = deferred(shims.maximum, "maximum")
_ones_like = deferred(shims.ones_like, "ones_like")
_reduce_sum = deferred(shims.reduce_sum, "reduce_sum")
_softmax = deferred(shims.nn.softmax, "nn.softmax")


class Head:
    """The part of a model that follows the logits: predictions, loss and metrics.

    Args:
      size: the number of logits of an example.
      weight_column: the name of the feature of the weights of examples, its column, or `None`.
      reduction: how the losses of examples are reduced.
    """

    def __init__(self, size: int, weight_column, reduction):
        self.logits_dimension, self._reduction = size, reduction
        if isinstance(weight_column, str):
            weight_column = numeric_column(weight_column)
        if weight_column is not None and not isinstance(weight_column, NumericColumn):
            raise TypeError(
                f"Weight column must be either a string or NumericColumn. Given type: "
                f"{type(weight_column)}."
            )
        self._weight_column = weight_column

    def predictions(self, logits) -> dict[str, Any]:
        """Return the predictions by name."""
        raise NotImplementedError

    def outputs(self, predictions) -> dict[str, Any]:
        """Return the outputs of the exported model by name."""
        raise NotImplementedError

    def losses(self, logits, labels) -> tuple[Any, Any]:
        """Return the loss of each example, and the labels as metrics use them."""
        raise NotImplementedError

    def metrics(self, predictions, labels, weights, found) -> dict[str, Any]:
        """Return the metrics of an evaluation by name."""
        raise NotImplementedError

    def spec(self, features, labels, mode, logits, train_op_fn) -> EstimatorSpec:
        """Return the result of a model function.

        Args:
          features: the features, of which one may be weights.
          labels: the labels; `None` for predictions.
          mode: a `ModeKeys`.
          logits: the logits.
          train_op_fn: a function of the loss that returns the operation of a step.
        """
        predictions = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=self.outputs(predictions))
        if labels is None:
            raise ValueError("You must provide a labels Tensor. Given: None.")
        found, labels = self.losses(logits, self._shaped(labels))
        weights = self._weights(features)
        loss = losses.compute_weighted_loss(found, weights, reduction=self._reduction)
        if mode == ModeKeys.EVAL:
            measured = self.metrics(predictions, labels, weights, found)
            return EstimatorSpec(mode, predictions, loss, eval_metric_ops=measured)
        with name_scope("head"):
            step = group(train_op_fn(loss), *get_collection(GraphKeys.UPDATE_OPS))
        summary.scalar("loss", loss)
        if self._reduction == losses.Reduction.SUM:
            summary.scalar("average_loss", loss / _reduce_sum(weights * _ones_like(found)))
        return EstimatorSpec(mode, predictions, loss, step)

    def _weights(self, features):
        if self._weight_column is None:
            return 1.0
        return self._weight_column.dense_tensor(Features(features))

    def _shaped(self, labels):
        """Return labels with an axis after that of the examples."""
        shape = labels.shape
        if shape.rank == 1:
            labels = _expand_dims(labels, -1)
        elif shape.rank is not None and shape[-1].value not in (None, self._label_size()):
            raise ValueError(
                f"labels shape must be [D0, D1, ... DN, {self._label_size()}]. Received labels: {shape}"
            )
        return labels

    def _label_size(self) -> int:
        return 1


class ClassHead(Head):
    """The head of a classifier: one logit for two classes, or one for each of more classes.

    Args:
      n_classes: the number of classes.
      weight_column: as for `Head`.
      label_vocabulary: the names of the classes, if labels are strings.
      reduction: as for `Head`.
    """

    def __init__(self, n_classes: int, weight_column, label_vocabulary, reduction):
        if n_classes < 2:
            raise ValueError(f"n_classes must be > 1: {n_classes}.")
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                f'"label_vocabulary" does not have "n_classes" items. n_classes={n_classes}, '
                f"label_vocabulary={label_vocabulary}"
            )
        super().__init__(1 if n_classes == 2 else n_classes, weight_column, reduction)
        self._count, self._names = n_classes, label_vocabulary

    def predictions(self, logits) -> dict[str, Any]:
        """Return logits, probabilities and classes by name."""
        found: dict[str, Any] = {"logits": logits}
        both = logits
        if self._count == 2:
            found["logistic"] = sigmoid(logits)
            both = concat([zeros_like(logits), logits], -1)
        found["probabilities"] = _softmax(both)
        ids = _expand_dims(_argmax(both, -1), -1)
        found["class_ids"] = ids
        if self._names:
            table = index_to_string_table_from_tensor(list(self._names))
            found["classes"] = table.lookup(ids)
        else:
            found["classes"] = _as_string(ids)
        names = self._names or [str(i) for i in range(self._count)]
        numbers = np.arange(self._count, dtype=np.int32)
        found["all_class_ids"] = operation_of(_repeat_row, (logits, numbers), {}, public="tile")
        texts = np.array([n.encode() for n in names], object)
        found["all_classes"] = operation_of(_repeat_texts, (ids, texts), {}, public="as_string")
        return found

    def outputs(self, predictions) -> dict[str, Any]:
        """Return the outputs of the exported model by name."""
        scored = ClassificationOutput(
            scores=predictions["probabilities"], classes=predictions["all_classes"]
        )
        found: dict[str, Any] = {"serving_default": scored, "classification": scored}
        if self._count == 2:
            found["regression"] = RegressionOutput(value=predictions["logistic"])
        return {**found, "predict": PredictOutput(predictions)}

    def losses(self, logits, labels) -> tuple[Any, Any]:
        """Return the cross entropy of each example, and the labels as numbers."""
        if self._names:
            labels = index_table_from_tensor(list(self._names)).lookup(labels)
        elif is_text(labels):
            raise ValueError(
                "Labels dtype should be integer. Instead got string. Give the names of the classes as "
                "`label_vocabulary`."
            )
        known = operation_of(_is_known, (labels, self._count), {}, public="reduce_all")
        check = Assert(known, [f"Labels must be >= 0 and <= {self._count - 1}", labels])
        labels = with_dependencies([check], labels)
        if self._count == 2:
            labels = cast(labels, "float32")
            return _cross_entropy(labels=labels, logits=logits), labels
        reduction = losses.Reduction.NONE
        found = losses.sparse_softmax_cross_entropy(labels, logits, reduction=reduction)
        return _expand_dims(found, -1), labels

    def metrics(self, predictions, labels, weights, found) -> dict[str, Any]:
        """Return the metrics of an evaluation by name."""
        ids = predictions["class_ids"]
        measured = {
            "average_loss": metrics.mean(found, weights),
            "accuracy": accuracy(labels, ids, weights),
        }
        if self._count > 2:
            return measured
        likely = predictions["logistic"]
        weights = weights * _ones_like(likely)
        truth = metrics.mean(labels, weights)
        return {
            **measured,
            "precision": precision(labels, ids, weights),
            "recall": recall(labels, ids, weights),
            "prediction/mean": metrics.mean(likely, weights),
            "label/mean": truth,
            "accuracy_baseline": tuple(_maximum(x, 1.0 - x) for x in truth),
            "auc": auc(labels, likely, weights),
            "auc_precision_recall": auc(labels, likely, weights, curve="PR"),
        }


def _is_known(labels, count):
    return shims.reduce_all((labels >= 0) & (labels < count))


def _repeat_row(logits, row):
    return shims.tile(shims.expand_dims(row, 0), [shims.shape(logits)[0], 1])


def _repeat_texts(ids, texts):
    return np.tile(texts[None], [len(np.asarray(ids)), 1])


class RegressionHead(Head):
    """The head of a regression: the mean squared error of as many numbers as there are logits."""

    def _label_size(self) -> int:
        return self.logits_dimension

    def predictions(self, logits) -> dict[str, Any]:
        """Return the numbers by name."""
        return {"predictions": logits}

    def outputs(self, predictions) -> dict[str, Any]:
        """Return the outputs of the exported model by name."""
        found = RegressionOutput(value=predictions["predictions"])
        named = {"serving_default": found, "regression": found}
        return {**named, "predict": PredictOutput(predictions)}

    def losses(self, logits, labels) -> tuple[Any, Any]:
        """Return the squared errors, and the labels as numbers."""
        labels = cast(labels, "float32")
        reduction = losses.Reduction.NONE
        return losses.mean_squared_error(labels, logits, reduction=reduction), labels

    def metrics(self, predictions, labels, weights, found) -> dict[str, Any]:
        """Return the metrics of an evaluation by name."""
        return {
            "average_loss": metrics.mean(found, weights),
            "prediction/mean": metrics.mean(
                predictions["predictions"], weights * _ones_like(predictions["predictions"])
            ),
            "label/mean": metrics.mean(labels, weights),
        }


def minimizing(optimizer):
    """Return a function of the loss that minimizes it and counts the step."""
    return lambda loss: optimizer.minimize(loss, get_global_step())
