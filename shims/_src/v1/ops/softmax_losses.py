"""Provide softmax cross-entropy losses of TensorFlow 1; labels may or may not receive gradients."""

from __future__ import annotations

from shims._src.array.casting import stop_gradient
from shims._src.nn import losses
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly


def _loss_with_constant_labels(labels, logits, axis):
    return losses.softmax_cross_entropy_with_logits(stop_gradient(labels), logits, axis)


def _add_loss_operation(f, scope, labels, logits, axis):
    if executing_eagerly():
        return f(labels, logits, axis)
    with get_default_graph().name_scope(scope):
        return operation_of(f, (labels, logits, axis), {}, public="Reshape_2")


def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """Compute the softmax cross-entropy, without gradients of the labels.

    Args:
      labels: array of class probabilities.
      logits: array of the same dtype.
      dim: the axis of the classes.
      name: name of the operation.
      axis: another name of `dim`.

    Returns:
      The losses, without the axis of the classes.

    Raises:
      ValueError: `labels` or `logits` is missing.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/softmax_cross_entropy_with_logits
    """
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for softmax_cross_entropy_with_logits"
            f"Received: labels={labels} and logits={logits}"
        )
    scope = name or "softmax_cross_entropy_with_logits_sg"
    return _add_loss_operation(
        _loss_with_constant_labels, scope, labels, logits, dim if axis is None else axis
    )


def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """Compute the softmax cross-entropy, with gradients of labels and logits.

    Args:
      labels: array of class probabilities.
      logits: array of the same dtype.
      axis: the axis of the classes, the last when `None`.
      name: name of the operation.
      dim: another name of `axis`.

    Returns:
      The losses, without the axis of the classes.

    Raises:
      ValueError: `axis` and `dim` are both given.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/softmax_cross_entropy_with_logits_v2
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'dim' and 'axis'.")
        axis = dim
    scope = name or "softmax_cross_entropy_with_logits"
    f = losses.softmax_cross_entropy_with_logits
    return _add_loss_operation(f, scope, labels, logits, -1 if axis is None else axis)
