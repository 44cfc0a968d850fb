"""Run a transformer encoder over padded sequences, with a pooled head."""

import numpy as np
import tensorflow as tf

HEADS = 2
WIDTH = 8


def positions(length, dtype):
    steps = tf.cast(tf.range(length), dtype)[:, None]
    rates = tf.exp(tf.cast(tf.range(0, WIDTH, 2), dtype) * (-np.log(10000.0) / WIDTH))
    angles = steps * rates[None]
    return tf.reshape(tf.stack([tf.sin(angles), tf.cos(angles)], -1), [length, WIDTH])


def norm(p, name, x):
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, p[name + "/b"], p[name + "/g"], 1e-6)


def split_heads(x):
    shape = tf.shape(x)
    x = tf.reshape(x, [shape[0], shape[1], HEADS, WIDTH // HEADS])
    return tf.transpose(x, [0, 2, 1, 3])


def attend(p, layer, x, mask):
    q = split_heads(tf.einsum("btd,de->bte", x, p[layer + "/q"]))
    k = split_heads(tf.einsum("btd,de->bte", x, p[layer + "/k"]))
    v = split_heads(tf.einsum("btd,de->bte", x, p[layer + "/v"]))
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(WIDTH // HEADS, x.dtype))
    scores = tf.where(mask[:, None, None, :], scores, tf.constant(-1e9, x.dtype))
    weights = tf.nn.softmax(scores)
    out = tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3])
    out = tf.reshape(out, tf.shape(x))
    return tf.einsum("btd,de->bte", out, p[layer + "/o"])


def feed_forward(p, layer, x):
    h = tf.nn.gelu(tf.einsum("btd,df->btf", x, p[layer + "/up"]), approximate=True)
    return tf.einsum("btf,fd->btd", h, p[layer + "/down"])


def run(p, ids, lengths):
    mask = tf.sequence_mask(lengths, tf.shape(ids)[1])
    x = tf.gather(p["table"], ids) * tf.sqrt(tf.cast(WIDTH, p["table"].dtype))
    x = x + positions(tf.shape(ids)[1], x.dtype)[None]
    for layer in ("layer0", "layer1"):
        x = x + attend(p, layer, norm(p, layer + "/norm1", x), mask)
        x = x + feed_forward(p, layer, norm(p, layer + "/norm2", x))
    x = norm(p, "final", x)
    weights = tf.cast(mask, x.dtype)[:, :, None]
    pooled = tf.math.divide_no_nan(tf.reduce_sum(x * weights, 1), tf.reduce_sum(weights, 1))
    first = tf.tanh(tf.matmul(x[:, 0], p["pool"]))
    return {"pooled": pooled, "logits": tf.matmul(first, p["head"]), "hidden": x * weights}


def cases():
    rng = np.random.default_rng(3)

    def normal(*shape):
        return (0.5 * rng.normal(size=shape)).astype(np.float32)

    p = {"table": normal(11, 8), "pool": normal(8, 8), "head": normal(8, 3)}
    for layer in ("layer0", "layer1"):
        p |= {f"{layer}/{name}": normal(8, 8) for name in ("q", "k", "v", "o")}
        p |= {f"{layer}/up": normal(8, 12), f"{layer}/down": normal(12, 8)}
        for name in ("norm1", "norm2"):
            p |= {f"{layer}/{name}/g": 1 + normal(8), f"{layer}/{name}/b": normal(8)}
    p |= {"final/g": 1 + normal(8), "final/b": normal(8)}
    for n, t in ((3, 5), (2, 4)):
        lengths = np.array([t, 2, 3][:n], np.int32)
        yield p, rng.integers(0, 11, (n, t)).astype(np.int32), lengths
