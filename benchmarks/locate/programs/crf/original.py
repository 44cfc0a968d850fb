"""Compute a linear-chain CRF's likelihood over sequences of different lengths, and decode tags."""

import numpy as np
import tensorflow as tf


def run(unary, lengths, transitions, tags):
    steps = tf.shape(unary)[1]
    mask = tf.sequence_mask(lengths, steps, unary.dtype)

    def forward(t, alpha, best):
        scores = alpha[:, :, None] + transitions[None]
        new = tf.reduce_logsumexp(scores, 1) + unary[:, t]
        path = tf.reduce_max(best[:, :, None] + transitions[None], 1) + unary[:, t]
        live = (t < lengths)[:, None]
        return t + 1, tf.where(live, new, alpha), tf.where(live, path, best)

    start = [1, unary[:, 0], unary[:, 0]]
    _, alpha, best = tf.while_loop(lambda t, *_: t < steps, forward, start)
    emitted = tf.reduce_sum(tf.gather(unary, tags, batch_dims=2) * mask, 1)
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], -1)
    moved = tf.reduce_sum(tf.gather_nd(transitions, pairs) * mask[:, 1:], 1)
    partition = tf.reduce_logsumexp(alpha, 1)
    loss = partition - emitted - moved
    margin = tf.reduce_max(best, 1) - emitted - moved
    return {"loss": loss, "margin": margin, "mean": tf.reduce_mean(loss / tf.reduce_sum(mask, 1))}


def cases():
    rng = np.random.default_rng(11)
    for n, t in ((3, 5), (2, 4)):
        unary = rng.normal(size=(n, t, 3)).astype(np.float32)
        lengths = np.array([t, 2, 3][:n], np.int32)
        transitions = rng.normal(size=(3, 3)).astype(np.float32)
        yield unary, lengths, transitions, rng.integers(0, 3, (n, t)).astype(np.int32)
