"""Greedy selection of boxes, one at a time: by score alone, or from a queue in which boxes lose score."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.array.sorting import first_extreme


def keep(scores, covered_by, limit, slots):
    """The greedy selection, in which a box is left out or keeps its score.

    Args:
      scores: vector; what is -inf is never selected.
      covered_by: gives for one box which boxes it leaves out.
      limit: the most boxes to select, may be traced.
      slots: how many places there are for the result.

    Returns:
      `(selected, scores, count)`: numbers and scores, best first, in the first `count` places.
    """
    here = jnp.arange(scores.shape[0], dtype=jnp.int32)

    def more(state):
        left, _, _, count = state
        return (count < limit) & jnp.any(left > -jnp.inf)

    def select(state):
        left, selected, found, count = state
        best = first_extreme(left, 0, largest=True)
        selected = selected.at[count].set(best, mode="drop")
        found = found.at[count].set(left[best], mode="drop")
        left = jnp.where(covered_by(best) | (here == best), -jnp.inf, left)
        return left, selected, found, count + 1

    empty = jnp.zeros((slots,), jnp.int32), jnp.zeros((slots,), scores.dtype)
    state = (scores, *empty, jnp.zeros((), jnp.int32))
    return lax.while_loop(more, select, state)[1:]


def soft(sigma):
    """The weights by which overlapping boxes lose score: a Gaussian of this width."""
    return lambda overlap: jnp.exp(-0.5 / sigma * jnp.square(overlap))


def hard(threshold):
    """Weights 1 and, above the threshold, NaN; beside an overlap that is NaN the score becomes 0."""

    def weigh(overlap):
        one, none, out = (jnp.asarray(v, overlap.dtype) for v in (1, 0, jnp.nan))
        small = jnp.where(overlap == -jnp.inf, out, one)
        return jnp.where(overlap <= threshold, small, jnp.where(overlap > threshold, out, none))

    return weigh


def keep_in_turn(scores, overlap, limit, slots, *, weigh, lowest):
    """The selection of TensorFlow's queue, which fades a box only when its turn comes.

    A score below zero rises when it fades. It is then selected in the place of its old score,
    though others that have not had their turn would have risen above it.

    Args:
      scores: vector; what is -inf is never selected.
      overlap: gives every box's overlap with one of them.
      limit: the most boxes to select, may be traced.
      slots: how many places there are for the result.
      weigh: gives for overlaps with a selected box what scores are multiplied by; at NaN the box is
        left out.
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
        after = jnp.where(taken, faded * weigh(overlap(best)), faded)
        queued = jnp.where(jnp.isnan(after), -jnp.inf, queued)
        return (
            jnp.where(here == best, left, queued),
            after,
            selected.at[place].set(best, mode="drop"),
            found.at[place].set(score, mode="drop"),
            count + taken,
        )

    empty = jnp.zeros((slots,), jnp.int32), jnp.zeros((slots,), scores.dtype)
    return lax.while_loop(more, turn, (scores, scores, *empty, jnp.zeros((), jnp.int32)))[2:]
