"""Compute CTC losses of sparse labels, with the blank as the last class."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.errors import errors
from shims._src.sizes import primitives
from shims._src.sparse.dense import check_inside, check_order
from shims._src.sparse.tensor import dims, is_sparse

_FUNCTION = "ctc_loss"


def blank_last(labels, logits, blank: int):
    """Move the blank class of logits `[frames, batch, classes]` to the end; renumber the labels."""
    classes = logits.shape[2]
    blank = blank + classes if blank < 0 else blank
    if blank == classes - 1:
        return labels, logits
    parts = (logits[..., :blank], logits[..., blank + 1 :], logits[..., blank : blank + 1])
    values = labels.values
    values = jnp.where(values < blank, values, values - 1)
    return labels.with_values(values), jnp.concatenate(parts, axis=2)


def loss_of_sparse(loss, labels, logits, logit_length, *, ignore_longer: bool = False):
    """Compute the loss of each sequence with the checks of TensorFlow 1.

    Args:
      loss: a function of `(logits, labels, label_length, logit_length)`, with the blank last.
      labels: sparse tensor `[batch, labels]`.
      logits: array `[frames, batch, classes]`.
      logit_length: integers `[batch]`.
      ignore_longer: whether a sequence with more labels than frames has loss 0 instead of raising.

    Raises:
      InvalidArgumentError: a sequence has no label, a negative label, a label after a blank, or too
        few frames.
    """
    frames, batch, classes = logits.shape
    lengths = primitives.unify_axis(operand(logit_length), 0, batch, label=_FUNCTION)
    lengths = lengths.astype(jnp.int32)
    checks.check_data(
        lengths > primitives.as_size(frames),
        _FUNCTION,
        "a sequence is longer than the logits.",
        required="logit_length <= frames",
    )
    dense, is_label = _dense(labels, batch, classes)
    count = jnp.sum(is_label, axis=1, dtype=jnp.int32)
    too_long = count > lengths
    if not ignore_longer:
        checks.check_data(
            too_long,
            _FUNCTION,
            "a sequence has more labels than frames.",
            required="at least as many frames as labels, or ignore_longer_outputs_than_inputs=True",
        )
    repeats = jnp.sum((dense[:, 1:] == dense[:, :-1]) & is_label[:, 1:], axis=1, dtype=jnp.int32)
    found = loss(logits, jnp.where(is_label, dense, 0), count, lengths)
    # If the blanks between equal labels do not fit, TensorFlow's gradient is the softmax.
    on = jnp.arange(frames, dtype=jnp.int32)[:, None] < lengths
    all_ways = jnp.sum(jnp.where(on, jax.nn.logsumexp(logits, axis=2), 0), axis=0)
    found = jnp.where(count + repeats > lengths, all_ways + jnp.inf, found)
    return jnp.where(too_long, 0, found)


def _dense(labels, batch, classes):
    """Convert sparse labels to an array `[batch, labels]` and the mask of valid labels."""
    if not is_sparse(labels):
        raise TypeError("Expected argument `labels` to be a SparseTensor.")
    check_inside(_FUNCTION, labels, (batch, dims(_FUNCTION, labels)[1]))
    check_order(_FUNCTION, labels)
    values, row = labels.values, labels.indices[:, 0].astype(jnp.int32)
    checks.check_data(
        values < 0, _FUNCTION, "a label is negative.", required="labels in [0, classes - 1)"
    )
    given = jnp.zeros((batch,), jnp.int32).at[row].add(1)
    checks.check_data(
        given == 0, _FUNCTION, "a sequence has no labels.", required="a label in every row"
    )
    first = jnp.cumsum(given) - given
    place = jnp.arange(row.shape[0], dtype=jnp.int32) - jnp.take(first, row, mode="clip")
    blank = classes - 1
    empty = jnp.full((batch, dims(_FUNCTION, labels)[1]), blank, jnp.int32)
    dense = empty.at[row, place].set(jnp.minimum(values, blank).astype(jnp.int32))
    is_label = dense < blank
    checks.check_data(
        is_label[:, 1:] & ~is_label[:, :-1],
        _FUNCTION,
        "a label follows a blank.",
        required="blanks after all labels",
    )
    return dense, is_label


def refuse_options(**options) -> None:
    """Raise `UnimplementedError` for unsupported options of TensorFlow 1's loss."""
    given = [name for name, unusual in options.items() if unusual]
    if given:
        raise errors.UnimplementedError(
            errors.message(
                _FUNCTION,
                f"`{'`, `'.join(given)}` must have its default value.",
                required="preprocess_collapse_repeated=False, ctc_merge_repeated=True",
            )
        )
