"""Graphs, experts, mixtures and sparse tables: TensorFlow code as functions of `tf`."""

from __future__ import annotations

import numpy as np

from tests.tracing.programs.row import Ported, mask
from tests.tracing.programs.sketches.detection import normals


def graph_net(tf, nodes, senders, receivers, n_node, w):
    msg = tf.nn.relu(tf.gather(nodes, senders) @ w)
    count = tf.shape(nodes)[0]
    agg = tf.math.unsorted_segment_mean(msg, receivers, count)
    att = tf.reduce_sum(tf.gather(nodes, receivers) * msg, -1)
    mx = tf.gather(tf.math.unsorted_segment_max(att, receivers, count), receivers)
    e = tf.exp(att - mx)
    a = e / tf.gather(tf.math.unsorted_segment_sum(e, receivers, count), receivers)
    gid = tf.repeat(tf.range(tf.size(n_node)), n_node)
    return tf.math.segment_sum(agg, gid), a


def graph_net_inputs(rng, n, kind):
    senders = rng.integers(0, n, 2 * n).astype(np.int32)
    receivers = rng.integers(0, n, 2 * n).astype(np.int32)
    first = int(mask(n, kind).sum())
    n_node = np.array([first, n - first], np.int32)
    return normals(rng, n, 3), senders, receivers, n_node, normals(rng, 3, 3)


def moe(tf, x, gate, experts):
    g = tf.nn.softmax(x @ gate)
    e = tf.argmax(g, 1, output_type=tf.int32)
    pos = tf.range(tf.shape(x)[0])
    parts, idx = tf.dynamic_partition(x, e, 3), tf.dynamic_partition(pos, e, 3)
    y = tf.dynamic_stitch(idx, [p @ experts[i] for i, p in enumerate(parts)])
    return y * tf.reduce_max(g, 1, keepdims=True), tf.stack([tf.shape(p)[0] for p in parts])


def moe_inputs(rng, n, kind):
    x = np.abs(normals(rng, n, 4)) + 0.1
    gate = {"full": -1.0, "zero": 1.0}.get(kind, 0.0) * np.eye(4, 3, dtype=np.float32)
    gate = gate + (normals(rng, 4, 3) if kind not in ("full", "zero") else 0)
    return x, gate.astype(np.float32), normals(rng, 3, 4, 2)


def mixture_by_component(tf, eps, comp, mu, sigma):
    order = tf.argsort(comp, stable=True)
    counts = tf.math.bincount(comp, minlength=3, maxlength=3)
    ids = tf.repeat(tf.range(3), counts)
    draws = tf.gather(mu, ids) + tf.gather(sigma, ids) * tf.gather(eps, order)
    return tf.scatter_nd(order[:, None], draws, tf.shape(eps)), tf.split(draws, counts, num=3)[0]


def mixture_by_component_inputs(rng, n, kind):
    comp = np.where(mask(n, kind), rng.integers(0, 3, n), 1).astype(np.int32)
    return normals(rng, n), comp, normals(rng, 3), np.abs(normals(rng, 3))


def sparse_embedding(tf, table, row, ids, w):
    e = tf.gather(table, ids) * w[:, None]
    n = tf.reduce_max(row) + 1
    sums = tf.math.unsorted_segment_sum(e, row, n)
    return tf.math.divide_no_nan(sums, tf.math.unsorted_segment_sum(w, row, n)[:, None])


def sparse_embedding_inputs(rng, n, kind):
    row = np.sort(rng.integers(0, 1 + mask(n, kind).sum(), n)).astype(np.int32)
    ids = rng.integers(0, 5, n).astype(np.int32)
    return normals(rng, 5, 3), row, ids, np.abs(normals(rng, n)) + 0.1


def cond_of_two_lengths(tf, x, flag):
    kept = tf.cond(flag, lambda: tf.boolean_mask(x, x > 0), lambda: x[:2])
    return tf.reduce_sum(kept**2), tf.size(kept), kept


def cond_of_two_lengths_inputs(rng, n, kind):
    return normals(rng, n), np.bool_(kind in ("full", "one"))


def gradient_penalty_rows(tf, x, keep):
    y = tf.boolean_mask(x, keep)
    norm = tf.sqrt(tf.reduce_sum(y**2, 1) + 1e-6)
    return tf.reduce_mean((norm - 1.0) ** 2), tf.reduce_max(norm, 0)


def gradient_penalty_rows_inputs(rng, n, kind):
    return normals(rng, n, 3), mask(n, kind)


def assign_where(tf, x, keep, values):
    return tf.tensor_scatter_nd_update(x, tf.where(keep), tf.boolean_mask(values, keep))


def assign_where_inputs(rng, n, kind):
    return normals(rng, n), mask(n, kind), normals(rng, n)


def early_return(tf, x, keep):
    kept = tf.boolean_mask(x, keep)
    if tf.size(kept) == 0:
        return tf.constant(0.0)
    return tf.reduce_mean(kept) / tf.reduce_max(tf.abs(kept))


def early_return_inputs(rng, n, kind):
    return normals(rng, n), mask(n, kind)


def stacked_loop(tf, x):
    total = tf.zeros([2])
    for t in tf.range(tf.shape(x)[0]):
        total = 0.5 * total + x[t]
    return total


def stacked_loop_inputs(rng, n, kind):
    return (normals(rng, n, 2),)


PROGRAMS = (
    Ported(graph_net, graph_net_inputs, unbounded=True),
    Ported(moe, moe_inputs),
    Ported(mixture_by_component, mixture_by_component_inputs, unbounded=True),
    Ported(sparse_embedding, sparse_embedding_inputs, unbounded=True),
    Ported(cond_of_two_lengths, cond_of_two_lengths_inputs, sizes=(6, 9, 2)),
    Ported(gradient_penalty_rows, gradient_penalty_rows_inputs),
    Ported(assign_where, assign_where_inputs),
    Ported(early_return, early_return_inputs, control_flow=True),
    Ported(stacked_loop, stacked_loop_inputs, kinds=("full",), control_flow=True),
)
