"""Define metrics that are means of values, errors or accuracies."""

from __future__ import annotations

from collections.abc import Callable

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.metrics.streaming import (
    broadcast_weights,
    check_graph,
    match_ranks,
    ratio,
    streaming,
)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Compute the mean of values over all batches.

    Args:
      values: numbers.
      weights: the weight of each value, a scalar or an array that broadcasts to `values`.
      metrics_collections: the collections to add the value to.
      updates_collections: the collections to add the update to.
      name: the scope of the variables `total` and `count`.

    Returns:
      `(value, update_op)`: the mean so far, a float32 scalar, and the operation that adds this
      batch and returns the new mean.

    Raises:
      ValueError: `weights` do not broadcast to `values`.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     value, update = tf.metrics.mean([1.0, 2.0, 6.0])
      ...     session.run(tf.local_variables_initializer())
      ...     print(session.run(update), session.run(value))
      3.0 3.0

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean
    """
    check_graph("mean")
    collections = (metrics_collections, updates_collections)
    return _make_mean((name, "mean"), lambda values: values, [values], weights, collections)


def accuracy(
    labels,
    predictions,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the fraction of predictions that equal the labels, over all batches.

    Args:
      labels: the true values, of any dtype.
      predictions: the predicted values, cast to the dtype of `labels`.
      weights: see `mean`.
      metrics_collections: see `mean`.
      updates_collections: see `mean`.
      name: see `mean`.

    Returns:
      `(value, update_op)`, see `mean`.

    Raises:
      ValueError: the shapes are incompatible.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     value, update = tf.metrics.accuracy([1, 0, 1], [1, 1, 1])
      ...     session.run(tf.local_variables_initializer())
      ...     print(session.run(update))
      0.6666667

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/accuracy
    """
    check_graph("accuracy")

    def right(labels, predictions):
        return shims.cast(shims.equal(shims.cast(predictions, labels.dtype), labels), "float32")

    collections = (metrics_collections, updates_collections)
    return _make_pairwise_mean(name or "accuracy", right, labels, predictions, weights, collections)


def mean_absolute_error(
    labels,
    predictions,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean absolute error over all batches.

    The arguments, the result and the errors are those of `accuracy`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_absolute_error
    """
    check_graph("mean_absolute_error")
    error = lambda labels, predictions: shims.abs(shims.subtract(predictions, labels))
    collections = (metrics_collections, updates_collections)
    name = name or "mean_absolute_error"
    return _make_pairwise_mean(name, error, labels, predictions, weights, collections)


def mean_squared_error(
    labels,
    predictions,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean squared error over all batches.

    The arguments, the result and the errors are those of `accuracy`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_squared_error
    """
    check_graph("mean_squared_error")
    collections = (metrics_collections, updates_collections)
    name = name or "mean_squared_error"
    return _make_pairwise_mean(name, _squared_error, labels, predictions, weights, collections)


def root_mean_squared_error(
    labels,
    predictions,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the root mean squared error over all batches.

    The arguments, the result and the errors are those of `accuracy`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/root_mean_squared_error
    """
    check_graph("root_mean_squared_error")
    collections = (metrics_collections, updates_collections)
    name = name or "root_mean_squared_error"
    root = lambda total, count: shims.sqrt(ratio(total, count))
    return _make_pairwise_mean(
        name, _squared_error, labels, predictions, weights, collections, root
    )


def mean_relative_error(
    labels,
    predictions,
    normalizer,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean relative error over all batches.

    Args:
      labels: the true values.
      predictions: the predicted values, of the same dtype.
      normalizer: the divisors of the absolute errors; where a divisor is 0, the relative error is 0.
      weights: see `mean`.
      metrics_collections: see `mean`.
      updates_collections: see `mean`.
      name: see `mean`.

    Returns:
      `(value, update_op)`, see `mean`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_relative_error
    """
    check_graph("mean_relative_error")

    def error(labels, predictions, normalizer):
        labels, predictions = match_ranks(labels, predictions)
        predictions, normalizer = match_ranks(predictions, normalizer)
        relative = shims.divide(shims.abs(labels - predictions), normalizer)
        return shims.where(shims.equal(normalizer, 0), shims.zeros_like(labels), relative)

    collections = (metrics_collections, updates_collections)
    operands = [labels, predictions, normalizer]
    scope = (name or "mean_relative_error", "")
    return _make_mean(scope, error, operands, weights, collections)


def mean_cosine_distance(
    labels,
    predictions,
    dim,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean cosine distance of unit vectors over all batches.

    Args:
      labels: the true vectors; the distance is `1 - <labels, predictions>`.
      predictions: the predicted vectors.
      dim: the axis of the vector elements.
      weights: see `mean`.
      metrics_collections: see `mean`.
      updates_collections: see `mean`.
      name: see `mean`.

    Returns:
      `(value, update_op)`, see `mean`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_cosine_distance
    """
    check_graph("mean_cosine_distance")

    def product(labels, predictions):
        labels, predictions = match_ranks(labels, predictions)
        return shims.reduce_sum(shims.multiply(predictions, labels), axis=[dim], keepdims=True)

    scope = (name or "mean_cosine_distance", "")
    found = _make_mean(scope, product, [labels, predictions], weights, (None, None))
    distances = tuple(
        operation_of(shims.subtract, (1.0, x), {}, public="subtract", name="Sub", type_="Sub")
        for x in found
    )
    for keys, tensor in zip((metrics_collections, updates_collections), distances, strict=True):
        if keys:
            get_default_graph().add_to_collections(keys, tensor)
    return distances


def percentage_below(
    values,
    threshold,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the fraction of values below a threshold, over all batches.

    Args:
      values: numbers.
      threshold: the threshold, a scalar.
      weights: see `mean`.
      metrics_collections: see `mean`.
      updates_collections: see `mean`.
      name: see `mean`.

    Returns:
      `(value, update_op)`, see `mean`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/percentage_below
    """
    check_graph("percentage_below")
    below = lambda values: shims.cast(shims.less(values, threshold), "float32")
    collections = (metrics_collections, updates_collections)
    scope = (name or "percentage_below_threshold", "")
    return _make_mean(scope, below, [values], weights, collections)


def mean_tensor(
    values, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Compute the elementwise mean over all batches.

    Args:
      values: numbers of a known shape.
      weights: see `mean`.
      metrics_collections: see `mean`.
      updates_collections: see `mean`.
      name: see `mean`.

    Returns:
      `(value, update_op)`, of the shape of `values`; see `mean`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/mean_tensor
    """
    check_graph("mean_tensor")
    values = convert_to_tensor(values)
    shape = tuple(values.shape.as_list())

    def contribution(values, weights):
        values = shims.cast(values, "float32")
        count = shims.ones_like(values)
        if weights is None:
            return values, count
        weights = broadcast_weights(weights, values)
        return values * weights, count * weights

    variables = [(n, shape, "float32") for n in ("total_tensor", "count_tensor")]
    collections = (metrics_collections, updates_collections)
    operands = [values, _to_tensor(weights)]
    return streaming((name, "mean"), variables, contribution, operands, ratio, collections)


def _squared_error(labels, predictions):
    return shims.math.squared_difference(labels, predictions)


def _make_pairwise_mean(name, f: Callable, labels, predictions, weights, collections, result=ratio):
    """Create a streaming mean of `f(labels, predictions)`, after making their ranks equal."""
    pairwise = lambda labels, predictions: f(*match_ranks(labels, predictions))
    return _make_mean((name, ""), pairwise, [labels, predictions], weights, collections, result)


def _make_mean(scope, f: Callable, operands, weights, collections, result=ratio):
    """Create a metric: the mean of `f(*operands)` over all batches."""

    def contribution(weights, *given):
        values = shims.cast(f(*given), "float32")
        if weights is None:
            return shims.reduce_sum(values), shims.cast(shims.size(values), "float32")
        weights = broadcast_weights(weights, values)
        return shims.reduce_sum(values * weights), shims.reduce_sum(weights)

    variables = [("total", (), "float32"), ("count", (), "float32")]
    given = [_to_tensor(weights), *map(convert_to_tensor, operands)]
    return streaming(scope, variables, contribution, given, result, collections)


def _to_tensor(weights):
    return None if weights is None else convert_to_tensor(weights)
