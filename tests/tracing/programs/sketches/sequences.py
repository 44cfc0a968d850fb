"""Sequences, policies and beams: TensorFlow code written once, as a function of `tf`."""

from __future__ import annotations

import numpy as np

from tests.tracing.programs.row import Ported, mask
from tests.tracing.programs.sketches.detection import normals


def crf_nll(tf, unary, lengths, trans, tags):
    alpha = unary[:, 0]
    for_t = tf.shape(unary)[1]

    def step(t, a):
        new = tf.reduce_logsumexp(a[:, :, None] + trans[None], 1) + unary[:, t]
        return t + 1, tf.where((t < lengths)[:, None], new, a)

    _, alpha = tf.while_loop(lambda t, a: t < for_t, step, [1, alpha])
    m = tf.sequence_mask(lengths, for_t, tf.float32)
    em = tf.reduce_sum(tf.gather(unary, tags, batch_dims=2) * m, 1)
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], -1)
    tr = tf.reduce_sum(tf.gather_nd(trans, pairs) * m[:, 1:], 1)
    return tf.reduce_logsumexp(alpha, 1) - em - tr


def crf_nll_inputs(rng, n, kind):
    tags = rng.integers(0, 3, (n, 4)).astype(np.int32)
    return normals(rng, n, 4, 3), lengths(rng, n, kind, 4), normals(rng, 3, 3), tags


def growing_decode(tf, logits, bos, max_len):
    def cond(y):
        return (tf.size(y) < max_len) & (y[-1] != 4)

    def body(y):
        following = tf.argmax(logits[y[-1]], output_type=tf.int32)
        return [tf.concat([y, following[None]], 0)]

    return tf.while_loop(cond, body, [bos[None]], shape_invariants=[tf.TensorShape([None])])[0]


def growing_decode_inputs(rng, n, kind):
    return normals(rng, 5, 5), np.int32(rng.integers(0, 4)), np.int32(n)


def padded_attention(tf, q, k, v, sizes):
    m = tf.sequence_mask(sizes, tf.shape(k)[1])[:, None]
    s = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    return tf.matmul(tf.nn.softmax(tf.where(m, s, tf.float32.min)), v)


def padded_attention_inputs(rng, n, kind):
    q, k, v = normals(rng, 2, 3, 4), normals(rng, 2, n, 4), normals(rng, 2, n, 3)
    return q, k, v, lengths(rng, 2, kind, n)


def masked_lm(tf, seq, pos, weights, table, ids):
    batch, steps, width = tf.unstack(tf.shape(seq))
    flat_pos = tf.reshape(tf.range(batch)[:, None] * steps + pos, [-1])
    flat = tf.gather(tf.reshape(seq, [-1, width]), flat_pos)
    lp = tf.nn.log_softmax(flat @ table)
    picked = lp * tf.one_hot(tf.reshape(ids, [-1]), tf.shape(table)[1])
    nll = -tf.reduce_sum(picked, -1)
    w = tf.reshape(weights, [-1])
    return tf.reduce_sum(w * nll) / (tf.reduce_sum(w) + 1e-5)


def masked_lm_inputs(rng, n, kind):
    pos = rng.integers(0, 5, (n, 2)).astype(np.int32)
    weights = np.repeat(mask(n, kind)[:, None], 2, 1).astype(np.float32)
    ids = rng.integers(0, 7, (n, 2)).astype(np.int32)
    return normals(rng, n, 5, 4), pos, weights, normals(rng, 4, 7), ids


def policy_gradient(tf, logp, act, reward, length):
    m = tf.sequence_mask(length, tf.shape(reward)[1], tf.float32)
    ret = tf.cumsum(reward * m, 1, reverse=True)
    live = tf.boolean_mask(ret, m > 0)
    adv = (ret - tf.reduce_mean(live)) / (tf.math.reduce_std(live) + 1e-8)
    weighted = tf.reduce_sum(logp * tf.stop_gradient(adv) * m)
    return -tf.math.divide_no_nan(weighted, tf.reduce_sum(m))


def policy_gradient_inputs(rng, n, kind):
    return normals(rng, n, 4), normals(rng, n, 4), normals(rng, n, 4), lengths(rng, n, kind, 4)


def replay_sample(tf, priority, filled, batch):
    p = priority[:filled] ** 0.6
    cdf = tf.cumsum(p / tf.reduce_sum(p))
    u = (tf.cast(tf.range(batch), tf.float32) + 0.5) / tf.cast(batch, tf.float32)
    i = tf.minimum(tf.searchsorted(cdf, u), filled - 1)
    w = (tf.cast(filled, tf.float32) * tf.gather(p, i) / tf.reduce_sum(p)) ** -0.4
    return i, w / tf.reduce_max(w)


def replay_sample_inputs(rng, n, kind):
    filled = max(1, int(mask(n, kind).sum()))
    return np.abs(normals(rng, n)) + 0.1, np.int32(filled), np.int32(3 + filled % 2)


def ranking_topk(tf, scores, relevance):
    n_rel = tf.reduce_sum(relevance, 1)
    k = tf.reduce_max(n_rel)
    idx = tf.math.top_k(scores, k).indices
    hit = tf.gather(relevance, idx, batch_dims=1)
    hit *= tf.cast(tf.range(k)[None] < n_rel[:, None], tf.int32)
    hits = tf.cast(tf.reduce_sum(hit, 1), tf.float32)
    return tf.math.divide_no_nan(hits, tf.cast(n_rel, tf.float32))


def ranking_topk_inputs(rng, n, kind):
    relevance = rng.integers(0, 2, (n, 5)) * mask(n, kind)[:, None]
    return normals(rng, n, 5), relevance.astype(np.int32)


def beam_step(tf, logp, k):
    flat = tf.reshape(logp, [-1])
    v, i = tf.math.top_k(flat, tf.minimum(k, tf.size(flat)))
    width = tf.shape(logp)[1]
    parent, tok = i // width, i % width
    alive = tf.where(tok != 0)[:, 0]
    return tf.gather(v, alive), tf.gather(parent, alive), tf.reduce_logsumexp(v)


def beam_step_inputs(rng, n, kind):
    return normals(rng, n, 3), np.int32(1 + mask(n, kind).sum())


def word_count_pool(tf, ids, emb):
    keep = ids > 0
    flat = tf.boolean_mask(tf.gather(emb, ids), keep)
    row = tf.cast(tf.where(keep)[:, 0], tf.int32)
    return tf.math.segment_mean(flat, row), tf.math.segment_max(flat, row)


def word_count_pool_inputs(rng, n, kind):
    ids = rng.integers(0, 6, (n, 3)) * mask(n, kind)[:, None]
    return ids.astype(np.int32), normals(rng, 6, 4)


def lengths(rng, n, kind, steps):
    """Row lengths: all full, random, or all zero where nothing is selected."""
    if kind == "full":
        return np.full(n, steps, np.int32)
    return (rng.integers(0, steps + 1, n) * mask(n, kind)).astype(np.int32)


PROGRAMS = (
    Ported(crf_nll, crf_nll_inputs),
    Ported(
        growing_decode,
        growing_decode_inputs,
        kinds=("full", "some"),
        unbounded=True,
        sizes=(6, 1, 3),
    ),
    Ported(padded_attention, padded_attention_inputs),
    Ported(masked_lm, masked_lm_inputs),
    Ported(policy_gradient, policy_gradient_inputs, tolerance=1e-4),
    Ported(replay_sample, replay_sample_inputs, kinds=("full", "some"), unbounded=True),
    Ported(ranking_topk, ranking_topk_inputs, unbounded=True),
    Ported(beam_step, beam_step_inputs),
    Ported(word_count_pool, word_count_pool_inputs),
)
