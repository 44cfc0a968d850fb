"""Compute what some examples compute, in JAX with masks and capacities written by hand."""

import jax
import jax.numpy as jnp

from examples.point_clouds import port as cloud
from examples.proposals import port as region


def l2_normalized(x):
    """Return rows of length 1."""
    return x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x * x, axis=1, keepdims=True), 1e-12))


@jax.jit
def pool(tokens, lengths, query):
    """Return what `pool` of examples/token_pooling returns."""
    count = lengths.shape[0]
    row = jnp.repeat(jnp.arange(count), lengths, total_repeat_length=tokens.shape[0])
    scores = tokens @ query
    weights = jnp.exp(scores - jax.ops.segment_max(scores, row, count)[row])
    weights = weights / jax.ops.segment_sum(weights, row, count)[row]
    mean = jax.ops.segment_sum(tokens, row, count) / lengths[:, None]
    largest = jax.ops.segment_max(tokens, row, count)
    attended = jax.ops.segment_sum(tokens * weights[:, None], row, count)
    return l2_normalized(jnp.concatenate([mean, largest, attended], axis=1))


@jax.jit
def voxels(points, features):
    """Return what `voxels` of examples/point_clouds returns, padded, and the number of its rows."""
    capacity = points.shape[0]
    near = jnp.max(jnp.abs(points), axis=1) < 100.0
    ids = jnp.where(near, cloud.cell_of(points), jnp.iinfo(jnp.int32).max)
    _, first, slot = jnp.unique(ids, return_index=True, return_inverse=True, size=capacity)
    # Cells in the order in which they occur.
    place = jnp.argsort(jnp.argsort(jnp.where(near[first], first, capacity)))
    slot = jnp.where(near, place[slot], capacity)
    counts = jax.ops.segment_sum(near.astype(jnp.int32), slot, capacity)
    number = jnp.maximum(counts, 1)[:, None]
    center = jax.ops.segment_sum(points, slot, capacity) / number
    mean = jax.ops.segment_sum(features, slot, capacity) / number
    offset = points - center[slot]
    spread = jax.ops.segment_max(jnp.sum(offset * offset, axis=1), slot, capacity)
    (full,) = jnp.nonzero(counts >= cloud.LEAST, size=capacity, fill_value=capacity)
    rows = (jnp.take(x, full, axis=0, mode="fill") for x in (center, mean, spread, counts))
    return *rows, jnp.sum(counts >= cloud.LEAST)


@jax.jit
def propose(scores, deltas, anchors, image_size):
    """Return what `propose` of examples/proposals returns."""
    boxes = region.clip(region.decode(deltas, anchors), image_size[0], image_size[1])
    large = jnp.min(boxes[:, 2:] - boxes[:, :2], axis=1) >= region.SMALLEST
    before = min(region.BEFORE, scores.size)
    scores, best = jax.lax.top_k(jnp.where(large, scores, -jnp.inf), before)
    boxes = boxes[best]
    corner = jnp.maximum(boxes[:, None, :2], boxes[None, :, :2])
    shared = jnp.prod(
        jnp.maximum(jnp.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - corner, 0), -1
    )
    area = jnp.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    overlap = shared / (area[:, None] + area[None] - shared) > region.OVERLAP

    def keep(i, kept):
        return kept.at[i].set(kept[i] & ~jnp.any(overlap[i] & kept & (jnp.arange(kept.size) < i)))

    kept = jax.lax.fori_loop(0, before, keep, scores > -jnp.inf)
    kept &= jnp.cumsum(kept) <= region.AFTER
    (rows,) = jnp.nonzero(kept, size=region.AFTER, fill_value=before)
    padded = (jnp.take(x, rows, axis=0, mode="fill", fill_value=0) for x in (boxes, scores))
    return *padded, jnp.sum(kept)
