"""Classify rows: dense layers, layer norm, dropout with a given mask, label smoothing."""

import jax
import jax.numpy as jnp


def dense(params, name, x):
    return x @ params[name + "/w"] + params[name + "/b"]


def layer_norm(params, x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    x = (x - mean) / jnp.sqrt(variance + 1e-3)
    return x * params["norm/scale"] + params["norm/offset"]


def run(params, x, labels, kept):
    h = dense(params, "first", x)
    h = jax.nn.gelu(h, approximate=False)
    h = layer_norm(params, h)
    h = h * kept / 0.8
    h = h + jax.nn.leaky_relu(dense(params, "second", h), 0.2)
    logits = dense(params, "last", h)
    target = jax.nn.one_hot(labels, logits.shape[1], dtype=logits.dtype)
    target = target * 0.9 + 0.1 / logits.shape[1]
    losses = -jnp.sum(target * jax.nn.log_softmax(logits), axis=-1)
    weights = (labels > 0).astype(logits.dtype) + 0.5
    loss = jnp.sum(losses * weights) / jnp.sum(weights)
    squares = [jnp.sum(params[n] ** 2) for n in ("first/w", "second/w", "last/w")]
    decay = 0.01 * sum(squares) / 2.0
    top = jnp.argmax(logits, axis=1)
    return {"loss": loss + decay, "top": top, "probabilities": jax.nn.softmax(logits)}
