"""How likely the alignments of labels with frames are, in TensorFlow's steps and constants.

A sequence of `n` labels has a state for its start, one per label, and one for the blank behind each
of those. `reading` is about the start and the labels, `waiting` about the blanks. Before the first
frame only the start is possible, after the last one only the end: with a logarithm of -706.9, not of
minus infinity, for all others, so that a loss is finite where no alignment is possible.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

_IMPOSSIBLE = math.log(1e-307)


@dataclasses.dataclass(frozen=True, slots=True)
class Lattice:
    """What all frames have in common; `n` labels at most.

    Attributes:
      labels: int array `[batch, n]`.
      label_length: int vector.
      logit_length: int vector.
    """

    labels: Any
    label_length: Any
    logit_length: Any

    def skips(self):
        """Logarithms: whether label `k` may follow the state before without a blank, `[batch, n]`."""
        same = self.labels[:, 1:] == self.labels[:, :-1]
        first = jnp.zeros((self.labels.shape[0], 1), bool)
        return jnp.where(
            jnp.concatenate([first, same], 1)[:, : self.labels.shape[1]], -jnp.inf, 0.0
        )

    def final(self, dtype):
        """Logarithms of where an alignment may end: reading and waiting, both `[batch, n + 1]`."""
        place = jnp.arange(self.labels.shape[1] + 1, dtype=jnp.int32)
        is_end = place == self.label_length.astype(jnp.int32)[:, None]
        one = jnp.where(is_end, 0.0, _IMPOSSIBLE).astype(dtype)
        return one, one

    def initial(self, dtype):
        """Logarithms of where an alignment may begin."""
        shape = (self.labels.shape[0], self.labels.shape[1] + 1)
        nowhere = jnp.full(shape, _IMPOSSIBLE, dtype)
        start = jnp.arange(shape[1], dtype=jnp.int32) == 0
        return jnp.where(start, jnp.zeros((), dtype), nowhere), nowhere


def observed(lattice: Lattice, scores):
    """Logarithms of what each state says of a frame.

    Args:
      lattice: the labels.
      scores: logarithms of the classes' probabilities `[frames, batch, classes]`, blank first.

    Returns:
      Of reading and waiting: `[frames, batch, n + 1]` and `[frames, batch, 1]`.
    """
    places = jnp.clip(lattice.labels, 0, None)[None]
    read = jnp.take_along_axis(scores, places.astype(jnp.int32), axis=2, mode="fill", fill_value=0)
    read = jnp.where(lattice.labels[None] < 0, 0, read)  # no label of that number is certain
    start = jnp.full((*scores.shape[:2], 1), -jnp.inf, scores.dtype)
    return jnp.concatenate([start, read], 2), scores[:, :, :1]


def backward(lattice: Lattice, read, wait):
    """From the last frame to the first: what may still come.

    Returns:
      The states behind every frame, reading and waiting, and the logarithm of the likelihood.
    """
    skips, final = lattice.skips(), lattice.final(read.dtype)
    frames = read.shape[0]
    live = _live(lattice, frames)

    def step(carry, frame):
        reading, waiting, total = carry
        seen_read, seen_wait, on = frame
        after = (reading + seen_read, waiting + seen_wait)
        further = _pad_end(after[0][:, 1:])
        new = (
            _sum(after[0], after[1], further + _pad_end(skips)),
            _sum(after[1], further),
        )
        new, sums = _scaled(new)
        on = on[:, None]
        new = tuple(jnp.where(on, a, b) for a, b in zip(new, final, strict=True))
        return (*new, total + jnp.where(on, sums, 0)[:, 0]), (reading, waiting)

    zero = jnp.zeros((read.shape[1],), read.dtype)
    (reading, _, total), behind = lax.scan(step, (*final, zero), (read, wait, live), reverse=True)
    return behind, reading[:, 0] + total


def forward(lattice: Lattice, read, wait):
    """From the first frame to the last: the states at every frame, reading and waiting."""
    skips = lattice.skips()

    def step(carry, frame):
        reading, waiting = carry
        seen_read, seen_wait = frame
        before = _pad_start(reading[:, :-1] + skips)
        new = (
            _sum(reading, before, _pad_start(waiting[:, :-1])) + seen_read,
            _sum(waiting, reading) + seen_wait,
        )
        new, _ = _scaled(new)
        return new, new

    _, states = lax.scan(step, lattice.initial(read.dtype), (read, wait))
    return states


def posterior(lattice: Lattice, scores):
    """The probabilities of the classes at every frame, given the labels: `[frames, batch, classes]`."""
    read, wait = observed(lattice, scores)
    (reading, waiting), _ = backward(lattice, read, wait)
    ahead_read, ahead_wait = forward(lattice, read, wait)
    states = (ahead_read + reading, ahead_wait + waiting)
    states, _ = _scaled(states)
    on = _live(lattice, scores.shape[0])[:, :, None]
    reading, waiting = (jnp.where(on, jnp.exp(s), 0) for s in states)
    classes = jnp.arange(1, scores.shape[2], dtype=lattice.labels.dtype)
    is_class = (lattice.labels[:, :, None] == classes).astype(scores.dtype)
    labels = jnp.einsum("tbn,bnc->tbc", reading[:, :, 1:], is_class, precision="highest")
    return jnp.concatenate([jnp.sum(waiting, 2, keepdims=True), labels], 2)


def _live(lattice: Lattice, frames):
    """Which frames count: bool `[frames, batch]`."""
    return jnp.arange(frames, dtype=jnp.int32)[:, None] < lattice.logit_length.astype(jnp.int32)


def _sum(*logarithms):
    """The logarithm of a sum, with derivative 0 where it is a sum of zeros."""
    every = jnp.stack(logarithms)
    none = jnp.max(every, axis=0) == -jnp.inf
    return jnp.where(none, -jnp.inf, jax.nn.logsumexp(jnp.where(none, 0, every), axis=0))


def _scaled(states):
    """Reading and waiting with a sum of 1, and the logarithm of the sum that they had."""
    total = jax.nn.logsumexp(jnp.concatenate(states, -1), axis=-1, keepdims=True)
    return tuple(s - total for s in states), total


def _pad_end(x):
    return jnp.pad(x, [(0, 0), (0, 1)], constant_values=-jnp.inf)


def _pad_start(x):
    return jnp.pad(x, [(0, 0), (1, 0)], constant_values=-jnp.inf)
