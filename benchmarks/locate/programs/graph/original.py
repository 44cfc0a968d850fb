"""Pass messages along a graph's edges, with attention over the incoming edges of a node."""

import numpy as np
import tensorflow as tf


def segment_softmax(scores, receivers, count):
    top = tf.math.unsorted_segment_max(scores, receivers, count)
    weights = tf.exp(scores - tf.gather(top, receivers))
    total = tf.math.unsorted_segment_sum(weights, receivers, count)
    return weights / tf.gather(total, receivers)


def layer(p, nodes, senders, receivers):
    count = tf.shape(nodes)[0]
    sent = tf.gather(tf.matmul(nodes, p["send"]), senders)
    here = tf.gather(tf.matmul(nodes, p["receive"]), receivers)
    scores = tf.reduce_sum(tf.nn.leaky_relu(sent + here) * p["query"], -1)
    weights = segment_softmax(scores, receivers, count)
    mixed = tf.math.unsorted_segment_sum(weights[:, None] * sent, receivers, count)
    mean = tf.math.unsorted_segment_mean(sent, receivers, count)
    return tf.nn.relu(mixed + mean + tf.matmul(nodes, p["own"]))


def run(p, nodes, senders, receivers, graphs):
    ones = tf.ones([tf.shape(senders)[0], 1], nodes.dtype)
    degree = tf.math.unsorted_segment_sum(ones, receivers, tf.shape(nodes)[0])
    h = nodes * tf.math.rsqrt(tf.maximum(degree, 1.0))
    for _ in range(2):
        h = h + layer(p, h, senders, receivers)
    pooled = tf.math.segment_mean(h, graphs)
    highest = tf.math.segment_max(h, graphs)
    distance = tf.norm(pooled[:, None] - pooled[None] + 1e-3, axis=-1)
    return {"pooled": pooled, "highest": highest, "distance": distance}


def cases():
    rng = np.random.default_rng(9)

    def normal(*shape):
        return rng.normal(size=shape).astype(np.float32)

    p = {"send": normal(4, 4), "receive": normal(4, 4), "query": normal(4), "own": normal(4, 4)}
    for n, e in ((6, 11), (5, 8)):
        senders = rng.integers(0, n, e).astype(np.int32)
        receivers = rng.integers(0, n - 1, e).astype(np.int32)
        yield p, normal(n, 4), senders, receivers, np.sort(np.arange(n) % 2).astype(np.int32)
