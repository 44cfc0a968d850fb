"""Run training steps: gradients, clipping by norm, Adam with weight decay, an average."""

import numpy as np
import tensorflow as tf


def loss_of(w, b, x, y):
    prediction = tf.tanh(tf.matmul(x, w) + b)
    return tf.reduce_mean(tf.reduce_sum(tf.math.squared_difference(prediction, y), 1))


def clipped(gradients, most):
    norm = tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(g)) for g in gradients]))
    return [g * most / tf.maximum(norm, most) for g in gradients]


def adam(value, gradient, m, v, step, rate):
    m = 0.9 * m + 0.1 * gradient
    v = 0.99 * v + 0.01 * tf.square(gradient)
    fixed = m / (1.0 - tf.pow(0.9, step))
    scale = v / (1.0 - tf.pow(0.99, step))
    update = fixed / (tf.sqrt(scale) + 1e-3)
    return value - rate * (update + 0.01 * value), m, v


def rate_at(step, dtype):
    warm = tf.minimum(step / 2.0, 1.0)
    return tf.cast(0.1 * warm * tf.pow(0.5, tf.floor(step / 2.0)), dtype)


def run(w, b, x, y):
    mw, vw = tf.zeros_like(w), tf.zeros_like(w)
    mb, vb = tf.zeros_like(b), tf.zeros_like(b)
    average = w
    losses = []
    for number in range(1, 4):
        step = tf.constant(number, w.dtype)
        with tf.GradientTape() as tape:
            tape.watch([w, b])
            loss = loss_of(w, b, x, y)
        gw, gb = clipped(tape.gradient(loss, [w, b]), 0.5)
        rate = rate_at(step, w.dtype)
        w, mw, vw = adam(w, gw, mw, vw, step, rate)
        b, mb, vb = adam(b, gb, mb, vb, step, rate)
        average = 0.8 * average + 0.2 * w
        losses.append(loss)
    return {"losses": tf.stack(losses), "w": w, "b": b, "average": average}


def cases():
    rng = np.random.default_rng(8)
    for n, size in ((6, 1.0), (4, 0.1)):
        shapes = ((3, 2), (2,), (n, 3), (n, 2))
        yield tuple((size * rng.normal(size=s)).astype(np.float32) for s in shapes)
