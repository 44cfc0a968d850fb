"""Provide `contrib.losses`, which `slim.losses` is: losses that take predictions before labels."""

from __future__ import annotations

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.layers import losses

_reshape = deferred(shims.reshape, "reshape")


def _fit(weights, rank: int | None):
    """Give weights of the first axes of losses as many axes as the losses have, as `tf.losses` requires."""
    weights = convert_to_tensor(weights)
    known = weights.shape.rank
    if rank is None or not known or known >= rank:
        return weights
    sizes = [-1 if n is None else n for n in weights.shape.as_list()]
    if sizes.count(-1) > 1:
        raise ValueError(
            f"`weights` has the shape {weights.shape}; if two or more sizes of `weights` are unknown, `weights` must "
            f"have {rank} axes, like the losses."
        )
    return _reshape(weights, [*sizes, *[1] * (rank - known)])


def _rank(value) -> int | None:
    return convert_to_tensor(value).shape.rank


# `losses` has the name that programs give it.
def compute_weighted_loss(losses_, weights=1.0, scope=None):
    """Return the sum of the losses times their weights, divided by the number of nonzero weights.

    Args:
      losses_: `[batch, ...]`.
      weights: a number, or numbers with the first axes of the losses.
      scope: the name scope.
    """
    return losses.compute_weighted_loss(losses_, _fit(weights, _rank(losses_)), scope)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """Return the mean absolute difference; see `compute_weighted_loss`."""
    _check(predictions, labels)
    weights = _fit(weights, _rank(predictions))
    return losses.absolute_difference(labels, predictions, weights, scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """Return the mean squared error; see `compute_weighted_loss`."""
    _check(predictions, labels)
    weights = _fit(weights, _rank(predictions))
    return losses.mean_squared_error(labels, predictions, weights, scope)


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """Return the mean log loss; see `compute_weighted_loss`."""
    _check(predictions, labels)
    weights = _fit(weights, _rank(predictions))
    return losses.log_loss(labels, predictions, weights, epsilon, scope)


def _check(predictions, labels) -> None:
    if predictions is None or labels is None:
        raise ValueError("predictions and labels must be given.")


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """Return the mean cross entropy of logits of independent classes; see `compute_weighted_loss`."""
    weights = _fit(weights, _rank(logits))
    return losses.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """Return the mean cross entropy of logits of exclusive classes; see `compute_weighted_loss`."""
    return losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """Return the mean cross entropy of class numbers; see `compute_weighted_loss`."""
    labels = convert_to_tensor(labels)
    return losses.sparse_softmax_cross_entropy(_reshape(labels, [-1]), logits, weights, scope)
