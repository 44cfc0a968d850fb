"""Classify rows: dense layers, layer norm, dropout with a given mask, label smoothing."""

import numpy as np
import tensorflow as tf


def dense(params, name, x):
    return tf.matmul(x, params[name + "/w"]) + params[name + "/b"]


def layer_norm(params, x):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    x = (x - mean) * tf.math.rsqrt(variance + 1e-3)
    return x * params["norm/scale"] + params["norm/offset"]


def run(params, x, labels, kept):
    h = dense(params, "first", x)
    h = tf.nn.gelu(h)
    h = layer_norm(params, h)
    h = h * kept / 0.8
    h = h + tf.nn.leaky_relu(dense(params, "second", h))
    logits = dense(params, "last", h)
    target = tf.one_hot(labels, tf.shape(logits)[1], dtype=logits.dtype)
    target = target * 0.9 + 0.1 / tf.cast(tf.shape(logits)[1], logits.dtype)
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=logits)
    weights = tf.cast(labels > 0, logits.dtype) + 0.5
    loss = tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)
    squares = [tf.reduce_sum(tf.square(params[n])) for n in ("first/w", "second/w", "last/w")]
    decay = 0.01 * tf.add_n(squares) / 2.0
    return {
        "loss": loss + decay,
        "top": tf.argmax(logits, 1),
        "probabilities": tf.nn.softmax(logits),
    }


def cases():
    rng = np.random.default_rng(2)

    def normal(*shape):
        return rng.normal(size=shape).astype(np.float32)

    params = {
        "first/w": normal(5, 6),
        "first/b": normal(6),
        "norm/scale": normal(6),
        "norm/offset": normal(6),
        "second/w": normal(6, 6),
        "second/b": normal(6),
        "last/w": normal(6, 3),
        "last/b": normal(3),
    }
    for n in (4, 7):
        labels = rng.integers(0, 3, n).astype(np.int32)
        yield params, normal(n, 5), labels, (rng.random((n, 6)) < 0.8).astype(np.float32)
