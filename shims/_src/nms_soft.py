"""Greedy selection of boxes, of which those that overlap a selected one lose score."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.sorting import first_extreme


def keep_softly(scores, overlap, limit, slots, *, sigma, lowest):
    """The selection of TensorFlow's queue, which fades a box only when its turn comes.

    A score below zero rises when it fades. It is then selected in the place of its old score,
    though others that have not had their turn would have risen above it.

    Args:
      scores: vector; what is -inf is never selected.
      overlap: gives every box's overlap with one of them.
      limit: the most boxes to select, may be traced.
      slots: how many places there are for the result.
      sigma: the width of the Gaussian by which overlapping boxes lose score.
      lowest: a box whose score falls to this is left out.

    Returns:
      `(selected, scores, count)`: numbers and scores, best first, in the first `count` places.
    """
    here = jnp.arange(scores.shape[0], dtype=jnp.int32)

    def more(state):
        queued, _, _, _, count = state
        return (count < limit) & jnp.any(queued > -jnp.inf)

    def turn(state):
        queued, faded, selected, found, count = state
        best = first_extreme(queued, 0, largest=True)
        score = faded[best]
        taken = score == queued[best]
        left = jnp.where(taken | ~(score > lowest), -jnp.inf, score)
        place = jnp.where(taken, count, slots)  # outside: nothing is written
        weight = jnp.exp(-0.5 / sigma * jnp.square(overlap(best)))
        return (
            jnp.where(here == best, left, queued),
            jnp.where(taken, faded * weight, faded),
            selected.at[place].set(best, mode="drop"),
            found.at[place].set(score, mode="drop"),
            count + taken,
        )

    empty = jnp.zeros((slots,), jnp.int32), jnp.zeros((slots,), scores.dtype)
    return lax.while_loop(more, turn, (scores, scores, *empty, jnp.zeros((), jnp.int32)))[2:]
