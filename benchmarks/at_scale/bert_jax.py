"""Implement the port in plain JAX: two einsums for the attention, and its own layer norm."""

import jax
import jax.numpy as jnp

LAYERS, WIDTH, HEADS = 12, 768, 12


def dense(params, name, x):
    return x @ params[name + "/kernel"] + params[name + "/bias"]


def layer_norm(params, name, x):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = jnp.square(centered).mean(axis=-1, keepdims=True)
    normal = centered * jax.lax.rsqrt(variance + 1e-12)
    return normal * params[name + "/scale"] + params[name + "/offset"]


def attention(params, name, x, hidden):
    def part(kind):
        return dense(params, f"{name}/{kind}", x).reshape(*x.shape[:2], HEADS, WIDTH // HEADS)

    scores = jnp.einsum("bqhd,bkhd->bhqk", part("query"), part("key"))
    weights = jax.nn.softmax(scores / jnp.sqrt(WIDTH / HEADS) + hidden)
    context = jnp.einsum("bhqk,bkhd->bqhd", weights, part("value"))
    return dense(params, name + "/attended", context.reshape(x.shape))


def layer(params, name, x, hidden):
    x = layer_norm(params, name + "/norm_attended", x + attention(params, name, x, hidden))
    inner = jax.nn.gelu(dense(params, name + "/inner", x), approximate=False)
    return layer_norm(params, name + "/norm_outer", x + dense(params, name + "/outer", inner))


def encode(params, words, mask, kinds):
    x = params["embeddings/word"][words] + params["embeddings/type"][kinds]
    x = x + params["embeddings/position"][: words.shape[1]]
    x = layer_norm(params, "embeddings/norm", x)
    hidden = jnp.where(mask[:, None, None, :] == 1, 0.0, -10000.0)
    for index in range(LAYERS):
        x = layer(params, f"layer_{index}", x, hidden)
    return x, jnp.tanh(dense(params, "pooler", x[:, 0]))
