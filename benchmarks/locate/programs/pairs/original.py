"""Train on images and captions: two towers, a shared space, a caption decoder, three losses.

The largest of the programs: convolutions with running statistics, a transformer over words, a gated
recurrent decoder with attention that feeds its own guesses back, and one step of a moving average.
"""

import numpy as np
import tensorflow as tf

WIDTH = 8
HEADS = 2
GROUPS = 2
WORDS = 11
LENGTH = 5
TEMPERATURE = 0.2
END = 1


# Images


def batch_norm(p, name, x, training):
    if training:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
    else:
        mean, variance = p[name + "/mean"], p[name + "/variance"]
    return tf.nn.batch_normalization(x, mean, variance, p[name + "/b"], p[name + "/g"], 1e-3)


def group_norm(p, name, x):
    shape = tf.shape(x)
    grouped = tf.reshape(x, [shape[0], -1, GROUPS, WIDTH // GROUPS])
    mean, variance = tf.nn.moments(grouped, [1, 3], keepdims=True)
    grouped = (grouped - mean) * tf.math.rsqrt(variance + 1e-5)
    return tf.reshape(grouped, shape) * p[name + "/g"] + p[name + "/b"]


def squeeze_excite(p, name, x):
    pooled = tf.reduce_mean(x, [1, 2], keepdims=True)
    gate = tf.nn.relu(tf.tensordot(pooled, p[name + "/down"], 1))
    gate = tf.sigmoid(tf.tensordot(gate, p[name + "/up"], 1))
    return x * gate


def residual_block(p, name, x, stride):
    h = tf.nn.silu(group_norm(p, name + "/norm", x))
    h = tf.nn.conv2d(h, p[name + "/conv1"], stride, "SAME")
    h = tf.nn.silu(h)
    h = tf.nn.conv2d(h, p[name + "/conv2"], 1, "SAME")
    h = squeeze_excite(p, name + "/gate", h)
    if stride > 1:
        x = tf.nn.avg_pool2d(x, stride, stride, "SAME")
    return x + h


def image_tower(p, images):
    mean = tf.constant([0.48, 0.45], images.dtype)
    deviation = tf.constant([0.27, 0.26], images.dtype)
    x = (images - mean) / deviation
    x = tf.nn.conv2d(x, p["stem"], 2, "SAME")
    x = tf.nn.relu(batch_norm(p, "stem/bn", x, training=False))
    x = residual_block(p, "block1", x, 1)
    x = residual_block(p, "block2", x, 2)
    x = tf.nn.leaky_relu(x, 0.1)
    shape = tf.shape(x)
    patches = tf.reshape(x, [shape[0], shape[1] * shape[2], WIDTH])
    pooled = tf.reduce_mean(patches, 1)
    return patches, tf.matmul(pooled, p["image/out"])


# Words


def layer_norm(p, name, x):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, p[name + "/b"], p[name + "/g"], 1e-6)


def heads_of(x):
    shape = tf.shape(x)
    x = tf.reshape(x, [shape[0], shape[1], HEADS, WIDTH // HEADS])
    return tf.transpose(x, [0, 2, 1, 3])


def attention(p, name, x, context, mask):
    q = heads_of(tf.tensordot(x, p[name + "/q"], 1))
    k = heads_of(tf.tensordot(context, p[name + "/k"], 1))
    v = heads_of(tf.tensordot(context, p[name + "/v"], 1))
    scores = tf.matmul(q, k, transpose_b=True) * (WIDTH // HEADS) ** -0.5
    scores += (1.0 - mask) * -1e9
    weights = tf.nn.softmax(scores)
    mixed = tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3])
    mixed = tf.reshape(mixed, tf.shape(x))
    return tf.tensordot(mixed, p[name + "/o"], 1)


def gated_unit(p, name, x):
    up = tf.tensordot(x, p[name + "/up"], 1)
    gate, value = tf.split(up, 2, -1)
    return tf.tensordot(tf.nn.gelu(gate) * value, p[name + "/down"], 1)


def word_tower(p, words, lengths):
    x = tf.gather(p["table"], words) + p["places"][: tf.shape(words)[1]]
    mask = tf.sequence_mask(lengths, tf.shape(words)[1], x.dtype)
    causal = tf.linalg.band_part(tf.ones([tf.shape(words)[1]] * 2, x.dtype), -1, 0)
    both = mask[:, None, None, :] * causal[None, None]
    for name in ("words1", "words2"):
        x = x + attention(p, name, layer_norm(p, name + "/norm1", x), x, both)
        x = x + gated_unit(p, name, layer_norm(p, name + "/norm2", x))
    x = layer_norm(p, "words/norm", x)
    last = tf.gather(x, lengths - 1, batch_dims=1)
    return x, tf.matmul(last, p["words/out"])


# The shared space


def contrastive(image, word):
    image = tf.math.l2_normalize(image, 1)
    word = tf.math.l2_normalize(word, 1)
    logits = tf.matmul(image, word, transpose_b=True) / TEMPERATURE
    labels = tf.range(tf.shape(logits)[0])
    rows = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    columns = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=tf.transpose(logits)
    )
    return tf.reduce_mean(rows + columns) / 2.0, logits


# The decoder


def gru(p, x, h):
    gates = tf.matmul(x, p["gru/x"]) + p["gru/bx"]
    inner = tf.matmul(h, p["gru/h"]) + p["gru/bh"]
    xz, xr, xn = tf.split(gates, 3, 1)
    hz, hr, hn = tf.split(inner, 3, 1)
    z = tf.sigmoid(xz + hz)
    r = tf.sigmoid(xr + hr)
    new = tf.tanh(xn + r * hn)
    return z * h + (1.0 - z) * new


def look_at(p, h, patches):
    keys = tf.tensordot(patches, p["look/k"], 1)
    energy = tf.tanh(keys + tf.matmul(h, p["look/q"])[:, None])
    scores = tf.reduce_sum(energy * p["look/v"], -1)
    weights = tf.nn.softmax(scores, -1)
    return tf.reduce_sum(weights[:, :, None] * patches, 1), weights


def decode(p, patches, start):
    h = tf.tanh(tf.matmul(start, p["decode/start"]))
    word = tf.fill([tf.shape(h)[0]], 0)
    done = tf.zeros([tf.shape(h)[0]], tf.bool)
    logits, looks = [], []
    for _ in range(LENGTH):
        seen, weights = look_at(p, h, patches)
        x = tf.concat([tf.gather(p["table"], word), seen], 1)
        h = gru(p, x, h)
        out = tf.matmul(h, p["decode/out"]) + p["decode/b"]
        logits.append(out)
        looks.append(weights)
        word = tf.where(done, END, tf.argmax(out, 1, output_type=tf.int32))
        done = tf.logical_or(done, tf.equal(word, END))
    return tf.stack(logits, 1), tf.stack(looks, 1), h


def caption_loss(logits, words, lengths):
    words = words[:, :LENGTH]
    target = tf.one_hot(words, WORDS, dtype=logits.dtype) * 0.9 + 0.1 / WORDS
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=logits)
    mask = tf.sequence_mask(lengths, LENGTH, logits.dtype)
    return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)


def coverage(looks):
    so_far = tf.cumsum(looks, 1, exclusive=True)
    return tf.reduce_mean(tf.reduce_sum(tf.minimum(looks, so_far), [1, 2]))


# All of it


def averages(p, image):
    mean, variance = tf.nn.moments(image, [0])
    new_mean = p["average/mean"] * 0.99 + mean * 0.01
    count = tf.cast(tf.shape(image)[0], image.dtype)
    new_variance = p["average/variance"] * 0.99 + variance * count / (count - 1.0) * 0.01
    return new_mean, new_variance


def run(p, images, words, lengths):
    patches, image = image_tower(p, images)
    hidden, word = word_tower(p, words, lengths)
    alike, similarities = contrastive(image, word)
    logits, looks, last = decode(p, patches, image)
    captions = caption_loss(logits, words, lengths)
    covered = coverage(looks)
    mean, variance = averages(p, image)
    ranks = tf.reduce_sum(
        tf.cast(similarities > tf.linalg.diag_part(similarities)[:, None], tf.int32), 1
    )
    return {
        "loss": alike + 0.5 * captions + 0.1 * covered,
        "hidden": hidden,
        "similarities": similarities,
        "last": last,
        "ranks": ranks,
        "mean": mean,
        "variance": variance,
    }


def cases():
    rng = np.random.default_rng(12)

    def normal(*shape):
        return (0.5 * rng.normal(size=shape)).astype(np.float32)

    def norm(name, width=WIDTH):
        return {name + "/g": 1.0 + normal(width), name + "/b": normal(width)}

    p = {"stem": normal(3, 3, 2, WIDTH), **norm("stem/bn"), "stem/bn/mean": normal(WIDTH)}
    p["stem/bn/variance"] = np.abs(normal(WIDTH)) + np.float32(0.5)
    for name in ("block1", "block2"):
        p |= norm(name + "/norm")
        p |= {name + "/conv1": normal(3, 3, WIDTH, WIDTH)}
        p |= {name + "/conv2": normal(3, 3, WIDTH, WIDTH)}
        p |= {name + "/gate/down": normal(WIDTH, 4), name + "/gate/up": normal(4, WIDTH)}
    for name in ("words1", "words2"):
        p |= norm(name + "/norm1") | norm(name + "/norm2")
        p |= {f"{name}/{part}": normal(WIDTH, WIDTH) for part in "qkvo"}
        p |= {name + "/up": normal(WIDTH, 12), name + "/down": normal(6, WIDTH)}
    p |= norm("words/norm")
    p |= {"table": normal(WORDS, WIDTH), "places": normal(9, WIDTH)}
    p |= {"image/out": normal(WIDTH, WIDTH), "words/out": normal(WIDTH, WIDTH)}
    p |= {"gru/x": normal(2 * WIDTH, 3 * WIDTH), "gru/h": normal(WIDTH, 3 * WIDTH)}
    p |= {"gru/bx": normal(3 * WIDTH), "gru/bh": normal(3 * WIDTH)}
    p |= {"look/k": normal(WIDTH, 6), "look/q": normal(WIDTH, 6), "look/v": normal(6)}
    p |= {"decode/start": normal(WIDTH, WIDTH), "decode/out": normal(WIDTH, WORDS)}
    p |= {"decode/b": normal(WORDS)}
    p |= {"average/mean": normal(WIDTH), "average/variance": np.abs(normal(WIDTH))}
    for n, length in ((3, 7), (2, 6)):
        images = rng.random((n, 9, 9, 2)).astype(np.float32)
        words = rng.integers(0, WORDS, (n, length)).astype(np.int32)
        yield p, images, words, rng.integers(2, length + 1, n).astype(np.int32)
