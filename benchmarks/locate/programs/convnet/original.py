"""Run a small image network: strided convolutions, batch norm, pooling, a resized skip."""

import numpy as np
import tensorflow as tf


def normalize(p, name, x):
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    x = tf.nn.batch_normalization(x, mean, variance, p[name + "/b"], p[name + "/g"], 1e-3)
    return x, 0.9 * p[name + "/mean"] + 0.1 * mean


def run(p, images):
    x = images * 2.0 - 1.0
    x = tf.nn.conv2d(x, p["conv1"], strides=2, padding="SAME")
    x, mean = normalize(p, "bn1", x)
    x = tf.nn.relu6(x)
    skip = x
    x = tf.nn.conv2d(x, p["conv2"], strides=1, padding="SAME")
    x = tf.nn.bias_add(x, p["bias2"])
    x = tf.nn.elu(x)
    x = tf.nn.avg_pool2d(x, 2, 2, "SAME")
    x = tf.nn.depthwise_conv2d(x, p["depth"], [1, 1, 1, 1], "SAME")
    x = tf.image.resize(x, tf.shape(skip)[1:3])
    x = tf.concat([x, skip], -1)
    x = tf.nn.max_pool2d(x, 3, 2, "VALID")
    energy = tf.sqrt(tf.reduce_sum(tf.square(x), [1, 2]) + 1e-6)
    x = tf.reduce_mean(x, [1, 2])
    x = tf.math.l2_normalize(x, axis=1)
    return {"features": x, "mean": mean, "energy": energy, "scores": tf.matmul(x, p["head"])}


def cases():
    rng = np.random.default_rng(6)

    def normal(*shape):
        return rng.normal(size=shape).astype(np.float32)

    p = {
        "conv1": normal(3, 3, 2, 4),
        "bn1/g": normal(4) * np.float32([1, 1, 1, 8]),
        "bn1/b": normal(4),
        "bn1/mean": normal(4),
        "conv2": normal(3, 3, 4, 3),
        "bias2": normal(3),
        "depth": normal(3, 3, 3, 1),
        "head": normal(7, 2),
    }
    for n, size in ((2, 14), (1, 14)):
        yield p, rng.random((n, size, size, 2)).astype(np.float32)
