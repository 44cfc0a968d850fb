"""Define metrics that count true and false positives and negatives, precision and recall."""

from __future__ import annotations

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.metrics.streaming import broadcast_weights, check_graph, match_ranks, streaming

_KINDS = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}


def true_positives(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Count the true positives over all batches.

    Args:
      labels: the true values, cast to bool.
      predictions: the predicted values, cast to bool.
      weights: the weight of each element, a scalar or an array that broadcasts to `predictions`.
      metrics_collections: the collections to add the value to.
      updates_collections: the collections to add the update to.
      name: the scope of the variable `count`.

    Returns:
      `(value, update_op)`: the count so far, a float32 scalar, and the operation that adds this
      batch and returns the new count.

    Raises:
      ValueError: the shapes are incompatible.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/true_positives
    """
    collections = (metrics_collections, updates_collections)
    return _make_count("true_positives", labels, predictions, weights, collections, name)


def false_negatives(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Count the false negatives over all batches; see `true_positives`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/false_negatives
    """
    collections = (metrics_collections, updates_collections)
    return _make_count("false_negatives", labels, predictions, weights, collections, name)


def true_negatives(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Count the true negatives over all batches; see `true_positives`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/true_negatives
    """
    collections = (metrics_collections, updates_collections)
    return _make_count("true_negatives", labels, predictions, weights, collections, name)


def false_positives(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Count the false positives over all batches; see `true_positives`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/false_positives
    """
    collections = (metrics_collections, updates_collections)
    return _make_count("false_positives", labels, predictions, weights, collections, name)


def precision(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Compute the precision over all batches; 0 if there is no positive prediction.

    The arguments, the result and the errors are those of `true_positives`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/precision
    """
    collections = (metrics_collections, updates_collections)
    kinds = ("true_positives", "false_positives")
    return _make_ratio("precision", kinds, labels, predictions, weights, collections, name)


def recall(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Compute the recall over all batches; 0 if there is no positive label.

    The arguments, the result and the errors are those of `true_positives`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/recall
    """
    collections = (metrics_collections, updates_collections)
    kinds = ("true_positives", "false_negatives")
    return _make_ratio("recall", kinds, labels, predictions, weights, collections, name)


def _make_count(kind: str, labels, predictions, weights, collections, name):
    check_graph(kind)
    found = streaming(
        (name, kind),
        [("count", (), "float32")],
        _make_contribution([kind]),
        _convert_operands(labels, predictions, weights),
        shims.identity,
        collections,
    )
    return found


def _make_ratio(metric: str, kinds, labels, predictions, weights, collections, name):
    check_graph(metric)

    def result(right, wrong):
        every = right + wrong
        return shims.where(every > 0, shims.divide(right, every), shims.zeros_like(every))

    return streaming(
        (name, metric),
        [(f"{kind}/count", (), "float32") for kind in kinds],
        _make_contribution(kinds),
        _convert_operands(labels, predictions, weights),
        result,
        collections,
    )


def _convert_operands(labels, predictions, weights) -> list:
    given = [convert_to_tensor(labels), convert_to_tensor(predictions)]
    return [*given, None if weights is None else convert_to_tensor(weights)]


def _make_contribution(kinds):
    """Return a function that counts the given kinds of results, such as true positives, in one batch."""

    def contribution(labels, predictions, weights):
        labels, predictions = match_ranks(
            shims.cast(labels, "bool"), shims.cast(predictions, "bool")
        )
        found = []
        for label, prediction in (_KINDS[kind] for kind in kinds):
            holds = shims.logical_and(
                shims.equal(labels, label), shims.equal(predictions, prediction)
            )
            values = shims.cast(holds, "float32")
            if weights is not None:
                values = values * broadcast_weights(weights, values)
            found.append(shims.reduce_sum(values))
        return found

    return contribution
