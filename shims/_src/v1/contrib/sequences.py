"""Provide functions of `contrib.seq2seq`: the loss of a sequence, and the tiling of beam search."""

from __future__ import annotations

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.flat_structures import flat_tensors
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import name_scope

_cross_entropy = deferred(
    shims.nn.sparse_softmax_cross_entropy_with_logits,
    "nn.sparse_softmax_cross_entropy_with_logits",
)
_TINY = 1e-12


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    softmax_loss_function=None,
    name=None,
):
    """Compute the weighted cross-entropy of sequences of classes.

    Args:
      logits: `[batch, time, classes]`.
      targets: `[batch, time]`, the true classes.
      weights: `[batch, time]`, the weight of each prediction.
      average_across_timesteps: whether to average over time, by the weights.
      average_across_batch: whether to average over the batch, by the weights.
      softmax_loss_function: a function of `labels` and `logits` that replaces the cross-entropy.
      name: the name scope.

    Returns:
      A scalar; a vector if one average is left out, `[batch, time]` if both are.

    Raises:
      ValueError: an argument has a different number of axes.
    """
    given = [convert_to_tensor(x) for x in (logits, targets, weights)]
    expected = ("Logits", 3), ("Targets", 2), ("Weights", 2)
    for tensor, (title, rank) in zip(given, expected, strict=True):
        if tensor.shape.rank is not None and tensor.shape.rank != rank:
            kind = "[batch_size x sequence_length x logits]"
            raise ValueError(
                f"{title} must be a {kind if rank == 3 else '[batch_size x sequence_length]'} tensor"
            )
    logits, targets, weights = given
    with name_scope(name, "sequence_loss", given):
        flat = operation_of(_rows_of_classes, (logits,), {}, public="reshape")
        labels = operation_of(shims.reshape, (targets, [-1]), {}, public="reshape")
        function = softmax_loss_function or _cross_entropy
        losses = function(labels=labels, logits=flat)
        averages = (average_across_timesteps, average_across_batch)
        return operation_of(_weighted, (losses, weights, *averages), {}, public="truediv")


def _rows_of_classes(logits):
    return shims.reshape(logits, [-1, shims.shape(logits)[2]])


def _weighted(losses, weights, over_time: bool, over_batch: bool):
    losses = losses * shims.reshape(weights, [-1])
    if over_time and over_batch:
        return shims.reduce_sum(losses) / (shims.reduce_sum(weights) + _TINY)
    losses = shims.reshape(losses, shims.shape(weights))
    if not over_time and not over_batch:
        return losses
    axis = 1 if over_time else 0
    return shims.reduce_sum(losses, axis) / (shims.reduce_sum(weights, axis) + _TINY)


def tile_batch(t, multiplier, name=None):
    """Repeat each example `multiplier` times, next to each other.

    Args:
      t: a tensor `[batch, ...]`, or several, nested.
      multiplier: the number of repetitions.
      name: the name scope.
    """
    flat, restore = flat_tensors(t)
    with name_scope(name, "tile_batch", [*flat, multiplier]):
        return restore([_tiled(convert_to_tensor(x), multiplier) for x in flat])


def _tiled(tensor: Tensor, multiplier):
    if tensor.shape.rank == 0:
        raise ValueError("t must have at least one axis.")
    return operation_of(shims.repeat, (tensor, multiplier), {"axis": 0}, public="reshape")


def hardmax(logits, name=None):
    """Return one-hot vectors of the largest logits of the last axis."""
    return operation_of(_hardmax, (logits,), {}, public="one_hot", name=name or "Hardmax")


def _hardmax(logits):
    return shims.one_hot(shims.argmax(logits, -1), shims.shape(logits)[-1], dtype=logits.dtype)
