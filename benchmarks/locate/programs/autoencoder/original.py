"""Compute the loss of a variational autoencoder from given noise: reconstruction and KL terms."""

import numpy as np
import tensorflow as tf


def encoder(p, x):
    h = tf.nn.softplus(tf.matmul(x, p["enc"]) + p["enc_b"])
    mean = tf.matmul(h, p["mean"])
    log_variance = tf.clip_by_value(tf.matmul(h, p["var"]), -2.0, 2.0)
    return mean, log_variance


def decoder(p, z):
    h = tf.nn.selu(tf.matmul(z, p["dec"]) + p["dec_b"])
    return tf.matmul(h, p["out"])


def run(p, x, noise):
    mean, log_variance = encoder(p, x)
    z = mean + tf.exp(0.5 * log_variance) * noise
    logits = decoder(p, z)
    likelihood = -tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
    likelihood = tf.reduce_sum(likelihood, 1)
    divergence = -0.5 * tf.reduce_sum(
        1.0 + log_variance - tf.square(mean) - tf.exp(log_variance), 1
    )
    prior = -0.5 * tf.reduce_sum(tf.square(z) + np.log(2.0 * np.pi), 1)
    pull = tf.reduce_sum(tf.square(tf.stop_gradient(mean) - z), 1)
    bound = tf.reduce_mean(likelihood - 0.7 * divergence)
    spread = tf.math.reduce_std(z, 0)
    best = tf.reduce_logsumexp(likelihood + prior) - tf.math.log(tf.cast(tf.shape(x)[0], x.dtype))
    penalty = tf.reduce_mean(tf.abs(p["out"]))
    return {"bound": bound - 0.01 * penalty + 0.1 * pull, "spread": spread, "best": best}


def cases():
    rng = np.random.default_rng(7)

    def normal(*shape):
        return rng.normal(size=shape).astype(np.float32)

    p = {
        "enc": normal(6, 5),
        "enc_b": normal(5),
        "mean": normal(5, 3),
        "var": normal(5, 3),
        "dec": normal(3, 5),
        "dec_b": normal(5),
        "out": normal(5, 6),
    }
    for n in (5, 4):
        yield p, (rng.random((n, 6)) > 0.5).astype(np.float32), normal(n, 3)
