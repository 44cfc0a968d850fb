"""Run a gated recurrent network over sequences of different lengths, and compute a loss."""

import numpy as np
import tensorflow as tf


def cell(p, h, c, x):
    gates = tf.matmul(x, p["wx"]) + tf.matmul(h, p["wh"]) + p["b"]
    i, f, g, o = tf.split(gates, 4, axis=1)
    c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def run(p, xs, lengths):
    steps = tf.shape(xs)[1]
    h = tf.zeros([tf.shape(xs)[0], 4], xs.dtype)
    c = tf.zeros_like(h)
    out = tf.TensorArray(xs.dtype, size=steps)

    def body(t, h, c, out):
        new_h, new_c = cell(p, h, c, xs[:, t])
        live = (t < lengths)[:, None]
        h = tf.where(live, new_h, h)
        c = tf.where(live, new_c, c)
        return t + 1, h, c, out.write(t, tf.where(live, h, tf.zeros_like(h)))

    _, h, c, out = tf.while_loop(lambda t, *_: t < steps, body, [0, h, c, out])
    outputs = tf.transpose(out.stack(), [1, 0, 2])
    mask = tf.sequence_mask(lengths, steps, xs.dtype)
    logits = tf.tensordot(outputs, p["head"], 1)
    error = tf.reduce_sum(tf.square(logits - xs[:, :, :2]), -1) * mask
    per_row = tf.reduce_sum(error, 1) / tf.cast(lengths, xs.dtype)
    decayed = tf.cumsum(error, axis=1, exclusive=True, reverse=True)
    return {"loss": tf.reduce_mean(per_row), "last": h, "ahead": decayed, "logits": logits}


def cases():
    rng = np.random.default_rng(4)

    def normal(*shape):
        return rng.normal(size=shape).astype(np.float32)

    p = {"wx": normal(3, 16), "wh": normal(4, 16), "b": normal(16), "head": normal(4, 2)}
    yield p, normal(3, 5, 3), np.array([5, 2, 3], np.int32)
    yield p, normal(2, 4, 3), np.array([1, 4], np.int32)
