"""Provide `contrib.metrics`: the metrics of `tf.metrics`, which take the predictions before the labels."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import shims
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.metrics import classes, confusion_counts, mean_metrics, thresholds, top_k
from shims._src.v1.metrics.mean_metrics import mean, mean_tensor, percentage_below

_matrix = deferred(shims.math.confusion_matrix, "confusion_matrix")
_in_top_k = deferred(shims.math.in_top_k, "in_top_k")


def _predictions_first(
    metric: Callable, leave_out: str = "", leading: tuple = ("predictions", "labels")
) -> Any:
    """Return a metric of `tf.metrics` with the parameters of `contrib.metrics`.

    Args:
      metric: the metric, whose first parameters are the labels and the predictions.
      leave_out: the parameters that `contrib.metrics` does not have.
      leading: the first parameters.
    """
    theirs, guesses = list(inspect.signature(metric).parameters.values())[:2]
    rest = [
        p
        for p in list(inspect.signature(metric).parameters.values())[2:]
        if p.name not in leave_out.split()
    ]
    first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in leading]
    signature = inspect.Signature([*first, *rest])
    renamed = {leading[0]: guesses.name, leading[1]: theirs.name}

    @functools.wraps(metric)
    def with_predictions_first(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        return metric(**{renamed.get(name, name): value for name, value in given.items()})

    vars(with_predictions_first)["__signature__"] = signature
    with_predictions_first.__name__ = f"streaming_{metric.__name__}"
    with_predictions_first.__doc__ = (
        f"Compute `tf.metrics.{metric.__name__}`, with the predictions before the labels.\n\n"
        f"    Takes {signature}. Returns the value and the operation that adds a batch."
    )
    return with_predictions_first


_COLLECTIONS = "metrics_collections updates_collections name"
streaming_mean = mean
streaming_mean_tensor = mean_tensor
streaming_percentage_less = percentage_below
streaming_accuracy = _predictions_first(mean_metrics.accuracy)
streaming_auc = _predictions_first(thresholds.auc, "summation_method thresholds")
streaming_false_negatives = _predictions_first(confusion_counts.false_negatives)
streaming_false_positives = _predictions_first(confusion_counts.false_positives)
streaming_true_negatives = _predictions_first(confusion_counts.true_negatives)
streaming_true_positives = _predictions_first(confusion_counts.true_positives)
streaming_false_negatives_at_thresholds = _predictions_first(
    thresholds.false_negatives_at_thresholds, _COLLECTIONS
)
streaming_false_positives_at_thresholds = _predictions_first(
    thresholds.false_positives_at_thresholds, _COLLECTIONS
)
streaming_true_negatives_at_thresholds = _predictions_first(
    thresholds.true_negatives_at_thresholds, _COLLECTIONS
)
streaming_true_positives_at_thresholds = _predictions_first(
    thresholds.true_positives_at_thresholds, _COLLECTIONS
)
streaming_mean_absolute_error = _predictions_first(mean_metrics.mean_absolute_error)
streaming_mean_cosine_distance = _predictions_first(mean_metrics.mean_cosine_distance)
streaming_mean_iou = _predictions_first(classes.mean_iou)
streaming_mean_relative_error = _predictions_first(mean_metrics.mean_relative_error)
streaming_mean_squared_error = _predictions_first(mean_metrics.mean_squared_error)
streaming_root_mean_squared_error = _predictions_first(mean_metrics.root_mean_squared_error)
streaming_precision = _predictions_first(confusion_counts.precision)
streaming_recall = _predictions_first(confusion_counts.recall)
streaming_precision_at_thresholds = _predictions_first(thresholds.precision_at_thresholds)
streaming_recall_at_thresholds = _predictions_first(thresholds.recall_at_thresholds)
streaming_sensitivity_at_specificity = _predictions_first(thresholds.sensitivity_at_specificity)
streaming_specificity_at_sensitivity = _predictions_first(thresholds.specificity_at_sensitivity)
streaming_sparse_average_precision_at_k = _predictions_first(top_k.average_precision_at_k)
streaming_sparse_precision_at_k = _predictions_first(top_k.precision_at_k)
streaming_sparse_precision_at_top_k = _predictions_first(
    top_k.precision_at_top_k, "k", ("top_k_predictions", "labels")
)
streaming_sparse_recall_at_k = _predictions_first(top_k.recall_at_k)


def streaming_recall_at_k(
    predictions,
    labels,
    k,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute how often the label is among the `k` largest predictions of a row.

    Args:
      predictions: float numbers `[batch, classes]`.
      labels: class numbers `[batch]`.
      k: the number of predictions.
      weights: the weight of each row.
      metrics_collections: the collections to add the value to.
      updates_collections: the collections to add the update to.
      name: the scope of the variables.

    Returns:
      `(value, update_op)`: the share so far, and the operation that adds this batch and returns the new share.
    """
    hits = _in_top_k(targets=labels, predictions=predictions, k=k)
    return mean(hits, weights, metrics_collections, updates_collections, name or f"recall_at_{k}")


def accuracy(predictions, labels, weights=None, name=None):
    """Return the share of equal predictions and labels in a batch.

    Args:
      predictions: classes.
      labels: integers, bools or text of the same type.
      weights: the weight of each label.
      name: name of the operation.

    Raises:
      ValueError: the types differ, or are floating-point.
    """
    if not (labels.dtype.is_integer or labels.dtype.is_bool or labels.dtype.name == "string"):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if labels.dtype.base_dtype != predictions.dtype.base_dtype:
        raise ValueError(
            "Dtypes of predictions and labels should match. Given: predictions "
            f"({predictions.dtype!r}) and labels ({labels.dtype!r})"
        )

    with name_scope(name, "accuracy"):
        hits = operation_of(_hits, (predictions, labels), {}, public="equal")
        if weights is None:
            return operation_of(shims.reduce_mean, (hits,), {}, public="reduce_mean")
        return operation_of(_weighted_share, (hits, weights), {}, public="div")


def _hits(predictions, labels):
    return shims.cast(shims.equal(predictions, labels), shims.float32)


def _weighted_share(hits, weights):
    counted = hits * weights
    return shims.reduce_sum(counted) / shims.reduce_sum(weights * shims.ones_like(counted))


def confusion_matrix(labels, predictions, num_classes=None, dtype="int32", name=None, weights=None):
    """Return the matrix whose element `[i, j]` counts the examples of class `i` predicted as `j`."""
    return _matrix(labels, predictions, num_classes, weights, dtype, name)


def aggregate_metrics(*value_update_tuples):
    """Return the list of values and the list of updates of metrics.

    Raises:
      ValueError: there are no metrics.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """Return the values and the updates of named metrics, as two dicts."""
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}
