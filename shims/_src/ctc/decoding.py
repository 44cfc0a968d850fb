"""Decode label sequences greedily, and transform label sequences."""

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
    """Decode the most likely class of every frame, without blanks and repetitions.

    Args:
      inputs: floating-point array `[frames, batch, classes]`.
      sequence_length: int32 vector, the number of frames of each sequence.
      merge_repeated: whether repeated classes are merged.
      blank_index: the class of the blank; negative values count from the end; the last one when
        `None`.

    Returns:
      A list of one sparse tensor of labels `[batch, longest]`, and the negated sums of the largest
      scores `[batch, 1]`. Neither result has a gradient.

    Raises:
      InvalidArgumentError: the shapes are incompatible, `inputs` is empty, or `blank_index` is out of
        range.
      FailedPreconditionError: a sequence is longer than the number of frames; inside
        `shims.function`, the error is an `InvalidArgumentError`.

    Differs from TensorFlow:
      Labels and coordinates are int32 unless `jax_enable_x64` is on.

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
            "the shapes of the arguments do not match.",
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
    """Return the argmax and the maximum of each frame; if the first class is NaN, it is chosen."""
    lowest = jnp.asarray(-jnp.inf, scores.dtype)
    numbers = jnp.where(scores != scores, lowest, scores)
    first = scores[:, :, 0]
    nan = first != first
    best = jnp.where(nan, 0, jnp.argmax(numbers, axis=2))
    return best, jnp.where(nan, first, jnp.max(numbers, axis=2))


def check_not_empty(function, scores) -> None:
    """Check that the numbers of frames, sequences and classes are not 0."""
    checks.check_data(
        functools.reduce(jnp.logical_or, (primitives.as_size(d) == 0 for d in scores.shape)),
        function,
        "`inputs` has no elements.",
        required="at least one frame, sequence and class",
        received=describe(scores),
    )


def check_frames(function, length, frames) -> None:
    """Check that sequence lengths do not exceed the frames, and are not negative.

    Eagerly the error is `FailedPreconditionError`, as in TensorFlow.
    """
    bad = (length > primitives.as_size(frames)) | (length < 0)
    problem = "a sequence is longer than the number of frames."
    lines = {"required": f"sequence_length in [0, {frames}]"}
    if not jp.is_tracer(bad) and bool(jnp.any(bad)):
        raise errors.FailedPreconditionError(errors.message(function, problem, **lines))
    checks.check_data(bad, function, problem, **lines)


def _blank_of(function, blank_index, classes: int) -> int:
    """Convert `blank_index` to the class number of the blank, by default that of the last class."""
    blank = classes - 1 if blank_index is None else int(blank_index)
    blank = blank + classes if blank < 0 else blank
    if not 0 <= blank < classes:
        raise checks.invalid(
            function,
            "`blank_index` is out of range.",
            required=f"blank_index in [-{classes}, {classes})",
            received=f"blank_index={blank_index}",
        )
    return blank


def sparse_rows(values, kept) -> SparseTensor:
    """Build a sparse tensor of the kept elements, moved to the front of each row."""
    places = where(kept)
    rank = jnp.cumsum(kept, axis=1) - 1
    row, column = places[:, 0], places[:, 1]
    indices = jnp.stack([row, rank[row, column].astype(row.dtype)], axis=1)
    longest = jnp.max(jnp.sum(kept, axis=1), initial=0)
    shape = jnp.stack([primitives.as_size(values.shape[0]), longest.astype(jnp.int32)])
    return SparseTensor(indices, values[row, column].astype(row.dtype), shape.astype(row.dtype))


@operator(fresh=True)
def collapse_repeated(labels, seq_length, name=None):
    """Merge repeated labels of sequences.

    Args:
      labels: integer array `[batch, labels]`.
      seq_length: integer vector of the number of labels of each sequence; a single number applies to all sequences.
      name: ignored.

    Returns:
      The labels `[batch, longest]`, padded with 0, and the number of labels of each sequence.

    Raises:
      InvalidArgumentError: the sizes of `labels` and `seq_length` differ, or there are no sequences.

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
        primitives.as_size(labels.shape[0]) == 0,
        "collapse_repeated",
        "`labels` has no rows.",
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
    # A slot of a row takes the element whose rank equals its index.
    rank = jnp.where(kept, jnp.cumsum(kept, axis=1) - 1, -1)
    is_here = rank[:, None, :] == slots[:, None]
    return jnp.sum(jnp.where(is_here, labels[:, None, :], 0), axis=2, dtype=labels.dtype), count


@operator
def ctc_unique_labels(labels, name=None):
    """Return the distinct labels of every sequence, in order of appearance.

    Args:
      labels: integer array `[batch, labels]`.
      name: ignored.

    Returns:
      The distinct labels `[batch, labels]`, padded with 0, and the index of each label among them.

    Raises:
      InvalidArgumentError: `labels` has the wrong number of axes.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on. For a batch of size 0 TensorFlow returns
      empty vectors, and raises an error inside of a function.

    Under jit:
      The numbers of sequences and labels may be known only at run time.

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
