"""The proposals of a region-proposal network: decode, clip, drop, suppress, and pad to a fixed number."""

import tensorflow as tf

SMALLEST = 4.0
BEFORE, AFTER = 32, 8  # boxes before suppression, and the fixed number after it
OVERLAP = 0.6


def decode(deltas, anchors):
    """Return boxes `[y1, x1, y2, x2]` from anchors and the offsets that the network predicts."""
    size = anchors[:, 2:] - anchors[:, :2]
    center = anchors[:, :2] + 0.5 * size + deltas[:, :2] * size
    size = size * tf.exp(tf.minimum(deltas[:, 2:], 4.0))
    return tf.concat([center - 0.5 * size, center + 0.5 * size], axis=1)


def clip(boxes, height, width):
    """Cut boxes at the edges of the image."""
    limit = tf.stack([height, width, height, width])
    return tf.minimum(tf.maximum(boxes, 0.0), limit)


@tf.function(
    input_signature=[
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([None, 4], tf.float32),
        tf.TensorSpec([None, 4], tf.float32),
        tf.TensorSpec([2], tf.float32),
    ]
)
def propose(scores, deltas, anchors, image_size):
    """Return `AFTER` boxes and scores, zeros behind the last, and how many are real."""
    boxes = clip(decode(deltas, anchors), image_size[0], image_size[1])
    large = tf.reduce_min(boxes[:, 2:] - boxes[:, :2], axis=1) >= SMALLEST
    boxes, scores = tf.boolean_mask(boxes, large), tf.boolean_mask(scores, large)
    best = tf.math.top_k(scores, k=tf.minimum(BEFORE, tf.size(scores)))
    boxes, scores = tf.gather(boxes, best.indices), best.values
    kept = tf.image.non_max_suppression(boxes, scores, AFTER, iou_threshold=OVERLAP)
    count = tf.size(kept)
    boxes = tf.pad(tf.gather(boxes, kept), [[0, AFTER - count], [0, 0]])
    scores = tf.pad(tf.gather(scores, kept), [[0, AFTER - count]])
    return boxes, scores, count
