"""Define mean intersection over union and mean per-class accuracy."""

from __future__ import annotations

import jax.numpy as jnp

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.metrics.streaming import check_graph, ratio, same_shape, streaming


def mean_iou(
    labels,
    predictions,
    num_classes,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean intersection over union of the classes, over all batches.

    Args:
      labels: the true classes, integers.
      predictions: the predicted classes.
      num_classes: the number of classes.
      weights: the weight of each element, of the shape of `labels`.
      metrics_collections: the collections to add the value to.
      updates_collections: the collections to add the update to.
      name: the scope of the variable `total_confusion_matrix`.

    Returns:
      `(value, update_op)`: the mean so far over the classes that occur, a float32 scalar, and the
      operation that adds this batch and returns the float64 confusion matrix `[label, prediction]`.

    Raises:
      ValueError: the shapes are incompatible.
      InvalidArgumentError: at run time, if a class is out of range.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_iou
    """
    check_graph("mean_iou")

    def contribution(labels, predictions, weights):
        same_shape(predictions, labels)
        flat = lambda x: shims.reshape(x, [-1])
        labels, predictions = (flat(shims.cast(x, "int64")) for x in (labels, predictions))
        counted = None if weights is None else flat(weights)
        return [shims.math.confusion_matrix(labels, predictions, num_classes, counted, "float64")]

    def result(matrix):
        across, down = (shims.cast(jnp.sum(matrix, i), "float32") for i in (0, 1))
        shared = shims.cast(jnp.diagonal(matrix), "float32")
        either = across + down - shared
        count = jnp.sum((either != 0).astype(jnp.float32))
        parts = shared / jnp.where(either > 0, either, 1)
        return jnp.where(count > 0, jnp.sum(parts) / count, 0)

    return streaming(
        (name, "mean_iou"),
        [("total_confusion_matrix", (num_classes, num_classes), "float64")],
        contribution,
        _convert_operands(labels, predictions, weights),
        result,
        (metrics_collections, updates_collections),
        update=shims.identity,
        names=("Select", "AssignAdd"),
    )


def mean_per_class_accuracy(
    labels,
    predictions,
    num_classes,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean of the accuracies of the classes, over all batches.

    Args:
      labels: the true classes, integers.
      predictions: the predicted classes.
      num_classes: the number of classes.
      weights: see `mean_iou`.
      metrics_collections: see `mean_iou`.
      updates_collections: see `mean_iou`.
      name: see `mean_iou`.

    Returns:
      `(value, update_op)`: the mean so far, a float32 scalar, and the operation that adds this
      batch and returns the accuracy of each class, a vector.

    Raises:
      ValueError: the shapes are incompatible.
      InvalidArgumentError: at run time, if a class is out of range.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_per_class_accuracy
    """
    check_graph("mean_per_class_accuracy")

    def contribution(labels, predictions, weights):
        flat = lambda x: shims.reshape(x, [-1])
        labels, predictions = flat(shims.cast(labels, "int64")), flat(predictions)
        predictions = same_shape(shims.cast(predictions, "int64"), labels)
        ones = shims.ones_like(labels, dtype="float32")
        right = shims.cast(shims.equal(predictions, labels), "float32")
        if weights is not None:
            weights = shims.cast(flat(weights), "float32")
            ones, right = ones * weights, right * weights
        at = shims.expand_dims(labels, 1)
        return [shims.scatter_nd(at, values, [num_classes]) for values in (ones, right)]

    mean = lambda total, count: shims.reduce_mean(ratio(count, total))
    return streaming(
        (name, "mean_accuracy"),
        [(n, (num_classes,), "float32") for n in ("total", "count")],
        contribution,
        _convert_operands(labels, predictions, weights),
        mean,
        (metrics_collections, updates_collections),
        update=lambda total, count: ratio(count, total),
        names=("mean_accuracy", "update_op"),
    )


def _convert_operands(labels, predictions, weights) -> list:
    given = [convert_to_tensor(labels), convert_to_tensor(predictions)]
    return [*given, None if weights is None else convert_to_tensor(weights)]
