"""Ports with one planted fault each, and the stage at which it must be found."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from .pair import Pair, given, once

INTERFACE, PLACEMENT, VALUES, GRADIENTS = "interface", "placement", "values", "gradients"

TIES = given(([1.0, 2.0, 0.25], [1.0, 0.5, 0.25]), ([3.0, 1.5], [3.0, 2.0]))
EVERY_OTHER = given(
    ([1.0, 2.0, 3.0, 4.0], [True, False, True, False]), ([0.5, 2.5, 1.5], [False, True, True])
)


def normalized(x, epsilon_inside):
    mean = jnp.mean(x, 0)
    variance = jnp.var(x, 0)
    if epsilon_inside:
        return (x - mean) / jnp.sqrt(variance + 1e-3)
    return (x - mean) / (jnp.sqrt(variance) + 1e-3)


def masked_softmax(x, keep):
    return tf.nn.softmax(tf.where(keep, x, x.dtype.min))


def mask_after_softmax(x, keep):
    return jnp.where(keep, jax.nn.softmax(x), 0)


def truncated(x, keep):
    """A mask with a size that is too small for it: JAX says nothing."""
    return jnp.sum(x[jnp.nonzero(keep, size=1)[0]])


@jax.custom_vjp
def without_gradient(x):
    return x * x


without_gradient.defvjp(lambda x: (x * x, x), lambda x, g: (jnp.zeros_like(x),))


FAULTS = (
    # Values.
    Pair(
        "sample variance for the population's",
        lambda x: tf.math.reduce_variance(x, 0),
        lambda x: jnp.var(x, 0, ddof=1),
        once((40, 3)),
        VALUES,
    ),
    Pair("tanh gelu for the exact one", tf.nn.gelu, jax.nn.gelu, once((6, 5)), VALUES),
    Pair(
        "ddof in a standard deviation",
        tf.math.reduce_std,
        lambda x: jnp.std(x, ddof=1),
        once((300,)),
        VALUES,
    ),
    Pair(
        "epsilon outside the root",
        lambda x: (x - tf.reduce_mean(x, 0)) / tf.sqrt(tf.math.reduce_variance(x, 0) + 1e-3),
        lambda x: normalized(x, epsilon_inside=False),
        once((9, 3)),
        VALUES,
    ),
    Pair("mask after the softmax", masked_softmax, mask_after_softmax, EVERY_OTHER, VALUES),
    Pair(
        "axes in a different order",
        lambda x: tf.reshape(tf.transpose(x), [-1]),
        lambda x: jnp.reshape(x, -1),
        once((3, 4)),
        VALUES,
    ),
    Pair(
        "reduced over the other axis",
        lambda x: tf.reduce_sum(x, 0),
        lambda x: jnp.sum(x, 1),
        given(([[1.0, 2.0], [3.0, 5.0]],), ([[0.5, 2.5], [1.5, 4.0]],)),
        VALUES,
    ),
    Pair("a slice that is off by one", lambda x: x[1:-1], lambda x: x[:-2], once((6,)), VALUES),
    Pair(
        "exclusive cumsum without the shift",
        lambda x: tf.cumsum(x, exclusive=True),
        jnp.cumsum,
        once((6,)),
        VALUES,
    ),
    Pair(
        "integer division that rounds the other way",
        lambda x: x // 2,
        lambda x: jax.lax.div(x, jnp.int32(2)),
        given(([-3, -1, 2],), ([5, -7],)),
        VALUES,
    ),
    Pair(
        "half pixel centers left out",
        lambda x: tf.image.resize(x, [6, 6]),
        lambda x: jax.image.resize(x, (*x.shape[:-3], 6, 6, x.shape[-1]), "bilinear"),
        lambda: [(np.random.default_rng(s).normal(size=(8, 8, 1)).astype("f"),) for s in (1, 2)],
        VALUES,
    ),
    Pair(
        "l2 loss without the half",
        tf.nn.l2_loss,
        lambda x: jnp.sum(x * x),
        once((5,)),
        VALUES,
    ),
    Pair(
        "one element of many",
        lambda x: x * 1.0,
        lambda x: x.at[777].add(1e-3),
        once((100_000,)),
        VALUES,
    ),
    Pair(
        "silent truncation of a selection",
        lambda x, keep: tf.reduce_sum(tf.boolean_mask(x, keep)),
        truncated,
        EVERY_OTHER,
        VALUES,
    ),
    Pair(
        "precision thrown away inside",
        lambda x: tf.exp(x),
        lambda x: jnp.exp(x.astype(jnp.bfloat16)).astype(jnp.float32),
        once((5,)),
        VALUES,
    ),
    # Interface.
    Pair(
        "another dtype",
        lambda x: tf.cast(x > 0, tf.float32),
        lambda x: (x > 0).astype(jnp.int32),
        once((5,)),
        INTERFACE,
    ),
    Pair(
        "a dimension that was kept",
        lambda x: tf.reduce_sum(x, 1),
        lambda x: jnp.sum(x, 1, keepdims=True),
        once((3, 4)),
        INTERFACE,
    ),
    Pair(
        "padding left in the result",
        lambda x: tf.boolean_mask(x, x > 0),
        lambda x: x[jnp.nonzero(x > 0, size=x.size, fill_value=0)[0]],
        once((6,)),
        INTERFACE,
    ),
    Pair(
        "an output left out",
        lambda x: (tf.reduce_sum(x), tf.reduce_max(x)),
        lambda x: (jnp.sum(x),),
        once((6,)),
        INTERFACE,
    ),
    Pair(
        "another key",
        lambda x: {"loss": tf.reduce_sum(x)},
        lambda x: {"total": jnp.sum(x)},
        once((6,)),
        INTERFACE,
    ),
    Pair(
        "an error for what the original computes",
        lambda x: tf.reduce_max(x),
        lambda x: jnp.max(x),
        given(([1.0, 2.0],), (np.zeros(0, np.float32),)),
        INTERFACE,
    ),
    # NaN and infinities.
    Pair(
        "NaN swallowed",
        lambda x: tf.reduce_sum(x),
        lambda x: jnp.nansum(x),
        given(([1.0, np.nan, 2.0],), ([1.0, 2.0],)),
        PLACEMENT,
    ),
    Pair(
        "infinity clipped",
        lambda x: tf.exp(x),
        lambda x: jnp.exp(jnp.minimum(x, 80)),
        given(([1.0, 100.0],), ([2.0, 3.0],)),
        PLACEMENT,
    ),
    Pair(
        "zero divided by zero",
        lambda x, y: tf.math.divide_no_nan(x, y),
        lambda x, y: x / y,
        given(([1.0, 0.0], [2.0, 0.0]), ([1.0, 2.0], [3.0, 4.0])),
        PLACEMENT,
    ),
    # Gradients.
    Pair(
        "the gradient of abs at zero",
        lambda x: tf.reduce_sum(tf.abs(x)),
        lambda x: jnp.sum(jnp.abs(x)),
        given(([0.0, 1.0, -2.0],), ([0.5, 0.25],)),
        GRADIENTS,
    ),
    Pair("the gradient of maximum at ties", tf.maximum, jnp.maximum, TIES, GRADIENTS),
    Pair(
        "the gradient of clip at its bounds",
        lambda x: tf.clip_by_value(x, 0.0, 1.0),
        lambda x: jnp.clip(x, 0.0, 1.0),
        given(([0.0, 1.0, 0.5, 2.0],), ([0.25, 0.75],)),
        GRADIENTS,
    ),
    Pair(
        "a gradient stopped by mistake",
        lambda x: x * tf.reduce_mean(x),
        lambda x: x * jax.lax.stop_gradient(jnp.mean(x)),
        once((5,)),
        GRADIENTS,
    ),
    Pair(
        "a gradient that should have been stopped",
        lambda x, y: y * tf.stop_gradient(x),
        lambda x, y: y * x,
        once((5,), (5,)),
        GRADIENTS,
    ),
    Pair("a missing gradient", tf.square, without_gradient, once((5,)), GRADIENTS),
    Pair(
        "cross entropy differentiated by its formula",
        lambda logits, labels: tf.nn.softmax_cross_entropy_with_logits(labels, logits),
        lambda logits, labels: -jnp.sum(labels * jax.nn.log_softmax(logits), -1),
        given(([[1.0, 3.0]], [[2.0, 1.0]]), ([[0.5, 0.25]], [[1.0, 1.0]])),
        GRADIENTS,
    ),
    Pair(
        "NaN in the gradient of an unselected logarithm",
        lambda x: tf.reduce_sum(tf.math.log(tf.boolean_mask(x, x > 0))),
        lambda x: jnp.sum(jnp.where(x > 0, jnp.log(x), 0.0)),
        given(([0.0, 1.0, 2.0],), ([0.5, 3.0],)),
        GRADIENTS,
    ),
)
