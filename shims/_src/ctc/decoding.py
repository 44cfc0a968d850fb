"""Labels read off the frames, and labels in other forms."""

from __future__ import annotations

import functools

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.select import where
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sparse.tensor import SparseTensor
from shims._src.tracing.dispatch import operator


@operator(fresh=True)
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """The likeliest class of every frame, without blanks and repetitions.

    Args:
      inputs: floating-point array `[frames, batch, classes]`.
      sequence_length: int32 vector, how many frames each sequence has.
      merge_repeated: whether equal classes in a row count once.
      blank_index: the class of "no label", counted from the last one below 0; the last one when
        `None`.

    Returns:
      A list of one sparse tensor of labels `[batch, longest]`, and minus the sums of the largest
      scores `[batch, 1]`.

    Raises:
      InvalidArgumentError: the shapes do not fit, `inputs` is empty, or there is no such class.
      FailedPreconditionError: a sequence has more frames than there are; inside `shims.function`
        `InvalidArgumentError`.

    Differs from TensorFlow:
      Labels and coordinates are int32 unless `jax_enable_x64` is on. No gradient passes, as in
      TensorFlow.

    Under jit:
      The number of labels depends on data: call it inside `shims.function`.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_greedy_decoder
    """
    function = "ctc_greedy_decoder"
    scores, length = lax.stop_gradient(operand(inputs)), operand(sequence_length)
    checks.check_kind(function, "inexact", scores)
    if scores.ndim != 3 or length.ndim != 1:
        raise checks.invalid(
            function,
            "the shapes do not fit.",
            required="inputs [frames, batch, classes], sequence_length [batch]",
            received=f"inputs {describe(scores)}, sequence_length {describe(length)}",
        )
    frames, batch, classes = scores.shape
    checks.check_known(function, "classes", classes)
    check_not_empty(function, scores)
    length = primitives.unify_axis(length, 0, batch, label=function)
    check_frames(function, length, frames)
    blank = _blank_of(function, blank_index, classes)
    on = jnp.arange(frames, dtype=length.dtype) < length[:, None]
    best, largest = (x.T for x in _best_class(scores))
    kept = on & (best != blank)
    if merge_repeated:
        kept &= jnp.concatenate([jnp.ones_like(kept[:, :1]), best[:, 1:] != best[:, :-1]], axis=1)
    total = jnp.sum(jnp.where(on, largest, 0), axis=1, keepdims=True)
    return [sparse_rows(best, kept)], -total


def _best_class(scores):
    """The classes with the largest scores, and these: nothing is larger than a NaN that is first."""
    lowest = jnp.asarray(-jnp.inf, scores.dtype)
    numbers = jnp.where(scores != scores, lowest, scores)
    first = scores[:, :, 0]
    nan = first != first
    best = jnp.where(nan, 0, jnp.argmax(numbers, axis=2))
    return best, jnp.where(nan, first, jnp.max(numbers, axis=2))


def check_not_empty(function, scores) -> None:
    """There must be a frame, a sequence and a class."""
    checks.check_data(
        functools.reduce(jnp.logical_or, (primitives.true_size(d) == 0 for d in scores.shape)),
        function,
        "`inputs` has no elements.",
        required="at least one frame, sequence and class",
        received=describe(scores),
    )


def check_frames(function, length, frames) -> None:
    """Sequences are as long as there are frames; eagerly TensorFlow has a class of its own for it."""
    bad = (length > primitives.true_size(frames)) | (length < 0)
    problem = "a sequence has more frames than there are."
    lines = {"required": f"sequence_length in [0, {frames}]"}
    if not jp.is_tracer(bad) and bool(jnp.any(bad)):
        raise errors.FailedPreconditionError(errors.message(function, problem, **lines))
    checks.check_data(bad, function, problem, **lines)


def _blank_of(function, blank_index, classes: int) -> int:
    blank = classes - 1 if blank_index is None else int(blank_index)
    blank = blank + classes if blank < 0 else blank
    if not 0 <= blank < classes:
        raise checks.invalid(
            function,
            "`blank_index` is no class.",
            required=f"blank_index in [-{classes}, {classes})",
            received=f"blank_index={blank_index}",
        )
    return blank


def sparse_rows(values, kept) -> SparseTensor:
    """The kept elements of every row, moved to its front."""
    places = where(kept)
    rank = jnp.cumsum(kept, axis=1) - 1
    row, column = places[:, 0], places[:, 1]
    indices = jnp.stack([row, rank[row, column].astype(row.dtype)], axis=1)
    longest = jnp.max(jnp.sum(kept, axis=1), initial=0)
    shape = jnp.stack([primitives.as_size(values.shape[0]), longest.astype(jnp.int32)])
    return SparseTensor(indices, values[row, column].astype(row.dtype), shape.astype(row.dtype))


@operator(fresh=True)
def collapse_repeated(labels, seq_length, name=None):
    """Sequences of labels in which equal labels in a row count once.

    Args:
      labels: integer array `[batch, labels]`.
      seq_length: integer vector, how many labels each sequence has; one number is for all of them.
      name: ignored.

    Returns:
      The labels `[batch, longest]` with 0 behind the end of a sequence, and how many there are.

    Raises:
      InvalidArgumentError: the sizes of the two do not agree, or there are no sequences.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of labels depends on data: call it inside `shims.function`.

    https://www.tensorflow.org/api_docs/python/tf/nn/collapse_repeated
    """
    labels, length = operand(labels), operand(seq_length)
    if not (is_known(length.shape[0]) and length.shape[0] == 1):
        length = primitives.unify_axis(
            length, 0, labels.shape[0], label="collapse_repeated", broadcasts=True
        )
    checks.check_data(
        primitives.true_size(labels.shape[0]) == 0,
        "collapse_repeated",
        "there are no sequences, and no longest one.",
        required="at least one row of labels",
    )
    place = jnp.arange(labels.shape[1], dtype=length.dtype)
    begins = jnp.ones_like(labels[:, :1], bool)
    begins = jnp.concatenate([begins, labels[:, 1:] != labels[:, :-1]], axis=1)
    kept = begins & (place < length[:, None])
    count = jnp.sum(kept, axis=1, dtype=length.dtype)
    slots = primitives.fresh_range(
        jnp.max(count, initial=0), bound=labels.shape[1], label="collapse_repeated"
    )
    # The element whose rank is that of the slot, of every row.
    rank = jnp.where(kept, jnp.cumsum(kept, axis=1) - 1, -1)
    is_here = rank[:, None, :] == slots[:, None]
    return jnp.sum(jnp.where(is_here, labels[:, None, :], 0), axis=2, dtype=labels.dtype), count


@operator
def ctc_unique_labels(labels, name=None):
    """The different labels of every sequence, in order of appearance.

    Args:
      labels: integer array `[batch, labels]`.
      name: ignored.

    Returns:
      The different labels `[batch, labels]` with 0 behind the last one, and for each label which of
      them it is.

    Raises:
      InvalidArgumentError: `labels` has another number of axes.

    Differs from TensorFlow:
      int64 is int32 unless `jax_enable_x64` is on. Of no sequences TensorFlow gives vectors of nothing,
      and refuses them inside a function.

    Under jit:
      Both sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_unique_labels
    """
    labels = operand(labels)
    if labels.ndim != 2:
        raise checks.invalid(
            "ctc_unique_labels", "`labels` must have 2 axes.", received=describe(labels)
        )
    place = jnp.arange(labels.shape[1], dtype=jnp.int32)
    same = labels[:, :, None] == labels[:, None, :]
    first = jnp.min(
        jnp.where(same, place, primitives.as_size(labels.shape[1])),
        axis=2,
        initial=jnp.iinfo(jnp.int32).max,
    )
    is_first = first == place
    rank = jnp.cumsum(is_first, axis=1, dtype=jnp.int32) - 1
    number = jnp.take_along_axis(rank, first, axis=1, mode="clip")
    is_here = is_first[:, None, :] & (rank[:, None, :] == place[:, None])
    wide = jnp.result_type(int)
    unique = jnp.sum(jnp.where(is_here, labels[:, None, :], 0), axis=2, dtype=wide)
    return unique, number
