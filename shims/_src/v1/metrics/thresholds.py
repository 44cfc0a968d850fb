"""Define metrics that compare scores with thresholds, and the areas under ROC and PR curves."""

from __future__ import annotations

import logging

import jax.numpy as jnp
import numpy as np

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.metrics.streaming import broadcast_weights, check_graph, match_ranks, streaming

_NAMES = {
    "tp": "true_positives",
    "fn": "false_negatives",
    "tn": "true_negatives",
    "fp": "false_positives",
}
_SMALL = 1e-7
_METHODS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")


def auc(
    labels,
    predictions,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
    summation_method="trapezoidal",
    thresholds=None,
):
    """Compute the area under the ROC or precision-recall curve over all batches.

    Args:
      labels: the true values, cast to bool.
      predictions: the scores, from 0 to 1.
      weights: the weight of each element, a scalar or an array that broadcasts to `predictions`.
      num_thresholds: the number of thresholds.
      metrics_collections: the collections to add the value to.
      updates_collections: the collections to add the update to.
      curve: `"ROC"` or `"PR"`.
      name: the scope of the variables.
      summation_method: `"trapezoidal"`, `"careful_interpolation"`, `"minoring"`, `"majoring"`.
      thresholds: the inner thresholds, numbers from 0 to 1; replaces `num_thresholds`.

    Returns:
      `(value, update_op)`: the area so far, a float32 scalar, and the operation that adds this
      batch and returns the new area.

    Raises:
      ValueError: the shapes are incompatible, or `curve` or `summation_method` is unknown.
      InvalidArgumentError: at run time, if a score is not in `[0, 1]`.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/auc
    """
    check_graph("auc")
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in _METHODS:
        raise ValueError(
            f"Invalid summation_method: {summation_method} summation_method should be "
            "'trapezoidal', 'careful_interpolation', 'minoring', or 'majoring'."
        )
    if curve == "PR" and summation_method == "trapezoidal":
        logging.getLogger("tensorflow").warning(
            "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
            '"careful_interpolation" instead.'
        )

    def result(tp, fn, tn, fp):
        if curve == "PR" and summation_method == "careful_interpolation":
            return _interpolated_area(tp, fp, fn)
        return _area(*_curve_points(curve, tp, fn, tn, fp), summation_method)

    places = (
        _spaced_thresholds(num_thresholds)
        if thresholds is None
        else _add_outer_thresholds(sorted(thresholds))
    )
    collections = (metrics_collections, updates_collections)
    given = (labels, predictions, weights)
    return _metric_at_thresholds(
        places, (name, "auc"), ("tp", "fn", "tn", "fp"), given, result, collections
    )


def _curve_points(curve: str, tp, fn, tn, fp):
    """Compute the coordinates of the point of the ROC or PR curve that belongs to each threshold."""
    recall = (tp + 1e-6) / (tp + fn + 1e-6)
    if curve == "ROC":
        return fp / (fp + tn + 1e-6), recall
    return recall, (tp + 1e-6) / (tp + fp + 1e-6)


def _area(x, y, method: str):
    left, right = y[:-1], y[1:]
    heights = {
        "minoring": lambda: jnp.minimum(left, right),
        "majoring": lambda: jnp.maximum(left, right),
    }.get(method, lambda: (left + right) / 2.0)
    return jnp.sum((x[:-1] - x[1:]) * heights())


def _interpolated_area(tp, fp, fn):
    """Compute the area under the precision-recall curve, interpolated between thresholds."""
    divide = shims.math.divide_no_nan
    steps = tp[:-1] - tp[1:]
    every = tp + fp
    slope = divide(steps, jnp.maximum(every[:-1] - every[1:], 0))
    intercept = tp[1:] - slope * every[1:]
    some = (every[:-1] > 0) & (every[1:] > 0)
    relative = jnp.where(some, divide(every[:-1], jnp.maximum(every[1:], 0)), 1)
    parts = slope * (steps + intercept * jnp.log(relative))
    return jnp.sum(divide(parts, jnp.maximum(tp[1:] + fn[1:], 0)))


def sensitivity_at_specificity(
    labels,
    predictions,
    specificity,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the recall at the threshold whose specificity is closest to a given one.

    Args:
      labels: see `auc`.
      predictions: see `auc`.
      weights: see `auc`.
      specificity: a number from 0 to 1.
      num_thresholds: see `auc`.
      metrics_collections: see `auc`.
      updates_collections: see `auc`.
      name: see `auc`.

    Returns:
      `(value, update_op)`, see `auc`.

    Raises:
      ValueError: `specificity` is not in `[0, 1]`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/sensitivity_at_specificity
    """
    check_graph("sensitivity_at_specificity")
    _check_fraction("specificity", specificity)

    def result(tp, fn, tn, fp):
        at = jnp.argmin(jnp.abs(tn / (tn + fp + _SMALL) - specificity))
        return tp[at] / (tp[at] + fn[at] + _SMALL)

    scope = (name, "sensitivity_at_specificity")
    collections = (metrics_collections, updates_collections)
    given = (labels, predictions, weights)
    kinds = ("tp", "fn", "tn", "fp")
    return _metric_at_thresholds(
        _spaced_thresholds(num_thresholds), scope, kinds, given, result, collections
    )


def specificity_at_sensitivity(
    labels,
    predictions,
    sensitivity,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the specificity at the last threshold whose recall is closest to a given one.

    Args:
      labels: see `auc`.
      predictions: see `auc`.
      weights: see `auc`.
      sensitivity: a number from 0 to 1.
      num_thresholds: see `auc`.
      metrics_collections: see `auc`.
      updates_collections: see `auc`.
      name: see `auc`.

    Returns:
      `(value, update_op)`, see `auc`.

    Raises:
      ValueError: `sensitivity` is not in `[0, 1]`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/specificity_at_sensitivity
    """
    check_graph("specificity_at_sensitivity")
    _check_fraction("sensitivity", sensitivity)

    def result(tp, fn, tn, fp):
        apart = jnp.abs(tp / (tp + fn + _SMALL) - sensitivity)
        at = apart.shape[0] - 1 - jnp.argmin(apart[::-1])
        return tn[at] / (tn[at] + fp[at] + _SMALL)

    scope = (name, "specificity_at_sensitivity")
    collections = (metrics_collections, updates_collections)
    given = (labels, predictions, weights)
    kinds = ("tp", "fn", "tn", "fp")
    return _metric_at_thresholds(
        _spaced_thresholds(num_thresholds), scope, kinds, given, result, collections
    )


def precision_at_thresholds(
    labels,
    predictions,
    thresholds,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the precision at each threshold over all batches.

    Args:
      labels: see `auc`.
      predictions: see `auc`.
      weights: see `auc`.
      thresholds: a list of numbers.
      metrics_collections: see `auc`.
      updates_collections: see `auc`.
      name: see `auc`.

    Returns:
      `(value, update_op)`: float32 vectors, see `auc`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/precision_at_thresholds
    """
    check_graph("precision_at_thresholds")
    result = lambda tp, fp: tp / (_SMALL + tp + fp)
    return _metric_at_thresholds(
        thresholds,
        (name, "precision_at_thresholds"),
        ("tp", "fp"),
        (labels, predictions, weights),
        result,
        (metrics_collections, updates_collections),
        names=("precision_value", "precision_update_op"),
    )


def recall_at_thresholds(
    labels,
    predictions,
    thresholds,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the recall at each threshold over all batches; see `precision_at_thresholds`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/recall_at_thresholds
    """
    check_graph("recall_at_thresholds")
    result = lambda tp, fn: tp / (_SMALL + tp + fn)
    return _metric_at_thresholds(
        thresholds,
        (name, "recall_at_thresholds"),
        ("tp", "fn"),
        (labels, predictions, weights),
        result,
        (metrics_collections, updates_collections),
        names=("recall_value", "recall_update_op"),
    )


def _counts_at(kind: str, labels, predictions, thresholds, weights, collections, name):
    default = f"{_NAMES[kind]}_at_thresholds"
    check_graph(default)
    given = (labels, predictions, weights)
    return _metric_at_thresholds(
        thresholds, (name, _NAMES[kind]), (kind,), given, shims.identity, collections
    )


def true_positives_at_thresholds(
    labels,
    predictions,
    thresholds,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Count the true positives at each threshold; see `precision_at_thresholds`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/true_positives_at_thresholds
    """
    collections = (metrics_collections, updates_collections)
    return _counts_at("tp", labels, predictions, thresholds, weights, collections, name)


def false_negatives_at_thresholds(
    labels,
    predictions,
    thresholds,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Count the false negatives at each threshold; see `precision_at_thresholds`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/false_negatives_at_thresholds
    """
    collections = (metrics_collections, updates_collections)
    return _counts_at("fn", labels, predictions, thresholds, weights, collections, name)


def true_negatives_at_thresholds(
    labels,
    predictions,
    thresholds,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Count the true negatives at each threshold; see `precision_at_thresholds`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/true_negatives_at_thresholds
    """
    collections = (metrics_collections, updates_collections)
    return _counts_at("tn", labels, predictions, thresholds, weights, collections, name)


def false_positives_at_thresholds(
    labels,
    predictions,
    thresholds,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Count the false positives at each threshold; see `precision_at_thresholds`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/false_positives_at_thresholds
    """
    collections = (metrics_collections, updates_collections)
    return _counts_at("fp", labels, predictions, thresholds, weights, collections, name)


def _spaced_thresholds(count: int) -> list[float]:
    """Return evenly spaced thresholds; the first is just below 0 and the last just above 1."""
    return _add_outer_thresholds([(i + 1) * 1.0 / (count - 1) for i in range(count - 2)])


def _add_outer_thresholds(inner) -> list[float]:
    return [0.0 - _SMALL, *inner, 1.0 + _SMALL]


def _check_fraction(name: str, number) -> None:
    if number < 0 or number > 1:
        raise ValueError(f"`{name}` must be in the range [0, 1]. Currently, `{name}` got {number}.")


def _metric_at_thresholds(
    thresholds, scope, kinds, given, result, collections, names=("value", "update_op")
):
    """Create a streaming metric that is computed from the confusion counts at each threshold."""
    places = np.asarray(thresholds, np.float32)

    def contribution(labels, predictions, weights):
        _check_scores(predictions)
        predictions = shims.cast(predictions, "float32")
        labels, predictions = match_ranks(shims.cast(labels, "bool"), predictions)
        counted = (
            None
            if weights is None
            else shims.reshape(broadcast_weights(weights, predictions), [1, -1])
        )
        positive = shims.reshape(predictions, [1, -1]) > places[:, None]
        label = shims.reshape(labels, [1, -1])
        of_kind = {
            "tp": lambda: label & positive,
            "fn": lambda: label & ~positive,
            "tn": lambda: ~label & ~positive,
            "fp": lambda: ~label & positive,
        }
        found = []
        for kind in kinds:
            values = shims.cast(of_kind[kind](), "float32")
            values = values if counted is None else values * counted
            found.append(shims.reduce_sum(values, axis=1))
        return found

    labels, predictions, weights = given
    operands = [convert_to_tensor(labels), convert_to_tensor(predictions)]
    operands.append(None if weights is None else convert_to_tensor(weights))
    variables = [(_NAMES[kind], (len(places),), "float32") for kind in kinds]
    return streaming(scope, variables, contribution, operands, result, collections, names=names)


def _check_scores(predictions) -> None:
    message = "predictions must be in [0, 1]"
    zero, one = (shims.cast(x, predictions.dtype) for x in (0.0, 1.0))
    shims.debugging.assert_greater_equal(predictions, zero, message=message)
    shims.debugging.assert_less_equal(predictions, one, message=message)
