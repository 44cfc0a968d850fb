"""Train on images and captions: two towers, a shared space, a caption decoder, three losses."""

import jax
import jax.numpy as jnp

WIDTH = 8
HEADS = 2
GROUPS = 2
WORDS = 11
LENGTH = 5
TEMPERATURE = 0.2
END = 1
LAYOUT = ("NHWC", "HWIO", "NHWC")


# Images


def conv(x, kernel, stride):
    return jax.lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=LAYOUT
    )


def average_pool(x, size):
    window, strides = (1, size, size, 1), (1, size, size, 1)
    total = jax.lax.reduce_window(x, 0.0, jax.lax.add, window, strides, "SAME")
    ones = jnp.ones_like(x)
    return total / jax.lax.reduce_window(ones, 0.0, jax.lax.add, window, strides, "SAME")


def batch_norm(p, name, x):
    mean, variance = p[name + "/mean"], p[name + "/variance"]
    return (x - mean) / jnp.sqrt(variance + 1e-3) * p[name + "/g"] + p[name + "/b"]


def group_norm(p, name, x):
    grouped = x.reshape(x.shape[0], -1, GROUPS, WIDTH // GROUPS)
    mean = grouped.mean(axis=(1, 3), keepdims=True)
    variance = grouped.var(axis=(1, 3), keepdims=True)
    grouped = (grouped - mean) * jax.lax.rsqrt(variance + 1e-5)
    return grouped.reshape(x.shape) * p[name + "/g"] + p[name + "/b"]


def squeeze_excite(p, name, x):
    pooled = jnp.mean(x, axis=(1, 2), keepdims=True)
    gate = jax.nn.relu(pooled @ p[name + "/down"])
    gate = jax.nn.sigmoid(gate @ p[name + "/up"])
    return x * gate


def residual_block(p, name, x, stride):
    h = jax.nn.silu(group_norm(p, name + "/norm", x))
    h = conv(h, p[name + "/conv1"], stride)
    h = jax.nn.silu(h)
    h = conv(h, p[name + "/conv2"], 1)
    h = squeeze_excite(p, name + "/gate", h)
    if stride > 1:
        x = average_pool(x, stride)
    return x + h


def image_tower(p, images):
    mean = jnp.array([0.48, 0.45], images.dtype)
    deviation = jnp.array([0.27, 0.26], images.dtype)
    x = (images - mean) / deviation
    x = conv(x, p["stem"], 2)
    x = jax.nn.relu(batch_norm(p, "stem/bn", x))
    x = residual_block(p, "block1", x, 1)
    x = residual_block(p, "block2", x, 2)
    x = jax.nn.leaky_relu(x, 0.1)
    patches = x.reshape(x.shape[0], -1, WIDTH)
    pooled = patches.mean(axis=1)
    return patches, pooled @ p["image/out"]


# Words


def layer_norm(p, name, x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-6) * p[name + "/g"] + p[name + "/b"]


def heads_of(x):
    x = x.reshape(x.shape[0], x.shape[1], HEADS, WIDTH // HEADS)
    return x.transpose(0, 2, 1, 3)


def attention(p, name, x, context, mask):
    q = heads_of(x @ p[name + "/q"])
    k = heads_of(context @ p[name + "/k"])
    v = heads_of(context @ p[name + "/v"])
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
    scores = scores + (1.0 - mask) * -1e9
    weights = jax.nn.softmax(scores)
    mixed = jnp.einsum("bhqk,bhkd->bqhd", weights, v).reshape(x.shape)
    return mixed @ p[name + "/o"]


def gated_unit(p, name, x):
    gate, value = jnp.split(x @ p[name + "/up"], 2, axis=-1)
    return (jax.nn.gelu(gate, approximate=False) * value) @ p[name + "/down"]


def word_tower(p, words, lengths):
    length = words.shape[1]
    x = p["table"][words] + p["places"][:length]
    mask = (jnp.arange(length)[None] < lengths[:, None]).astype(x.dtype)
    causal = jnp.tril(jnp.ones((length, length), x.dtype))
    both = mask[:, None, None, :] * causal[None, None]
    for name in ("words1", "words2"):
        x = x + attention(p, name, layer_norm(p, name + "/norm1", x), x, both)
        x = x + gated_unit(p, name, layer_norm(p, name + "/norm2", x))
    x = layer_norm(p, "words/norm", x)
    last = jnp.take_along_axis(x, (lengths - 1)[:, None, None], axis=1)[:, 0]
    return x, last @ p["words/out"]


# The shared space


def unit(x):
    return x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x**2, axis=1, keepdims=True), 1e-12))


def contrastive(image, word):
    logits = unit(image) @ unit(word).T / TEMPERATURE
    rows = -jnp.diagonal(jax.nn.log_softmax(logits, axis=1))
    columns = -jnp.diagonal(jax.nn.log_softmax(logits, axis=0))
    return jnp.mean(rows + columns) / 2.0, logits


# The decoder


def gru(p, x, h):
    gates = x @ p["gru/x"] + p["gru/bx"]
    inner = h @ p["gru/h"] + p["gru/bh"]
    xz, xr, xn = jnp.split(gates, 3, axis=1)
    hz, hr, hn = jnp.split(inner, 3, axis=1)
    z = jax.nn.sigmoid(xz + hz)
    r = jax.nn.sigmoid(xr + hr)
    new = jnp.tanh(xn + r * hn)
    return z * h + (1.0 - z) * new


def look_at(p, h, patches):
    keys = patches @ p["look/k"]
    energy = jnp.tanh(keys + (h @ p["look/q"])[:, None])
    scores = jnp.sum(energy * p["look/v"], axis=-1)
    weights = jax.nn.softmax(scores, axis=-1)
    return jnp.sum(weights[:, :, None] * patches, axis=1), weights


def decode(p, patches, start):
    h = jnp.tanh(start @ p["decode/start"])
    word = jnp.zeros(h.shape[0], jnp.int32)
    done = jnp.zeros(h.shape[0], bool)

    def step(carry, _):
        h, word, done = carry
        seen, weights = look_at(p, h, patches)
        x = jnp.concatenate([p["table"][word], seen], axis=1)
        h = gru(p, x, h)
        out = h @ p["decode/out"] + p["decode/b"]
        word = jnp.where(done, END, jnp.argmax(out, axis=1).astype(jnp.int32))
        done = done | (word == END)
        return (h, word, done), (out, weights)

    (h, _, _), (logits, looks) = jax.lax.scan(step, (h, word, done), None, LENGTH)
    return logits.swapaxes(0, 1), looks.swapaxes(0, 1), h


def caption_loss(logits, words, lengths):
    words = words[:, :LENGTH]
    target = jax.nn.one_hot(words, WORDS, dtype=logits.dtype) * 0.9 + 0.1 / WORDS
    losses = -jnp.sum(target * jax.nn.log_softmax(logits), axis=-1)
    mask = (jnp.arange(LENGTH)[None] < lengths[:, None]).astype(logits.dtype)
    return jnp.sum(losses * mask) / jnp.sum(mask)


def coverage(looks):
    so_far = jnp.cumsum(looks, axis=1) - looks
    return jnp.mean(jnp.sum(jnp.minimum(looks, so_far), axis=(1, 2)))


# All of it


def averages(p, image):
    mean = jnp.mean(image, axis=0)
    variance = jnp.var(image, axis=0, ddof=1)
    new_mean = p["average/mean"] * 0.99 + mean * 0.01
    new_variance = p["average/variance"] * 0.99 + variance * 0.01
    return new_mean, new_variance


@jax.jit
def run(p, images, words, lengths):
    patches, image = image_tower(p, images)
    hidden, word = word_tower(p, words, lengths)
    alike, similarities = contrastive(image, word)
    logits, looks, last = decode(p, patches, image)
    captions = caption_loss(logits, words, lengths)
    covered = coverage(looks)
    mean, variance = averages(p, image)
    own = jnp.diagonal(similarities)[:, None]
    ranks = jnp.sum((similarities > own).astype(jnp.int32), axis=1)
    return {
        "loss": alike + 0.5 * captions + 0.1 * covered,
        "hidden": hidden,
        "similarities": similarities,
        "last": last,
        "ranks": ranks,
        "mean": mean,
        "variance": variance,
    }
