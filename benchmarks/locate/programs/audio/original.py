"""Compute audio features: frames, a window, band power, decibels, deltas, moments."""

import numpy as np
import tensorflow as tf

SIZE = 8
STEP = 4


def window(dtype):
    n = tf.cast(tf.range(SIZE), dtype)
    return 0.5 - 0.5 * tf.cos(2.0 * np.pi * n / tf.cast(SIZE, dtype))


def decibels(power):
    level = 10.0 * tf.math.log(tf.maximum(power, 1e-10)) / np.log(10.0)
    return tf.maximum(level, tf.reduce_max(level, [1, 2], keepdims=True) - 30.0)


def run(sound, bands, cosines, cosines2):
    sound = sound - 0.97 * tf.concat([tf.zeros_like(sound[:, :1]), sound[:, :-1]], 1)
    frames = tf.signal.frame(sound, SIZE, STEP)
    frames = frames * window(sound.dtype)
    real = tf.tensordot(frames, cosines, 1)
    imaginary = tf.tensordot(frames, cosines2, 1)
    power = (tf.square(real) + tf.square(imaginary)) / SIZE
    mel = tf.tensordot(power, bands, 1)
    level = decibels(mel)
    mean, variance = tf.nn.moments(level, [1], keepdims=True)
    level = (level - mean) / (tf.sqrt(variance) + 1e-3)
    padded = tf.pad(level, [[0, 0], [1, 1], [0, 0]], "REFLECT")
    delta = (padded[:, 2:] - padded[:, :-2]) / 2.0
    loudest = tf.argmax(level, -1, output_type=tf.int32)
    coarse = tf.cast(tf.round(level * 4.0), tf.int32) // 2
    rolled = tf.roll(level, 1, 1)
    return {
        "features": tf.concat([level, delta], -1),
        "loudest": loudest,
        "coarse": coarse,
        "change": tf.reduce_max(level - rolled, 1),
    }


def cases():
    rng = np.random.default_rng(10)
    k = np.arange(5)[None] * np.arange(8)[:, None] * 2 * np.pi / 8
    bands = rng.random((5, 3)).astype(np.float32)
    tables = np.cos(k).astype(np.float32), np.sin(k).astype(np.float32)
    for n, t in ((2, 40), (1, 32)):
        # Rows of very different loudness: what is quiet must not be cut off by what is loud.
        loudness = 0.01 ** np.arange(n)[:, None]
        yield (loudness * rng.normal(size=(n, t))).astype(np.float32), bands, *tables
