"""Boxes, points and hard examples: TensorFlow code written once, as a function of `tf`."""

from __future__ import annotations

import numpy as np

from tests.tracing.programs.row import Ported, mask


def masked_loss(tf, pred, target, keep):
    err = tf.boolean_mask(pred, keep) - tf.boolean_mask(target, keep)
    return tf.reduce_mean(tf.square(err)), tf.math.reduce_std(err), tf.size(err)


def masked_loss_inputs(rng, n, kind):
    return normals(rng, n), normals(rng, n), mask(n, kind)


def per_class_nms(tf, boxes, logits):
    probs = tf.sigmoid(logits)
    keep_b, keep_s, keep_c = [], [], []
    for c in range(3):
        idx = tf.where(probs[:, c] > 0.5)[:, 0]
        b, s = tf.gather(boxes, idx), tf.gather(probs[:, c], idx)
        sel = tf.image.non_max_suppression(b, s, 5, iou_threshold=0.5)
        keep_b.append(tf.gather(b, sel))
        keep_s.append(tf.gather(s, sel))
        keep_c.append(tf.fill(tf.shape(sel), c))
    s = tf.concat(keep_s, 0)
    top = tf.math.top_k(s, tf.minimum(4, tf.size(s))).indices
    return (
        tf.gather(tf.concat(keep_b, 0), top),
        tf.gather(s, top),
        tf.gather(tf.concat(keep_c, 0), top),
    )


def per_class_nms_inputs(rng, n, kind):
    logits = np.abs(normals(rng, n, 3)) + 0.1
    return corners(rng, n), np.where(mask(n, kind)[:, None], logits, -logits)


def match_boxes(tf, gt_padded, proposals):
    gt, keep = gt_padded, tf.cast(tf.reduce_sum(tf.abs(gt_padded), 1), tf.bool)
    gt = tf.boolean_mask(gt, keep)
    lo = tf.maximum(gt[:, None, :2], proposals[None, :, :2])
    hi = tf.minimum(gt[:, None, 2:], proposals[None, :, 2:])
    inter = tf.reduce_prod(tf.maximum(hi - lo, 0.0), -1)
    area = lambda b: (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    iou = inter / (area(gt)[:, None] + area(proposals)[None] - inter)
    best = tf.reduce_max(iou, 0)
    pos = tf.where(best >= 0.3)[:, 0]
    matched = tf.gather(gt, tf.gather(tf.argmax(iou, 0), pos))
    return tf.gather(proposals, pos) - matched, tf.size(pos)


def match_boxes_inputs(rng, n, kind):
    truth = corners(rng, n)
    moved = truth + rng.uniform(0, 0.1, truth.shape).astype(np.float32)
    return np.where(mask(n, kind)[:, None], truth, np.float32(0)), moved


def focal_ignore(tf, logits, labels, alpha=0.25, gamma=2.0):
    idx = tf.where(tf.not_equal(labels, -1))
    z = tf.gather_nd(logits, idx)
    t = tf.one_hot(tf.gather_nd(labels, idx) - 1, 3)
    ce = tf.nn.sigmoid_cross_entropy_with_logits(t, z)
    p = tf.sigmoid(z)
    pt = t * p + (1 - t) * (1 - p)
    n = tf.maximum(1.0, tf.cast(tf.shape(tf.where(labels > 0))[0], tf.float32))
    return tf.reduce_sum((t * alpha + (1 - t) * (1 - alpha)) * (1 - pt) ** gamma * ce) / n


def focal_ignore_inputs(rng, n, kind):
    labels = rng.integers(0, 4, n).astype(np.int32)
    return normals(rng, n, 3), np.where(mask(n, kind), labels, np.int32(-1))


def hard_negative_mining(tf, loss, y):
    n_pos = tf.reduce_sum(tf.cast(y > 0, tf.int32))
    neg = tf.boolean_mask(loss, y == 0)
    k = tf.minimum(3 * n_pos, tf.size(neg))
    positive = tf.reduce_sum(tf.boolean_mask(loss, y > 0))
    hardest = tf.reduce_sum(tf.math.top_k(neg, k).values)
    return (positive + hardest) / tf.cast(tf.maximum(n_pos, 1), tf.float32)


def hard_negative_mining_inputs(rng, n, kind):
    return np.abs(normals(rng, n)), mask(n, kind).astype(np.int32)


def without_negatives(tf, loss, y):
    return hard_negative_mining(tf, loss, y)


def batch_hard_triplet(tf, emb, y, margin=0.5):
    d2 = tf.reduce_sum((emb[:, None] - emb[None]) ** 2, -1)
    d = tf.where(d2 > 0, tf.sqrt(d2), 0.0)
    same = y[:, None] == y[None]
    pos = same & ~tf.eye(tf.size(y), dtype=tf.bool)
    hp = tf.reduce_max(tf.where(pos, d, 0.0), 1)
    hn = tf.reduce_min(d + tf.reduce_max(d, 1, keepdims=True) * tf.cast(same, tf.float32), 1)
    tl = tf.maximum(hp - hn + margin, 0.0)
    return tf.reduce_mean(tl), tf.reduce_mean(tf.boolean_mask(tl, tl > 1e-16))


def batch_hard_triplet_inputs(rng, n, kind):
    return normals(rng, n, 3), mask(n, kind).astype(np.int32)


def voxelize(tf, xyz, feat, size=1.0):
    c = tf.cast(tf.floor(xyz / size), tf.int32)
    c -= tf.reduce_min(c, 0)
    key = (c[:, 0] * 64 + c[:, 1]) * 64 + c[:, 2]
    u, inv = tf.unique(key)
    n = tf.size(u)
    mean = tf.math.unsorted_segment_mean(feat, inv, n)
    return mean, tf.math.unsorted_segment_sum(tf.ones_like(key), inv, n), n


def voxelize_inputs(rng, n, kind):
    return normals(rng, n, 3) * (2.0 if kind == "full" else 0.6), normals(rng, n, 2)


def quantile_trim(tf, x, w):
    k = tf.cast(tf.cast(tf.size(x), tf.float32) * 0.2, tf.int32)
    i = tf.argsort(x)[k : tf.size(x) - k]
    return tf.reduce_sum(tf.gather(x * w, i)) / tf.reduce_sum(tf.gather(w, i))


def quantile_trim_inputs(rng, n, kind):
    return normals(rng, n), np.abs(normals(rng, n)) + 0.1


def split_batch(tf, x, n_labeled):
    lab, unl = x[:n_labeled], x[n_labeled:]
    supervised = tf.reduce_mean(lab**2)
    return supervised + 0.1 * tf.reduce_mean(tf.math.log(1.0 + unl**2)), tf.shape(unl)[0]


def split_batch_inputs(rng, n, kind):
    return normals(rng, n, 2), np.int32(mask(n, kind).sum())


def normals(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


def corners(rng, n):
    low = rng.uniform(0, 0.6, (n, 2))
    return np.concatenate([low, low + rng.uniform(0.2, 0.5, (n, 2))], 1).astype(np.float32)


_SOME_NEGATIVE = ("some", "others", "one", "zero")

PROGRAMS = (
    Ported(masked_loss, masked_loss_inputs),
    Ported(per_class_nms, per_class_nms_inputs),
    # TensorFlow's argmax raises where no box is left: test_traps.py has that case.
    Ported(match_boxes, match_boxes_inputs, kinds=("full", "some", "one"), sizes=(6, 2, 9)),
    Ported(focal_ignore, focal_ignore_inputs),
    # TensorFlow's gradient of top_k fails on an empty operand: values only where all are positive.
    Ported(
        hard_negative_mining, hard_negative_mining_inputs, kinds=_SOME_NEGATIVE, sizes=(6, 4, 9)
    ),
    Ported(without_negatives, hard_negative_mining_inputs, kinds=("full",), gradient=False),
    Ported(batch_hard_triplet, batch_hard_triplet_inputs),
    Ported(voxelize, voxelize_inputs, kinds=("full", "some")),
    Ported(quantile_trim, quantile_trim_inputs, kinds=("full", "some")),
    Ported(split_batch, split_batch_inputs),
)
