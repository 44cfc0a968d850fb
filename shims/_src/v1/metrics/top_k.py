"""Define precision, recall and average precision of the top k predictions."""

from __future__ import annotations

import jax.numpy as jnp

import shims
from shims._src.v1.control_flow.sparse_tensors import SparseTensor
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.metrics import label_sets
from shims._src.v1.metrics.streaming import check_graph, metric_variable, ratio, streamed


def recall_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the recall of the top k predictions over all batches.

    Args:
      labels: int64 tensor or `SparseTensor` of the classes of each row. The shape is `[..., m]`, or
        `[...]` for one class in each row. Classes that are out of range, such as -1, are never
        predicted.
      predictions: floats `[..., classes]`, scores.
      k: the number of top predictions to use, an `int`.
      class_id: restrict the metric to this class, an `int`.
      weights: the weight of each row, a scalar or an array that broadcasts to `[...]`.
      metrics_collections: the collections to add the value to.
      updates_collections: the collections to add the update to.
      name: the scope of the variables.

    Returns:
      `(value, update_op)`: the recall so far, a float64 scalar (NaN without labels), and the
      operation that adds this batch and returns the new recall.

    Raises:
      ValueError: the shapes are incompatible, or there are fewer than `k` classes.
      TypeError: `labels` are not int64.
      InvalidArgumentError: `weights` do not broadcast; or, at run time, the rows of sparse `labels`
        differ from the rows of `predictions`.
      RuntimeError: eager execution is enabled.

    Differs from TensorFlow:
      The indices of a sparse tensor may come in any order.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/recall_at_k
    """
    check_graph("recall_at_k")
    with get_default_graph().name_scope(name or _default_name("recall", k, class_id)) as scope:
        collections = (metrics_collections, updates_collections)
        return _make_ratio(
            "recall", labels, _top_classes(predictions, k), k, class_id, weights, collections, scope
        )


def recall_at_top_k(
    labels,
    predictions_idx,
    k=None,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the recall of predicted class indices over all batches.

    Args:
      labels: see `recall_at_k`.
      predictions_idx: integers `[..., k]`, the predicted classes.
      k: a number that only appears in the default names of variables and operations.
      class_id: see `recall_at_k`.
      weights: see `recall_at_k`.
      metrics_collections: see `recall_at_k`.
      updates_collections: see `recall_at_k`.
      name: see `recall_at_k`.

    Returns:
      `(value, update_op)`, as for `recall_at_k`, which also describes the errors.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/recall_at_top_k
    """
    check_graph("recall_at_top_k")
    collections = (metrics_collections, updates_collections)
    return _make_ratio("recall", labels, predictions_idx, k, class_id, weights, collections, name)


def precision_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the precision of the top k predictions over all batches.

    The arguments, the result and the errors are those of `recall_at_k`; the value is NaN if
    no class is predicted.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/precision_at_k
    """
    check_graph("precision_at_k")
    with get_default_graph().name_scope(name or _default_name("precision", k, class_id)) as scope:
        collections = (metrics_collections, updates_collections)
        guesses = _top_classes(predictions, k)
        return _make_ratio("precision", labels, guesses, k, class_id, weights, collections, scope)


def sparse_precision_at_k(
    labels,
    predictions,
    k,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute `precision_at_k` under its former name.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/sparse_precision_at_k
    """
    collections = (metrics_collections, updates_collections)
    return precision_at_k(labels, predictions, k, class_id, weights, *collections, name)


def precision_at_top_k(
    labels,
    predictions_idx,
    k=None,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the precision of predicted class indices over all batches.

    The arguments, the result and the errors are those of `recall_at_top_k`; the value is NaN if
    no class is predicted.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/precision_at_top_k
    """
    check_graph("precision_at_top_k")
    collections = (metrics_collections, updates_collections)
    return _make_ratio(
        "precision", labels, predictions_idx, k, class_id, weights, collections, name
    )


def average_precision_at_k(
    labels,
    predictions,
    k,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute the mean average precision of the top k predictions over all batches.

    The average precision of a row is the sum of the precisions at the ranks of correct predictions,
    divided by the number of labels or by `k` if that is less. A row without labels makes the mean
    NaN.

    Args:
      labels: see `recall_at_k`.
      predictions: see `recall_at_k`.
      k: the number of top predictions to use, an `int`.
      weights: see `recall_at_k`.
      metrics_collections: see `recall_at_k`.
      updates_collections: see `recall_at_k`.
      name: see `recall_at_k`.

    Returns:
      `(value, update_op)`, two float64 scalars; the value is 0 before the first batch.

    Raises:
      ValueError: `k` is less than 1; for the other errors see `recall_at_k`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/average_precision_at_k
    """
    check_graph("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    graph = get_default_graph()
    with graph.name_scope(name or _default_name("average_precision", k)) as scope:
        scores = convert_to_tensor(predictions)
        # TensorFlow's first node for the labels takes the name of the variable `max`.
        with graph.name_scope("Max"):
            guesses = _top_classes(scores, k)
        kept = [_make_variable("max"), _make_variable("total")]
        operands = [*_label_parts(labels), scores, guesses, _to_tensor(weights)]
        collections = (metrics_collections, updates_collections)
        result = lambda count, total: ratio(total, count)
        return streamed(
            kept, _sum_average_precisions, operands, result, collections, None, ("mean", scope)
        )


def sparse_average_precision_at_k(
    labels,
    predictions,
    k,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Compute `average_precision_at_k` under its former name.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/metrics/sparse_average_precision_at_k
    """
    collections = (metrics_collections, updates_collections)
    return average_precision_at_k(labels, predictions, k, weights, *collections, name)


def _default_name(name: str, k=None, class_id=None) -> str:
    name = f"{name}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _top_classes(predictions, k):
    """Return the classes with the k largest scores of each row, in descending order of the scores."""
    best = lambda scores: shims.math.top_k(scores, k)[1]
    scores = convert_to_tensor(predictions)
    return operation_of(best, (scores,), {}, public="top_k", name="TopKV2", type_="TopKV2")


def _label_parts(labels) -> tuple:
    """Return `(indices, values, shape)` of sparse labels, or `(labels, None, None)` for dense labels."""
    if isinstance(labels, SparseTensor):
        return labels.indices, labels.values, labels.dense_shape
    if isinstance(labels, tuple) and hasattr(labels, "dense_shape"):
        return _label_parts(SparseTensor(*labels))
    return convert_to_tensor(labels), None, None


def _to_tensor(weights):
    return None if weights is None else convert_to_tensor(weights)


def _make_variable(name: str):
    """Create a float64 scalar metric variable in a name scope of the same name, as TensorFlow does."""
    with get_default_graph().name_scope(name) as scope:
        return metric_variable((), "float64", scope)


def _make_ratio(metric: str, labels, guesses, k, class_id, weights, collections, name):
    """Create the recall or the precision of the top k predictions as a streaming metric."""
    wrong = "false_negative" if metric == "recall" else "false_positive"
    with get_default_graph().name_scope(name or _default_name(metric, k, class_id)) as scope:
        kept = [
            _make_variable(_default_name(kind, k, class_id)) for kind in ("true_positive", wrong)
        ]

        def contribution(labels, values, size, guesses, weights):
            guesses = shims.cast(guesses, "int64")
            listed = label_sets.listed(labels, values, size, guesses)
            found = label_sets.hits(listed, guesses)
            chosen = _restrict_to_class(class_id, listed.classes, found.labels)
            right = label_sets.by_row(listed, chosen & found.guessed, guesses)
            if metric == "recall":
                other = label_sets.by_row(listed, chosen & ~found.guessed, guesses)
            else:
                chosen = _restrict_to_class(
                    class_id, guesses.reshape(found.right.shape), found.guesses
                )
                other = jnp.sum(chosen & ~found.right, axis=1, dtype=jnp.float64)
                other = other.reshape(right.shape)
            counted = label_sets.weighted(weights, right)
            weigh = (lambda x: x) if counted is None else (lambda x: x * counted)
            return [jnp.sum(weigh(right)), jnp.sum(weigh(other))]

        operands = [*_label_parts(labels), convert_to_tensor(guesses), _to_tensor(weights)]
        share = lambda right, other: shims.divide(right, right + other)
        return streamed(kept, contribution, operands, share, collections, None, (scope, "update"))


def _restrict_to_class(class_id, classes, chosen):
    return chosen if class_id is None else chosen & (classes == class_id)


def _sum_average_precisions(labels, values, size, scores, guesses, weights):
    """Return the sum of the row weights of a batch, and the weighted sum of the average precisions."""
    guesses = shims.cast(guesses, "int64")
    listed = label_sets.listed(labels, values, size, guesses)
    right = label_sets.hits(listed, guesses).right
    k = right.shape[1]
    precision = jnp.cumsum(right, axis=1, dtype=jnp.float64) / jnp.arange(1, k + 1)
    total = jnp.sum(precision * right, axis=1).reshape(guesses.shape[:-1])
    classes = jnp.where(listed.classes >= scores.shape[-1], -1, listed.classes)
    # Dense labels below 0 are padding of a row; in a sparse tensor they are a class.
    relevant = classes >= 0 if values is None else label_sets.first_of_row(listed.rows, classes)
    average = total / jnp.minimum(label_sets.by_row(listed, relevant, guesses), k)
    counted = label_sets.weighted(weights, average)
    if counted is None:
        return [shims.cast(shims.size(average), "float64"), jnp.sum(average)]
    return [jnp.sum(counted), jnp.sum(average * counted)]
