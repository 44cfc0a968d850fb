"""Match anchors to boxes, and convert boxes to offsets and back."""

import numpy as np
import tensorflow as tf


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def overlap(a, b):
    low = tf.maximum(a[:, None, :2], b[None, :, :2])
    high = tf.minimum(a[:, None, 2:], b[None, :, 2:])
    size = tf.maximum(high - low, 0.0)
    common = size[..., 0] * size[..., 1]
    return common / (area(a)[:, None] + area(b)[None] - common)


def encode(boxes, anchors):
    size = anchors[:, 2:] - anchors[:, :2]
    middle = anchors[:, :2] + 0.5 * size
    other = boxes[:, 2:] - boxes[:, :2]
    shift = (boxes[:, :2] + 0.5 * other - middle) / size
    return tf.concat([shift / 0.1, tf.math.log(other / size) / 0.2], 1)


def decode(codes, anchors):
    size = anchors[:, 2:] - anchors[:, :2]
    middle = anchors[:, :2] + 0.5 * size
    middle = middle + codes[:, :2] * 0.1 * size
    size = tf.exp(codes[:, 2:] * 0.2) * size
    return tf.concat([middle - 0.5 * size, middle + 0.5 * size], 1)


def smooth(x):
    magnitude = tf.abs(x)
    return tf.where(magnitude < 1.0, 0.5 * tf.square(x), magnitude - 0.5)


def run(boxes, anchors, codes):
    iou = overlap(anchors, boxes)
    best = tf.argmax(iou, 1)
    quality = tf.reduce_max(iou, 1)
    positive = quality >= 0.4
    target = encode(tf.gather(boxes, best), anchors)
    losses = tf.reduce_sum(smooth(codes - target), 1)
    count = tf.maximum(tf.reduce_sum(tf.cast(positive, codes.dtype)), 1.0)
    loss = tf.reduce_sum(tf.where(positive, losses, tf.zeros_like(losses))) / count
    found = decode(codes, anchors)
    found = tf.clip_by_value(found, 0.0, 10.0)
    cell = tf.cast(tf.floor((anchors[:, 0] - 5.0) / 2.0), tf.int32)
    order = tf.argsort(quality, direction="DESCENDING")
    return {
        "loss": loss,
        "boxes": found,
        "ranked": tf.gather(quality, order),
        "cell": cell,
        "bucket": (cell - 3) // 2,
    }


def cases():
    rng = np.random.default_rng(5)

    def boxes(n):
        low = rng.uniform(0, 7, (n, 2))
        return np.concatenate([low, low + rng.uniform(1, 4, (n, 2))], 1).astype(np.float32)

    for n, m in ((3, 8), (2, 6)):
        real = boxes(n)
        anchors = np.concatenate([real + 0.25, boxes(m - n)]).astype(np.float32)
        yield real, anchors, rng.normal(size=(m, 4)).astype(np.float32)
