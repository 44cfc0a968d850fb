"""The proposals of a region-proposal network: decode, clip, drop, suppress, and pad to a fixed number."""

import jax.numpy as jnp
import shims

SMALLEST = 4.0
BEFORE, AFTER = 32, 8  # boxes before suppression, and the fixed number after it
OVERLAP = 0.6


def decode(deltas, anchors):
    """Return boxes `[y1, x1, y2, x2]` from anchors and the offsets that the network predicts."""
    size = anchors[:, 2:] - anchors[:, :2]
    center = anchors[:, :2] + 0.5 * size + deltas[:, :2] * size
    size = size * jnp.exp(jnp.minimum(deltas[:, 2:], 4.0))
    return jnp.concatenate([center - 0.5 * size, center + 0.5 * size], axis=1)


def clip(boxes, height, width):
    """Cut boxes at the edges of the image."""
    limit = jnp.stack([height, width, height, width])
    return jnp.minimum(jnp.maximum(boxes, 0.0), limit)


@shims.function(
    input_signature=[
        shims.TensorSpec([None], jnp.float32),
        shims.TensorSpec([None, 4], jnp.float32),
        shims.TensorSpec([None, 4], jnp.float32),
        shims.TensorSpec([2], jnp.float32),
    ]
)
def propose(scores, deltas, anchors, image_size):
    """Return `AFTER` boxes and scores, zeros behind the last, and how many are real."""
    boxes = clip(decode(deltas, anchors), image_size[0], image_size[1])
    large = shims.reduce_min(boxes[:, 2:] - boxes[:, :2], axis=1) >= SMALLEST
    boxes, scores = shims.boolean_mask(boxes, large), shims.boolean_mask(scores, large)
    best = shims.math.top_k(scores, k=jnp.minimum(BEFORE, shims.size(scores)))
    boxes, scores = shims.gather(boxes, best.indices), best.values
    kept = shims.image.non_max_suppression(boxes, scores, AFTER, iou_threshold=OVERLAP)
    count = shims.size(kept)
    boxes = shims.pad(shims.gather(boxes, kept), [[0, AFTER - count], [0, 0]])
    scores = shims.pad(shims.gather(scores, kept), [[0, AFTER - count]])
    return boxes, scores, count
