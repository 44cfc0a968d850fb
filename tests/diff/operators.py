"""Operators and small layers with their obvious ports, from which R is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import tensorflow as tf
from jax.scipy import special


@dataclass(frozen=True)
class Operator:
    """A function of float arrays and its port.

    Attributes:
      id: its name.
      old: the TensorFlow function.
      new: the port.
      arguments: how many arrays it takes.
      square: whether the arrays are square matrices.
    """

    id: str
    old: Callable[..., Any]
    new: Callable[..., Any]
    arguments: int = 1
    square: bool = False


def layer_norm(x):
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-6)


def layer_norm_port(x):
    centered = x - jnp.mean(x, -1, keepdims=True)
    return centered / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-6)


def attention(q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(k)[-1], q.dtype))
    return tf.matmul(tf.nn.softmax(scores), v)


def gram_inverse(x):
    return tf.linalg.inv(tf.matmul(x, x, transpose_b=True) + tf.eye(tf.shape(x)[0], dtype=x.dtype))


def covariance(x):
    centered = x - tf.reduce_mean(x, 0)
    return tf.matmul(centered, centered, transpose_a=True)


def squared_distances(x):
    square = jnp.sum(x * x, -1)
    return square[:, None] + square[None] - 2 * x @ x.T


OPERATORS = (
    Operator("softmax", tf.nn.softmax, jax.nn.softmax),
    Operator("log_softmax", tf.nn.log_softmax, jax.nn.log_softmax),
    Operator("logsumexp", tf.reduce_logsumexp, special.logsumexp),
    Operator("mean", tf.reduce_mean, jnp.mean),
    Operator("variance", tf.math.reduce_variance, jnp.var),
    Operator(
        "variance of squares",
        tf.math.reduce_variance,
        lambda x: jnp.mean(x * x) - jnp.mean(x) ** 2,
    ),
    Operator("std", lambda x: tf.math.reduce_std(x, 0), lambda x: jnp.std(x, 0)),
    Operator("sum", tf.reduce_sum, jnp.sum),
    Operator("prod", lambda x: tf.reduce_prod(x, 1), lambda x: jnp.prod(x, 1)),
    Operator("cumsum", lambda x: tf.cumsum(x, 1), lambda x: jnp.cumsum(x, 1)),
    Operator("layer_norm", layer_norm, layer_norm_port),
    Operator("gelu", tf.nn.gelu, lambda x: jax.nn.gelu(x, approximate=False)),
    Operator("tanh", tf.tanh, jnp.tanh),
    Operator("sinh", tf.sinh, jnp.sinh),
    Operator("erf", tf.math.erf, special.erf),
    Operator("sigmoid", tf.sigmoid, jax.nn.sigmoid),
    Operator("softplus", tf.nn.softplus, jax.nn.softplus),
    Operator("exp", tf.exp, jnp.exp),
    Operator("log1p", lambda x: tf.math.log1p(tf.square(x)), lambda x: jnp.log1p(x**2)),
    Operator("sum of squares", lambda x: tf.reduce_sum(tf.square(x)), lambda x: jnp.sum(x * x)),
    Operator(
        "digamma", lambda x: tf.math.digamma(tf.exp(x)), lambda x: special.digamma(jnp.exp(x))
    ),
    Operator("lgamma", lambda x: tf.math.lgamma(tf.exp(x)), lambda x: special.gammaln(jnp.exp(x))),
    Operator("pow", lambda x: tf.pow(tf.abs(x) + 1, 3.3), lambda x: (jnp.abs(x) + 1) ** 3.3),
    Operator("atan2", tf.atan2, jnp.arctan2, 2),
    Operator(
        "l2_normalize",
        lambda x: tf.nn.l2_normalize(x, -1),
        lambda x: x * jax.lax.rsqrt(jnp.sum(x * x, -1, keepdims=True)),
    ),
    Operator(
        "cross entropy",
        lambda x, y: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(y), x),
        lambda x, y: -jnp.sum(jax.nn.softmax(y) * jax.nn.log_softmax(x), -1),
        2,
    ),
    Operator("matmul", tf.matmul, jnp.matmul, 2, square=True),
    Operator(
        "two layers",
        lambda x, w, v: tf.matmul(tf.nn.relu(tf.matmul(x, w)), v),
        lambda x, w, v: jax.nn.relu(x @ w) @ v,
        3,
        square=True,
    ),
    Operator(
        "attention",
        attention,
        lambda q, k, v: jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[-1])) @ v,
        3,
        square=True,
    ),
    Operator(
        "inverse",
        gram_inverse,
        lambda x: jnp.linalg.inv(x @ x.T + jnp.eye(x.shape[0])),
        square=True,
    ),
    Operator("covariance", covariance, lambda x: (x - x.mean(0)).T @ (x - x.mean(0))),
    Operator(
        "squared distances",
        lambda x: tf.reduce_sum(tf.square(x[:, None] - x[None]), -1),
        squared_distances,
    ),
)
