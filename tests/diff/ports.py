"""Ports that are right, some of them by other means than the original."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims

from .pair import Pair, given, normals

MASKED = given(
    ([[1.5, 2.0], [0.25, -3.0], [4.0, 0.5]], [True, False, True]),
    ([[0.3, 0.2], [0.1, -0.7], [4.1, 0.5], [1.0, 1.0]], [True, True, True, True]),
    ([[1.5, 2.0]], [True]),
)


def masked_moments(x, keep):
    kept = tf.boolean_mask(x, keep)
    return {"mean": tf.reduce_mean(kept, 0), "n": tf.shape(kept)[0], "all": tf.reduce_sum(kept)}


def masked_moments_port(x, keep):
    weight = keep[:, None].astype(x.dtype)
    n = jnp.sum(keep, dtype=jnp.int32)
    total = jnp.sum(x * weight, 0)
    return {"mean": total / n, "n": n, "all": jnp.sum(total)}


def layer_norm(x, scale):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-3) * scale


def layer_norm_port(x, scale):
    mean = jnp.mean(x, -1, keepdims=True)
    return (x - mean) / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-3) * scale


def attention(q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(k)[-1], q.dtype))
    return tf.matmul(tf.nn.softmax(scores), v)


def attention_port(q, k, v):
    return jax.nn.softmax(q @ k.T / np.sqrt(k.shape[-1])) @ v


def distances(x):
    return tf.reduce_sum(tf.square(x[:, None] - x[None]), -1)


def distances_expanded(x):
    square = jnp.sum(x * x, -1)
    return square[:, None] + square[None] - 2 * x @ x.T


def cross_entropy(params, x, labels):
    logits = tf.matmul(x, params["w"]) + params["b"]
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses), {"logits": logits, "top": tf.argmax(logits, 1)}


def cross_entropy_port(params, x, labels):
    logits = x @ params["w"] + params["b"]
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
    return -jnp.mean(picked), {"logits": logits, "top": jnp.argmax(logits, 1)}


def cross_entropy_cases():
    rng = np.random.default_rng(3)
    for n in (5, 8):
        params = {"w": rng.normal(size=(4, 3)), "b": rng.normal(size=3)}
        params = {name: array.astype(np.float32) for name, array in params.items()}
        x = rng.normal(size=(n, 4)).astype(np.float32)
        yield params, x, rng.integers(0, 3, n).astype(np.int32)


def loop(x, steps):
    for _ in tf.range(steps):
        x = 0.5 * x + tf.sin(x)
    return x


def loop_port(x, steps):
    return jax.lax.fori_loop(0, 4, lambda i, y: jnp.where(i < steps, 0.5 * y + jnp.sin(y), y), x)


class Scaled(tf.Module):
    """A module whose method is a `tf.function`."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    @tf.function
    def call(self, x):
        return x * self.factor


SCALED = Scaled(3.0)

PORTS = (
    Pair("masked moments by weights", masked_moments, masked_moments_port, MASKED),
    Pair("softmax", tf.nn.softmax, jax.nn.softmax, normals((5, 9), scale=5)),
    Pair("saturated softmax", tf.nn.softmax, jax.nn.softmax, normals((3, 17), scale=20)),
    Pair("layer norm by another formula", layer_norm, layer_norm_port, normals((4, 6), (6,))),
    Pair("attention", attention, attention_port, normals((3, 4), (3, 4), (3, 4), scale=3)),
    Pair("distances by the expanded square", distances, distances_expanded, normals((5, 3))),
    Pair("cross entropy of a dense layer", cross_entropy, cross_entropy_port, cross_entropy_cases),
    Pair(
        "exact gelu",
        tf.nn.gelu,
        lambda x: jax.nn.gelu(x, approximate=False),
        normals((6, 5), scale=2),
    ),
    Pair(
        "a sum in a different order",
        tf.reduce_sum,
        lambda x: jnp.sum(jnp.flip(x)[::2]) + jnp.sum(jnp.flip(x)[1::2]),
        normals((1000,), scale=100),
    ),
    Pair(
        "variance as the mean square less the squared mean",
        lambda x: tf.math.reduce_variance(x, 0),
        lambda x: jnp.mean(x * x, 0) - jnp.mean(x, 0) ** 2,
        normals((50, 3)),
    ),
    Pair(
        "sorting, in values and indices",
        lambda x: (tf.sort(x), tf.argsort(x)),
        lambda x: (jnp.sort(x), jnp.argsort(x).astype(jnp.int32)),
        normals((7, 4)),
    ),
    Pair(
        "abs with TensorFlow's gradient at zero",
        lambda x: tf.reduce_sum(tf.abs(x)),
        lambda x: jnp.sum(x * jax.lax.stop_gradient(jnp.sign(x))),
        given(([0.0, -0.0, 1.0, -2.0],), ([0.5, 0.0],)),
    ),
    Pair(
        "a gradient that is None against one that is zero",
        lambda x, y: tf.stop_gradient(x) * y,
        lambda x, y: jax.lax.stop_gradient(x) * y,
        normals((4,), (4,)),
    ),
    Pair(
        "NaN and infinities kept where they are",
        lambda x: (x * 2, tf.math.is_nan(x)),
        lambda x: (x * 2, jnp.isnan(x)),
        given(([1.0, np.nan, -np.inf, np.inf],), ([0.5, 3.0],)),
    ),
    Pair(
        "64-bit results in 32 bits",
        lambda x: (tf.cast(x, tf.float64) * 3, tf.where(x > 0)),
        lambda x: (x * 3, jnp.argwhere(x > 0, size=2)),
        given(([1.5, -0.25, 3.0],), ([-1.0, 2.0, 0.75],)),
    ),
    Pair(
        "an original in double precision",
        lambda x: tf.math.log1p(tf.square(x)),
        lambda x: jnp.log1p(x * x),
        lambda: [(np.random.default_rng(s).normal(size=6),) for s in (1, 2)],
    ),
    Pair(
        "complex numbers, whose gradients TensorFlow conjugates",
        lambda z: z * z,
        lambda z: z * z,
        lambda: [(np.array([1 + 2j, 3 - 1j], np.complex64),), (np.array([2j], np.complex64),)],
    ),
    Pair(
        "half precision",
        lambda x: tf.tanh(x) * 3,
        lambda x: jnp.tanh(x) * 3,
        lambda: [(np.random.default_rng(s).normal(size=9).astype(np.float16),) for s in (1, 2)],
    ),
    Pair(
        "Python scalars as arguments",
        lambda x, k, scale: x[:k] * scale,
        lambda x, k, scale: x[:k] * scale,
        given(([1.0, 2.0, 3.5], 2, 0.1), ([1.0, 2.5, 3.0], 3, 0.3)),
    ),
    Pair(
        "functions that are compiled already, on both sides",
        tf.function(lambda x: tf.reduce_sum(x * x), jit_compile=True),
        jax.jit(lambda x: jnp.sum(x * x)),
        normals((4,)),
    ),
    Pair(
        "a function of unknown sizes that gives padded values",
        tf.function(lambda x: tf.boolean_mask(x, x > 0), input_signature=[tf.TensorSpec([None])]),
        shims.function(
            lambda x: shims.boolean_mask(x, x > 0),
            input_signature=[shims.TensorSpec([None])],
            unpad=False,
        ),
        given(([1.0, -2.0, 3.0],), ([-1.0, 0.5],)),
    ),
    Pair("a method of a module", SCALED.call, lambda x: x * 3.0, normals((4,))),
    Pair(
        "nested results, None among them",
        lambda x: {"a": [x, None], "b": (x * 2, {"c": tf.size(x)})},
        lambda x: {"a": (x, None), "b": [x * 2, {"c": jnp.asarray(x.size)}]},
        normals((4,)),
    ),
    Pair("a loop with a bound", loop, loop_port, given(([0.3, 1.1], 2), ([0.2, 0.4], 4))),
)
