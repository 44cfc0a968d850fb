"""Select boxes greedily one by one, with hard or soft suppression of overlapping boxes."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.array.sorting import first_extreme
from shims._src.platform import loops_per_device


def keep(scores, covered_by, limit, slots):
    """Select boxes greedily by score; a selected box suppresses those that `covered_by` returns.

    Args:
      scores: vector; a score of -inf is never selected.
      covered_by: a function from the index of a box to the mask of the boxes that it suppresses.
      limit: the maximum number of boxes to select; may be traced.
      slots: the length of the result vectors.

    Returns:
      `(selected, scores, count)`: indices and scores, best first, in the first `count` elements.
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
    return loops_per_device.while_loop(more, select, state)[1:]


def soft(sigma):
    """Return the weight function of soft suppression: a Gaussian of the overlap, of variance `sigma`."""
    return lambda overlap: jnp.exp(-0.5 / sigma * jnp.square(overlap))


def hard(threshold):
    """Return the weight function of hard suppression: 1 up to `threshold`, NaN above it.

    A weight of NaN suppresses a box; an overlap of NaN gives a weight of 0.
    """

    def weigh(overlap):
        one, none, out = (jnp.asarray(v, overlap.dtype) for v in (1, 0, jnp.nan))
        small = jnp.where(overlap == -jnp.inf, out, one)
        return jnp.where(overlap <= threshold, small, jnp.where(overlap > threshold, out, none))

    return weigh


def keep_in_turn(scores, overlap, limit, slots, *, weigh, lowest):
    """Select boxes from a priority queue that decays the score of a box when it is popped.

    This is TensorFlow's order. A negative score rises when it decays; the box is then selected at
    the position of its old score, before boxes whose scores would have risen above it.

    Args:
      scores: vector; a score of -inf is never selected.
      overlap: a function from the index of a box to its overlaps with all boxes.
      limit: the maximum number of boxes to select; may be traced.
      slots: the length of the result vectors.
      weigh: a function from overlaps with a selected box to factors of the scores; NaN suppresses a
        box.
      lowest: a box whose score falls to this is suppressed.

    Returns:
      `(selected, scores, count)`: indices and scores, best first, in the first `count` elements.
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
    state = (scores, scores, *empty, jnp.zeros((), jnp.int32))
    return loops_per_device.while_loop(more, turn, state)[2:]
