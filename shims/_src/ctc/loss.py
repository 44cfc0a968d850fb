"""Provide the connectionist temporal classification losses."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.ctc import alignment
from shims._src.ctc.alignment import Lattice
from shims._src.ctc.sparse_labels import blank_last, loss_of_sparse, refuse_options
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
    """Compute the CTC loss: the negative log-likelihood of unaligned label sequences.

    Args:
      labels: int32 array `[batch, labels]`, or a sparse tensor.
      logits: floating-point array `[frames, batch, classes]`.
      label_length: integer vector of the number of labels of each sequence; `None` with sparse labels.
      logit_length: integer vector, the number of frames of each sequence.
      logits_time_major: whether the frames are the first axis; if not, the batch is the first axis.
      unique: the result of `ctc_unique_labels(labels)`; ignored, because this argument does not
        change the loss.
      blank_index: the class of the blank; negative values count from the end; 0 when `None`.
      name: ignored.

    Returns:
      A vector, one loss per sequence: float32, or the half-precision dtype of `logits`. The loss of
        labels that cannot be aligned is about 707, or inf with sparse labels.

    Raises:
      InvalidArgumentError: the shapes are incompatible; dense labels with no sequences or no classes; a
        row of sparse labels is empty or too long.
      ValueError: sparse labels without a `blank_index`.

    Differs from TensorFlow:
      Second derivatives are finite; TensorFlow's are NaN. TensorFlow's loss is also NaN if a logit is
      -inf or a padding frame is NaN, since TensorFlow multiplies these values by 0.

    Under jit:
      The numbers of frames, sequences and labels may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_loss
    """
    if is_sparse(labels):
        return _sparse_loss(labels, logits, logit_length, logits_time_major, blank_index)
    labels, logits = operand(labels), operand(logits)
    checks.check_kind(_FUNCTION, "inexact", logits)
    if labels.ndim != 2 or logits.ndim != 3:
        raise checks.invalid(
            _FUNCTION,
            "the shapes of the arguments do not match.",
            required="labels [batch, labels], logits [frames, batch, classes]",
            received=f"labels {describe(labels)}, logits {describe(logits)}",
        )
    given, wide = logits.dtype, _prepare_logits(logits, logits_time_major)
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
    """Reject logits without sequences or classes, as TensorFlow's kernels do."""
    for what, size in (("sequences", logits.shape[1]), ("classes", logits.shape[2])):
        checks.check_data(
            (size if checks.is_known(size) else primitives.as_size(size)) == 0,
            _FUNCTION,
            f"the logits have no {what}.",
            required=f"logits with {what}",
            received=describe(logits),
        )


def _prepare_logits(logits, time_major):
    """Move the frames to the front, and widen half precision to float32."""
    wide = logits.astype(jnp.float32) if logits.dtype.itemsize < 4 else logits
    return wide if time_major else jnp.swapaxes(wide, 0, 1)


def _sparse_loss(labels, logits, logit_length, time_major, blank_index, **options):
    """Compute the loss of sparse labels."""
    logits = operand(logits)
    checks.check_kind(_FUNCTION, "floating", logits)
    if blank_index is None:
        raise ValueError(
            "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
        )
    if logits.ndim != 3:
        raise checks.invalid(
            _FUNCTION,
            "the logits have the wrong shape.",
            required="logits [frames, batch, classes]",
            received=describe(logits),
        )
    checks.check_known(_FUNCTION, "classes", logits.shape[2])
    given, wide = logits.dtype, _prepare_logits(logits, time_major)
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
    """Compute the CTC loss of sparse labels, with the blank as the last class.

    Args:
      labels: sparse tensor `[batch, labels]` of int32.
      inputs: floating-point array `[frames, batch, classes]`.
      sequence_length: integer vector, the number of frames of each sequence.
      preprocess_collapse_repeated: must be False.
      ctc_merge_repeated: must be True.
      ignore_longer_outputs_than_inputs: whether a sequence with more labels than frames has loss 0.
      time_major: whether the frames are the first axis; if not, the batch is the first axis.
      logits: the same as `inputs`.

    Returns:
      A vector, one loss per sequence.

    Raises:
      TypeError: `labels` is not sparse.
      InvalidArgumentError: a sequence has no label, a negative label, a label after a blank, or too
        few frames.
      UnimplementedError: `preprocess_collapse_repeated` is True, or `ctc_merge_repeated` is False.

    Differs from TensorFlow:
      Repeated labels are always merged.

    Under jit:
      The numbers of frames, sequences and labels may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/ctc_loss
    """
    refuse_options(
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=not ctc_merge_repeated,
    )
    inputs = logits if inputs is None else inputs
    ignore = bool(ignore_longer_outputs_than_inputs)
    return _sparse_loss(labels, inputs, sequence_length, time_major, -1, ignore_longer=ignore)


def _blank_first(logits, labels, blank: int):
    """Move the blank to the front of the classes, and renumber the labels."""
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
    """Compute the loss, with the blank as the first class."""
    lattice = Lattice(labels, label_length, logit_length)
    read, wait = alignment.observed(lattice, jax.nn.log_softmax(logits))
    likely = alignment.backward(lattice, read, wait)[1]
    # Without labels TensorFlow counts the transition from the start to the blank twice.
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
