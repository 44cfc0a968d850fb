"""Greedy selection of boxes, a block of candidates at a time."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.numeric.sort_keys import descending_key
from shims._src.sizes import primitives

# How many candidates are compared with each other at once.
BLOCK = 128
# Of more than `MANY` boxes the best ones are tried before all are put in order: to find them costs a
# tenth of a sort.
FIRST, MANY = 4 * BLOCK, 32 * BLOCK


def select(corners, scores, limit, threshold, slots, overlap):
    """The best boxes, each of which overlaps no better one by more than the threshold.

    Args:
      corners: array `[n, 4]` of lower and upper corners.
      scores: vector; what is -inf is never selected.
      limit: the most boxes to select, may be traced.
      threshold: what overlaps a selected box more is left out.
      slots: how many places there are for the result, at least 1.
      overlap: of boxes `[a, 4]` and `[b, 4]` the overlaps `[a, b]`.

    Returns:
      `(selected, count)`: numbers, best first and of equal scores the lower one, in the first `count`
      places.
    """
    total = primitives.as_size(scores.shape[0])

    def block(order, state):
        start, selected, count, _ = state
        place = start + jnp.arange(BLOCK, dtype=jnp.int32)
        # Filling, not clipping: a size that turns out to be 0 has no place to be clipped to.
        one = jnp.take(order, place, mode="fill", fill_value=-1)
        is_box = (one >= 0) & (place < total)
        one = jnp.maximum(one, 0)
        boxes = jnp.take(corners, one, axis=0, mode="fill", fill_value=0)
        score = jnp.take(scores, one, mode="fill", fill_value=0)
        open_ = is_box & (score > -jnp.inf)
        chosen = jnp.take(corners, selected, axis=0, mode="fill", fill_value=0)
        taken = jnp.arange(selected.shape[0], dtype=jnp.int32) < count
        covered = jnp.any((overlap(chosen, boxes) > threshold) & taken[:, None], axis=0)
        kept = _kept(open_ & ~covered, overlap(boxes, boxes) > threshold)
        rank = count + jnp.cumsum(kept.astype(jnp.int32))
        kept &= rank <= limit
        at = jnp.where(kept, rank - 1, primitives.as_size(slots))
        selected = selected.at[at].set(one, mode="drop")
        return start + BLOCK, selected, jnp.max(jnp.where(kept, rank, count)), jnp.any(open_)

    def more(state):
        return state[-1] & (state[2] < limit)

    def through(order, state, end):
        going = lambda s: more(s) & (s[0] < end)
        return lax.while_loop(going, lambda s: block(order, s), state)

    def through_all(state):
        order = jnp.argsort(descending_key(scores), stable=True).astype(jnp.int32)
        return through(order, state, total)

    start = jnp.zeros((), jnp.int32)
    state = (start, jnp.zeros((slots,), jnp.int32), start, jnp.bool_(True))
    as_it_is = lambda state: state
    first = lambda state: through(_best(scores), state, jnp.int32(FIRST))
    state = lax.cond(total > MANY, first, as_it_is, state)
    return lax.cond(more(state), through_all, as_it_is, state)[1:3]


def _best(scores):
    """The numbers of the best `FIRST` boxes, best first; -1 where there are fewer."""
    none = jnp.full((FIRST,), -jnp.inf, scores.dtype)
    zeros_alike = jnp.where(scores == 0, jnp.zeros_like(scores), scores)
    return lax.top_k(jnp.concatenate([none, zeros_alike]), FIRST)[1].astype(jnp.int32) - FIRST


def _kept(candidates, covers):
    """Of candidates in order, those that no kept one before them covers.

    The first candidate is right from the start, and every round makes the next undecided one right;
    nothing changes any more long before that.
    """
    earlier = jnp.arange(BLOCK)[:, None] < jnp.arange(BLOCK)[None, :]
    covers &= earlier

    def again(state):
        kept, _ = state
        then = candidates & ~jnp.any(covers & kept[:, None], axis=0)
        return then, jnp.any(then != kept)

    return lax.while_loop(lambda state: state[1], again, (candidates, jnp.bool_(True)))[0]
