"""Select boxes greedily, comparing a block of candidates with each other at a time."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.numeric.sort_keys import descending_key
from shims._src.platform import jax_private as jp
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives

# The number of candidates that are compared with each other at once.
BLOCK = 128
# Of more than `MANY` boxes the best `FIRST` are tried before all are sorted: finding them costs a tenth
# of a sort.
FIRST, MANY = 4 * BLOCK, 32 * BLOCK


def select(corners, scores, limit, threshold, slots, overlap):
    """Select boxes greedily, suppressing those that overlap a better one by more than a threshold.

    Args:
      corners: array `[n, 4]` of lower and upper corners.
      scores: vector; a score of -inf is never selected.
      limit: the maximum number of boxes to select; may be traced.
      threshold: boxes that overlap a selected box by more are suppressed.
      slots: the length of the result vector, at least 1.
      overlap: a function from boxes `[a, 4]` and `[b, 4]` to overlaps `[a, b]`.

    Returns:
      `(selected, count)`: indices in the first `count` elements, by descending score, ties by
      index.
    """
    total = primitives.as_size(scores.shape[0])

    def block(order, state):
        start, selected, count, _ = state
        place = start + jnp.arange(BLOCK, dtype=jnp.int32)
        # Fill, not clip, since an array whose size is 0 at run time has no index to clip to.
        one = jnp.take(order, place, mode="fill", fill_value=-1)
        is_box = (one >= 0) & (place < total)
        one = jnp.maximum(one, 0)
        boxes = jnp.take(corners, one, axis=0, mode="fill", fill_value=0)
        score = jnp.take(scores, one, mode="fill", fill_value=0)
        open_ = is_box & (score > -jnp.inf)
        chosen = jnp.take(corners, selected, axis=0, mode="fill", fill_value=0)
        taken = jnp.arange(selected.shape[0], dtype=jnp.int32) < count
        covered = jnp.any((overlap(chosen, boxes) > threshold) & taken[:, None], axis=0)
        kept = _greedy_mask(open_ & ~covered, overlap(boxes, boxes) > threshold)
        rank = count + jnp.cumsum(kept.astype(jnp.int32))
        kept &= rank <= limit
        at = jnp.where(kept, rank - 1, primitives.as_size(slots))
        selected = selected.at[at].set(one, mode="drop")
        return start + BLOCK, selected, jnp.max(jnp.where(kept, rank, count)), jnp.any(open_)

    def more(state):
        return state[-1] & (state[2] < limit)

    def through(order, state, end):
        going = lambda s: more(s) & (s[0] < end)
        return loops_per_device.while_loop(going, lambda s: block(order, s), state)

    def through_all(state):
        order = jnp.argsort(descending_key(scores), stable=True).astype(jnp.int32)
        return through(order, state, total)

    start = jnp.zeros((), jnp.int32)
    state = (start, jnp.zeros((slots,), jnp.int32), start, jnp.bool_(True))
    state = jp.varying_as(state, (corners, scores, limit))
    as_it_is = lambda state: state
    first = lambda state: through(_top_indices(scores), state, jnp.int32(FIRST))
    state = lax.cond(total > MANY, first, as_it_is, state)
    return lax.cond(more(state), through_all, as_it_is, state)[1:3]


def _top_indices(scores):
    """Return the indices of the best `FIRST` boxes, best first, padded with -1."""
    none = jnp.full((FIRST,), -jnp.inf, scores.dtype)
    zeros_alike = jnp.where(scores == 0, jnp.zeros_like(scores), scores)
    return lax.top_k(jnp.concatenate([none, zeros_alike]), FIRST)[1].astype(jnp.int32) - FIRST


def _greedy_mask(candidates, covers):
    """Return the mask of selected candidates: those that no earlier selected candidate covers.

    Iterates to a fixed point: the first candidate is decided at the start, and every iteration
    decides at least one more.
    """
    earlier = jnp.arange(BLOCK)[:, None] < jnp.arange(BLOCK)[None, :]
    covers &= earlier

    def again(state):
        kept, _ = state
        then = candidates & ~jnp.any(covers & kept[:, None], axis=0)
        return then, jnp.any(then != kept)

    state = (candidates, jnp.bool_(True))
    return loops_per_device.while_loop(lambda state: state[1], again, state)[0]
