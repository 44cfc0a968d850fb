"""The loss of sequences of labels whose places are not known."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.ctc import alignment
from shims._src.ctc.alignment import Lattice
from shims._src.ctc.sparse_labels import blank_last, loss_of_sparse, refuse
from shims._src.sizes import primitives
from shims._src.sparse.tensor import is_sparse
from shims._src.tracing.dispatch import operator

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
      labels: int32 array `[batch, labels]`, or a sparse tensor, of which only what it holds counts.
      logits: floating-point array `[frames, batch, classes]`.
      label_length: integer vector, how many labels each sequence has; `None` beside sparse ones.
      logit_length: integer vector, how many frames each sequence has.
      logits_time_major: whether the frames come first; otherwise the batch.
      unique: what `ctc_unique_labels(labels)` gives; ignored, the result is the same.
      blank_index: the class of "no label", counted from the last one below 0; 0 when `None`.
      name: ignored.

    Returns:
      A vector, one loss per sequence: float32, or the dtype of half precision that `logits` has.

    Raises:
      InvalidArgumentError: the shapes do not fit; there are no sequences or no classes beside dense
        labels; a row of sparse labels is empty or too long.
      ValueError: sparse labels without a `blank_index`.

    Differs from TensorFlow:
      A loss of what cannot be aligned is about 707, or inf with sparse labels, as there. Second
      derivatives are numbers; TensorFlow's are NaN. So is its loss where a logit is -inf, or a
      frame that does not count is NaN: it multiplies them by 0.

    Under jit:
      The numbers of frames, sequences and labels may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_loss
    """
    if is_sparse(labels):
        return _of_sparse(labels, logits, logit_length, logits_time_major, blank_index)
    labels, logits = operand(labels), operand(logits)
    checks.check_kind(_FUNCTION, "inexact", logits)
    if labels.ndim != 2 or logits.ndim != 3:
        raise checks.invalid(
            _FUNCTION,
            "the shapes do not fit.",
            required="labels [batch, labels], logits [frames, batch, classes]",
            received=f"labels {describe(labels)}, logits {describe(logits)}",
        )
    given, wide = logits.dtype, _prepared(logits, logits_time_major)
    batch = wide.shape[1]
    _check_filled(wide)
    labels = primitives.unify_axis(labels, 0, batch, label=_FUNCTION)
    lengths = [
        primitives.unify_axis(operand(n), 0, batch, label=_FUNCTION)
        for n in (label_length, logit_length)
    ]
    wide, labels = _blank_first(wide, labels, 0 if blank_index is None else int(blank_index))
    return _loss(wide, labels, *lengths).astype(given)


def _check_filled(logits) -> None:
    """TensorFlow's scatter and sum refuse logits of no sequences, and of no classes."""
    for what, size in (("sequences", logits.shape[1]), ("classes", logits.shape[2])):
        checks.check_data(
            (size if checks.is_known(size) else primitives.true_size(size)) == 0,
            _FUNCTION,
            f"there are no {what}.",
            required=f"logits of at least one of the {what}",
            received=describe(logits),
        )


def _prepared(logits, time_major):
    """Logits with the frames first, in no less than single precision."""
    wide = logits.astype(jnp.float32) if logits.dtype.itemsize < 4 else logits
    return wide if time_major else jnp.swapaxes(wide, 0, 1)


def _of_sparse(labels, logits, logit_length, time_major, blank_index, **options):
    logits = operand(logits)
    checks.check_kind(_FUNCTION, "floating", logits)
    if blank_index is None:
        raise ValueError(
            "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
        )
    if logits.ndim != 3:
        raise checks.invalid(
            _FUNCTION,
            "the logits do not fit.",
            required="logits [frames, batch, classes]",
            received=describe(logits),
        )
    checks.check_known(_FUNCTION, "classes", logits.shape[2])
    given, wide = logits.dtype, _prepared(logits, time_major)
    labels, wide = blank_last(labels, wide, int(blank_index))
    found = loss_of_sparse(_with_last_blank, labels, wide, logit_length, **options)
    return found.astype(given)


def _with_last_blank(logits, labels, *lengths):
    return _loss(*_blank_first(logits, labels, -1), *lengths)


@operator
def ctc_loss_v1(
    labels,
    inputs=None,
    sequence_length=None,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
    time_major=True,
    logits=None,
):
    """How unlikely sequences of sparse labels are; the blank is the last class.

    Args:
      labels: sparse tensor `[batch, labels]` of int32.
      inputs: floating-point array `[frames, batch, classes]`.
      sequence_length: integer vector, how many frames each sequence has.
      preprocess_collapse_repeated: must be False.
      ctc_merge_repeated: must be True.
      ignore_longer_outputs_than_inputs: whether a sequence with more labels than frames has loss 0.
      time_major: whether the frames come first; otherwise the batch.
      logits: the same as `inputs`.

    Returns:
      A vector, one loss per sequence.

    Raises:
      TypeError: `labels` is not sparse.
      InvalidArgumentError: a sequence has no label, a negative one, one behind a blank, or too few
        frames.
      UnimplementedError: an option has another value than it must have.

    Differs from TensorFlow:
      Labels that repeat are always merged.

    Under jit:
      The numbers of frames, sequences and labels may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/ctc_loss
    """
    refuse(
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=not ctc_merge_repeated,
    )
    inputs = logits if inputs is None else inputs
    ignore = bool(ignore_longer_outputs_than_inputs)
    return _of_sparse(labels, inputs, sequence_length, time_major, -1, ignore_longer=ignore)


def _blank_first(logits, labels, blank: int):
    """Logits with the blank's before all others, and labels that count so."""
    classes = logits.shape[2]
    checks.check_known(_FUNCTION, "classes", classes)
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
    likely = alignment.backward(lattice, read, wait)[1]
    # Where no label may stand between them TensorFlow counts the way from start to blank twice.
    once = (primitives.as_size(labels.shape[1]) > 0) | (logit_length == 0)
    return -jnp.where(once, likely, likely + np.log(2).astype(likely.dtype))


@_loss.defjvp
def _loss_jvp(primals, tangents):
    logits, labels, label_length, logit_length = primals
    lattice = Lattice(labels, label_length, logit_length)
    scores = jax.nn.log_softmax(logits)
    on = jnp.arange(logits.shape[0], dtype=jnp.int32)[:, None] < logit_length.astype(jnp.int32)
    slope = jnp.exp(scores) - alignment.posterior(lattice, scores)
    slope = jnp.where(on[:, :, None], slope, 0)
    return _loss(*primals), jnp.sum(slope * tangents[0], axis=(0, 2))
