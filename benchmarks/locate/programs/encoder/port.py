"""Run a transformer encoder over padded sequences, with a pooled head."""

import jax
import jax.numpy as jnp
import numpy as np

HEADS = 2
WIDTH = 8


def positions(length, dtype):
    steps = jnp.arange(length).astype(dtype)[:, None]
    rates = jnp.exp(jnp.arange(0, WIDTH, 2).astype(dtype) * (-np.log(10000.0) / WIDTH))
    angles = steps * rates[None]
    return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, WIDTH)


def norm(p, name, x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    normal = (x - mean) * jax.lax.rsqrt(variance + 1e-6)
    return normal * p[name + "/g"] + p[name + "/b"]


def split_heads(x):
    batch, length, _ = x.shape
    x = x.reshape(batch, length, HEADS, WIDTH // HEADS)
    return x.transpose(0, 2, 1, 3)


def attend(p, layer, x, mask):
    q = split_heads(x @ p[layer + "/q"])
    k = split_heads(x @ p[layer + "/k"])
    v = split_heads(x @ p[layer + "/v"])
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(WIDTH // HEADS)
    scores = jnp.where(mask[:, None, None, :], scores, -1e9)
    weights = jax.nn.softmax(scores)
    out = (weights @ v).transpose(0, 2, 1, 3)
    out = out.reshape(x.shape)
    return out @ p[layer + "/o"]


def feed_forward(p, layer, x):
    h = jax.nn.gelu(x @ p[layer + "/up"], approximate=True)
    return h @ p[layer + "/down"]


@jax.jit
def run(p, ids, lengths):
    mask = jnp.arange(ids.shape[1])[None, :] < lengths[:, None]
    x = p["table"][ids] * np.sqrt(WIDTH)
    x = x + positions(ids.shape[1], x.dtype)[None]
    for layer in ("layer0", "layer1"):
        x = x + attend(p, layer, norm(p, layer + "/norm1", x), mask)
        x = x + feed_forward(p, layer, norm(p, layer + "/norm2", x))
    x = norm(p, "final", x)
    weights = mask.astype(x.dtype)[:, :, None]
    pooled = jnp.sum(x * weights, axis=1) / jnp.sum(weights, axis=1)
    first = jnp.tanh(x[:, 0] @ p["pool"])
    return {"pooled": pooled, "logits": first @ p["head"], "hidden": x * weights}
