"""Compute a focal loss over anchors, some of which are ignored."""

import numpy as np
import tensorflow as tf


def run(logits, labels, alpha):
    keep = tf.cast(tf.not_equal(labels, -1), logits.dtype)
    target = tf.one_hot(tf.maximum(labels, 0), tf.shape(logits)[1], dtype=logits.dtype)
    ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    p = tf.sigmoid(logits)
    pt = target * p + (1.0 - target) * (1.0 - p)
    weight = (target * alpha + (1.0 - target) * (1.0 - alpha)) * tf.pow(1.0 - pt, 2.0)
    loss = tf.reduce_sum(weight * ce, axis=1) * keep
    count = tf.maximum(tf.reduce_sum(keep), 1.0)
    return tf.reduce_sum(loss) / count, loss


def cases():
    rng = np.random.default_rng(1)
    for n in (6, 9):
        logits = rng.normal(size=(n, 4)).astype(np.float32)
        yield logits, rng.integers(-1, 4, n).astype(np.int32), np.float32(0.3)
