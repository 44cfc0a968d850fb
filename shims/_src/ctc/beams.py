"""Decode label sequences by beam search, as TensorFlow does."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.ctc.decoding import check_frames, check_not_empty, sparse_rows
from shims._src.platform import host_programs
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_FUNCTION = "ctc_beam_search_decoder"
_NEVER = np.float32(-np.inf)
# Prefixes of equal likelihood stay in the order in which they were pushed.
_PUSH_ORDER = itertools.count()


@operator(fresh=True)
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """Decode the most likely label sequences by beam search.

    Args:
      inputs: float32 array `[frames, batch, classes]` of logits; the blank is the last class.
      sequence_length: int32 vector, the number of frames of each sequence.
      beam_width: the number of prefixes that are kept at every frame.
      top_paths: the number of sequences to return, at most `beam_width`.

    Returns:
      A list of sparse tensors of labels `[batch, longest]`, the most likely first, and their
      log-probabilities `[batch, top_paths]`. Neither result has a gradient.

    Raises:
      InvalidArgumentError: the shapes are incompatible, `inputs` is empty, or there are fewer sequences
        than `top_paths`.
      FailedPreconditionError: a sequence is longer than the number of frames; inside
        `shims.function`, the error is an `InvalidArgumentError`.

    Differs from TensorFlow:
      Labels and coordinates are int32 unless `jax_enable_x64` is on.

    Under jit:
      The search runs on the host, in a callback; the number of labels depends on data.

    https://www.tensorflow.org/api_docs/python/tf/nn/ctc_beam_search_decoder
    """
    scores, length = lax.stop_gradient((operand(inputs), operand(sequence_length)))
    checks.check_kind(_FUNCTION, "inexact", scores)
    if scores.ndim != 3 or length.ndim != 1 or top_paths > beam_width:
        raise checks.invalid(
            _FUNCTION,
            "the shapes of the arguments do not match.",
            required="inputs [frames, batch, classes], sequence_length [batch], "
            "top_paths <= beam_width",
            received=f"inputs {describe(scores)}, sequence_length {describe(length)}, "
            f"top_paths={top_paths}, beam_width={beam_width}",
        )
    check_not_empty(_FUNCTION, scores)
    length = primitives.unify_axis(length, 0, scores.shape[1], label=_FUNCTION)
    check_frames(_FUNCTION, length, scores.shape[0])
    labels, sums, is_enough = _search_on_host(scores, length, beam_width, top_paths)
    checks.check_data(
        ~is_enough, _FUNCTION, "fewer sequences were found than the number of `top_paths`."
    )
    return [sparse_rows(labels[k], labels[k] >= 0) for k in range(top_paths)], sums


def _search_on_host(scores, length, width: int, count: int):
    """Run the search on the host, in a callback if the operands are traced.

    Returns:
      Labels `[count, batch, frames]`, padded with -1, log-probabilities `[batch, count]`, and
      whether every sequence has `count` decodings.
    """
    frames, batch, _ = scores.shape

    def host(logits, length):
        logits = np.asarray(logits)
        labels = np.full((count, *logits.shape[1::-1]), -1, np.int32)
        sums = np.zeros((logits.shape[1], count), logits.dtype)
        is_enough = True
        for i, n in enumerate(np.asarray(length).clip(0, len(logits))):
            paths = _search(logits[:n, i], width, count)
            is_enough &= len(paths) == count
            for k, (path, total) in enumerate(paths):
                labels[k, i, : len(path)] = path
                sums[i, k] = total
        return labels, sums, np.asarray(is_enough)

    if not jp.is_tracer(scores) and not jp.is_tracer(length):
        return tuple(map(jnp.asarray, host(scores, length)))
    shapes = (
        jax.ShapeDtypeStruct((count, batch, frames), np.int32),
        jax.ShapeDtypeStruct((batch, count), scores.dtype),
        jax.ShapeDtypeStruct((), np.bool_),
    )
    return host_programs.pure_callback(host, shapes, scores, length, vmap_method="sequential")


@dataclasses.dataclass(eq=False, slots=True)
class _Prefix:
    """A prefix of labels, with its log-probabilities of ending in a blank and in a label."""

    label: int
    parent: _Prefix | None
    children: dict[int, _Prefix] = dataclasses.field(default_factory=dict)
    old_blank: Any = _NEVER
    old: Any = _NEVER
    blank: Any = _NEVER
    read: Any = _NEVER
    total: Any = _NEVER

    def labels(self) -> list[int]:
        """Return the labels of the prefix, first to last."""
        found, one = [], self
        while one.parent is not None:
            found.append(one.label)
            one = one.parent
        return found[::-1]

    def drop(self) -> None:
        """Set the log-probabilities of a prefix to impossible when it leaves the beam."""
        self.blank = self.read = self.total = _NEVER


def _search(logits, width: int, count: int):
    """Run a beam search; return the labels and log-probabilities of the `count` best sequences."""
    root = _Prefix(-1, None)
    root.blank = root.total = np.float32(0)
    best = [root]
    for frame in logits:
        top = np.max(frame)
        scores = frame - (top + np.log(np.sum(np.exp(frame - top), dtype=frame.dtype)))
        best = _step(best, scores, width)
    best.sort(key=lambda b: -b.total)
    return [(b.labels(), b.total) for b in best[:count]]


def _step(best: list[_Prefix], scores, width: int) -> list[_Prefix]:
    """Advance the beam by one frame; return the prefixes that stay in it."""
    best = sorted(best, key=lambda b: -b.total)
    for b in best:
        b.old_blank, b.old = b.blank, b.total
    for b in best:
        if b.parent is not None:
            if b.parent.total > _NEVER:
                same = b.label == b.parent.label
                b.read = _log_sum(b.read, b.parent.old_blank if same else b.parent.old)
            b.read = b.read + scores[b.label]
        b.blank = b.old + scores[-1]
        b.total = _log_sum(b.blank, b.read)
    kept = [(b.total, next(_PUSH_ORDER), b) for b in best]
    heapq.heapify(kept)
    for b in best:
        if _is_candidate(b.old, kept, width):
            _extend(b, scores, kept, width)
    return [b for _, _, b in kept]


def _is_candidate(total, kept, width: int) -> bool:
    """Return whether a prefix is likely enough to enter the beam; `total` is its log-probability."""
    return total > _NEVER and (len(kept) < width or total > kept[0][0])


def _extend(b: _Prefix, scores, kept, width: int) -> None:
    """Extend a prefix by each label, and push likely extensions onto the beam.

    The beam is a heap with the least likely prefix on top.
    """
    for label in range(len(scores) - 1):
        child = b.children.get(label)
        if child is not None and child.total > _NEVER:
            continue
        total = scores[label] + (b.old_blank if label == b.label else b.old)
        if not _is_candidate(total, kept, width):
            if child is not None:
                child.old = child.old_blank = _NEVER
            continue
        if child is None:
            child = b.children[label] = _Prefix(label, b)
        child.blank, child.read, child.total = _NEVER, total, total
        if len(kept) == width:
            heapq.heappop(kept)[2].drop()
        heapq.heappush(kept, (total, next(_PUSH_ORDER), child))


def _log_sum(a, b):
    """Compute the log-sum-exp of two numbers."""
    high, low = max(a, b), min(a, b)
    return high if low == _NEVER else high + np.log1p(np.exp(low - high))
