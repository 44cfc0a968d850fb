"""The loss of sequences of labels whose places are not known."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src import checks, errors, primitives
from shims._src.checks import is_known
from shims._src.ctc import alignment
from shims._src.ctc.alignment import Lattice
from shims._src.dispatch import operator
from shims._src.operands import describe, operand

_FUNCTION = "ctc_loss"


@operator
def ctc_loss(
    labels,
    logits,
    label_length,
    logit_length,
    logits_time_major=True,
    unique=None,
    blank_index=None,
    name=None,
):
    """How unlikely sequences of labels are where their places among the frames are not known.

    Args:
      labels: int32 array `[batch, labels]`.
      logits: floating-point array `[frames, batch, classes]`.
      label_length: integer vector, how many labels each sequence has.
      logit_length: integer vector, how many frames each sequence has.
      logits_time_major: whether the frames come first; otherwise the batch.
      unique: what `ctc_unique_labels(labels)` gives; ignored, the result is the same.
      blank_index: the class of "no label", counted from the last one below 0; 0 when `None`.
      name: ignored.

    Returns:
      A vector, one loss per sequence: float32, or the dtype of half precision that `logits` has.

    Raises:
      InvalidArgumentError: the shapes do not fit.
      UnimplementedError: `labels` is sparse.

    Differs from TensorFlow:
      Sparse labels are refused. A loss of what cannot be aligned is about 707, as there. Second
      derivatives are numbers; TensorFlow's are NaN.

    Under jit:
      The numbers of frames, sequences and labels may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_loss
    """
    _check_dense(labels)
    labels, logits = operand(labels), operand(logits)
    checks.check_kind(_FUNCTION, "inexact", logits)
    if labels.ndim != 2 or logits.ndim != 3:
        raise checks.invalid(
            _FUNCTION,
            "the shapes do not fit.",
            required="labels [batch, labels], logits [frames, batch, classes]",
            received=f"labels {describe(labels)}, logits {describe(logits)}",
        )
    given = logits.dtype
    wide = logits.astype(jnp.float32) if given.itemsize < 4 else logits
    if not logits_time_major:
        wide = jnp.swapaxes(wide, 0, 1)
    batch = wide.shape[1]
    labels = primitives.unify_axis(labels, 0, batch, label=_FUNCTION)
    lengths = [
        primitives.unify_axis(operand(n), 0, batch, label=_FUNCTION)
        for n in (label_length, logit_length)
    ]
    wide, labels = _blank_first(wide, labels, 0 if blank_index is None else int(blank_index))
    return _loss(wide, labels, *lengths).astype(given)


def _check_dense(labels) -> None:
    if hasattr(labels, "dense_shape"):
        raise errors.UnimplementedError(
            errors.message(
                _FUNCTION,
                "`labels` is sparse.",
                required="labels [batch, labels] and their `label_length`",
                do="convert them: `shims.sparse.to_dense(labels)`",
            )
        )


def _blank_first(logits, labels, blank: int):
    """Logits with the blank's before all others, and labels that count so."""
    classes = logits.shape[2]
    if not is_known(classes):
        raise checks.invalid(_FUNCTION, "the number of classes must be known.")
    blank = blank + classes if blank < 0 else blank
    if blank == 0:
        return logits, labels
    order = [blank, *range(blank), *range(blank + 1, classes)]
    labels = jnp.where(labels < blank, labels + 1, labels)
    return jnp.take(logits, np.asarray(order), axis=2), labels


@jax.custom_jvp
def _loss(logits, labels, label_length, logit_length):
    lattice = Lattice(labels, label_length, logit_length)
    read, wait = alignment.observed(lattice, jax.nn.log_softmax(logits))
    return -alignment.backward(lattice, read, wait)[1]


@_loss.defjvp
def _loss_jvp(primals, tangents):
    logits, labels, label_length, logit_length = primals
    lattice = Lattice(labels, label_length, logit_length)
    scores = jax.nn.log_softmax(logits)
    on = jnp.arange(logits.shape[0], dtype=jnp.int32)[:, None] < logit_length.astype(jnp.int32)
    slope = jnp.exp(scores) - alignment.posterior(lattice, scores)
    slope = jnp.where(on[:, :, None], slope, 0)
    return _loss(*primals), jnp.sum(slope * tangents[0], axis=(0, 2))
