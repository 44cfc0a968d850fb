"""Provide functions of `contrib.legacy_seq2seq`, which take lists with a tensor for each time step."""

from __future__ import annotations

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope

_cross_entropy = deferred(
    shims.nn.sparse_softmax_cross_entropy_with_logits,
    "nn.sparse_softmax_cross_entropy_with_logits",
)
_TINY = 1e-12


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Run a cell over the inputs of a decoder.

    Args:
      decoder_inputs: a list of tensors `[batch, size]`, one for each time step.
      initial_state: the state before the first step.
      cell: the cell.
      loop_function: a function of the last output and the number of the step that returns the next
        input instead of that of the list.
      scope: the variable scope; `rnn_decoder` when `None`.

    Returns:
      The list of outputs, and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, last = initial_state, [], None
        for step, given in enumerate(decoder_inputs):
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    given = loop_function(last, step)
            if step:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
            last = output if loop_function is not None else None
    return outputs, state


def sequence_loss_by_example(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    softmax_loss_function=None,
    name=None,
):
    """Return the weighted cross-entropy of each sequence: `[batch]`.

    Args:
      logits: a list of tensors `[batch, classes]`, one for each time step.
      targets: a list of tensors `[batch]`, the true classes.
      weights: a list of tensors `[batch]`.
      average_across_timesteps: whether to divide by the total weight.
      softmax_loss_function: a function of `labels` and `logits` that replaces the cross-entropy.
      name: the name scope.

    Raises:
      ValueError: the lists have different lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        function = softmax_loss_function or _cross_entropy
        parts = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            labels = target
            if softmax_loss_function is None:
                flat = (convert_to_tensor(target), [-1])
                labels = operation_of(shims.reshape, flat, {}, public="reshape")
            parts.append(function(labels=labels, logits=logit) * weight)
        total = operation_of(shims.add_n, (parts,), {}, public="add_n")
        if not average_across_timesteps:
            return total
        given = [convert_to_tensor(w) for w in weights]
        return total / (operation_of(shims.add_n, (given,), {}, public="add_n") + _TINY)


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    softmax_loss_function=None,
    name=None,
):
    """Return the weighted cross-entropy of a batch of sequences; see `sequence_loss_by_example`."""
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        losses = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function
        )
        cost = operation_of(shims.reduce_sum, (losses,), {}, public="reduce_sum")
        if not average_across_batch:
            return cost
        return operation_of(_divided, (cost, targets[0]), {}, public="truediv")


def _divided(cost, target):
    return cost / shims.cast(shims.shape(target)[0], cost.dtype)
