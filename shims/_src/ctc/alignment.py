"""Compute the likelihood of alignments between labels and frames, as TensorFlow does.

A sequence of `n` labels has a start state, a state per label, and a blank state after each
of those. `reading` holds the log-probabilities of the start and the labels, `waiting` those
of the blanks. Before the first frame only the start is possible, after the last frame only
the end. All other states have a log-probability of -706.9 instead of minus infinity, so that
the loss is finite even if no alignment is possible.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.platform import loops_per_device

_IMPOSSIBLE = math.log(1e-307)


@dataclasses.dataclass(frozen=True, slots=True)
class Lattice:
    """The labels and lengths of a batch; at most `n` labels per sequence.

    Attributes:
      labels: int array `[batch, n]`.
      label_length: int vector.
      logit_length: int vector.
    """

    labels: Any
    label_length: Any
    logit_length: Any

    def skips(self):
        """Return log-weights `[batch, n]` of skipping the blank before each label.

        The blank between equal labels cannot be skipped: its weight is -inf.
        """
        same = self.labels[:, 1:] == self.labels[:, :-1]
        first = jnp.zeros((self.labels.shape[0], 1), bool)
        return jnp.where(
            jnp.concatenate([first, same], 1)[:, : self.labels.shape[1]], -jnp.inf, 0.0
        )

    def final(self, dtype):
        """Return log-weights of the states after the last frame: `(reading, waiting)`.

        Both are arrays `[batch, n + 1]`.
        """
        place = jnp.arange(self.labels.shape[1] + 1, dtype=jnp.int32)
        is_end = place == self.label_length.astype(jnp.int32)[:, None]
        one = jnp.where(is_end, 0.0, _IMPOSSIBLE).astype(dtype)
        return one, one

    def initial(self, dtype):
        """Return log-weights of the states before the first frame: `(reading, waiting)`."""
        shape = (self.labels.shape[0], self.labels.shape[1] + 1)
        nowhere = jnp.full(shape, _IMPOSSIBLE, dtype)
        start = jnp.arange(shape[1], dtype=jnp.int32) == 0
        return jnp.where(start, jnp.zeros((), dtype), nowhere), nowhere


def observed(lattice: Lattice, scores):
    """Compute the log-probability of each frame in each state.

    Args:
      lattice: the labels.
      scores: log-probabilities of the classes `[frames, batch, classes]`, blank first.

    Returns:
      The log-probabilities of reading and waiting: `[frames, batch, n + 1]` and `[frames, batch,
      1]`.
    """
    places = jnp.clip(lattice.labels, 0, None)[None]
    read = jnp.take_along_axis(scores, places.astype(jnp.int32), axis=2, mode="fill", fill_value=0)
    read = jnp.where(lattice.labels[None] < 0, 0, read)  # as in TensorFlow
    start = jnp.full((*scores.shape[:2], 1), -jnp.inf, scores.dtype)
    return jnp.concatenate([start, read], 2), scores[:, :, :1]


def backward(lattice: Lattice, read, wait):
    """Run the backward recursion, from the last frame to the first.

    Returns:
      The log-weights `(reading, waiting)` of the states after every frame, and the log-likelihood.
    """
    skips, final = lattice.skips(), lattice.final(read.dtype)
    frames = read.shape[0]
    live = _frame_mask(lattice, frames)

    def step(carry, frame):
        reading, waiting, total = carry
        seen_read, seen_wait, on = frame
        after = (reading + seen_read, waiting + seen_wait)
        further = _pad_end(after[0][:, 1:])
        new = (
            _log_sum(after[0], after[1], further + _pad_end(skips)),
            _log_sum(after[1], further),
        )
        new, sums = _normalize(new)
        on = on[:, None]
        new = tuple(jnp.where(on, a, b) for a, b in zip(new, final, strict=True))
        return (*new, total + jnp.where(on, sums, 0)[:, 0]), (reading, waiting)

    zero = jnp.zeros((read.shape[1],), read.dtype)
    start, frames = (*final, zero), (read, wait, live)
    (reading, _, total), behind = loops_per_device.scan(step, start, frames, reverse=True)
    return behind, reading[:, 0] + total


def forward(lattice: Lattice, read, wait):
    """Run the forward recursion; return the log-probabilities `(reading, waiting)` of every frame."""
    skips = lattice.skips()

    def step(carry, frame):
        reading, waiting = carry
        seen_read, seen_wait = frame
        before = _pad_start(reading[:, :-1] + skips)
        new = (
            _log_sum(reading, before, _pad_start(waiting[:, :-1])) + seen_read,
            _log_sum(waiting, reading) + seen_wait,
        )
        new, _ = _normalize(new)
        return new, new

    _, states = loops_per_device.scan(step, lattice.initial(read.dtype), (read, wait))
    return states


def posterior(lattice: Lattice, scores):
    """Compute the posterior class probabilities per frame, given the labels.

    The result has the shape `[frames, batch, classes]`.
    """
    read, wait = observed(lattice, scores)
    (reading, waiting), _ = backward(lattice, read, wait)
    ahead_read, ahead_wait = forward(lattice, read, wait)
    states = (ahead_read + reading, ahead_wait + waiting)
    states, _ = _normalize(states)
    on = _frame_mask(lattice, scores.shape[0])[:, :, None]
    reading, waiting = (jnp.where(on, jnp.exp(s), 0) for s in states)
    classes = jnp.arange(1, scores.shape[2], dtype=lattice.labels.dtype)
    is_class = (lattice.labels[:, :, None] == classes).astype(scores.dtype)
    labels = jnp.einsum("tbn,bnc->tbc", reading[:, :, 1:], is_class, precision="highest")
    return jnp.concatenate([jnp.sum(waiting, 2, keepdims=True), labels], 2)


def _frame_mask(lattice: Lattice, frames):
    """Return the mask of valid frames, bool `[frames, batch]`."""
    return jnp.arange(frames, dtype=jnp.int32)[:, None] < lattice.logit_length.astype(jnp.int32)


def _log_sum(*logarithms):
    """Compute log-sum-exp elementwise; its derivative is 0 if all terms are -inf."""
    every = jnp.stack(logarithms)
    none = jnp.max(every, axis=0) == -jnp.inf
    return jnp.where(none, -jnp.inf, jax.nn.logsumexp(jnp.where(none, 0, every), axis=0))


def _normalize(states):
    """Normalize log-probabilities to a sum of 1; also return the logarithm of the previous sum."""
    total = jax.nn.logsumexp(jnp.concatenate(states, -1), axis=-1, keepdims=True)
    return tuple(s - total for s in states), total


def _pad_end(x):
    return jnp.pad(x, [(0, 0), (0, 1)], constant_values=-jnp.inf)


def _pad_start(x):
    return jnp.pad(x, [(0, 0), (1, 0)], constant_values=-jnp.inf)
