"""Measure value and gradient of a masked mean over one million numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims
from benchmarks.timing import Result, compare, in_turns

SIZE = 1_000_000


def candidates(x, mask):
    """Return the four implementations, each a call without arguments."""
    ours = jax.jit(
        jax.value_and_grad(shims.dynamic(lambda v, m: jnp.mean(shims.boolean_mask(v, m))))
    )
    by_hand = jax.jit(jax.value_and_grad(lambda v, m: jnp.sum(jnp.where(m, v, 0)) / jnp.sum(m)))

    def tensorflow(v, m):
        with tf.GradientTape() as tape:
            tape.watch(v)
            mean = tf.reduce_mean(tf.boolean_mask(v, m))
        return mean, tape.gradient(mean, v)

    graph = tf.function(
        tensorflow, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool)]
    )
    xla = tf.function(tensorflow, jit_compile=True)
    jx, jm, tx, tm = jnp.asarray(x), jnp.asarray(mask), tf.constant(x), tf.constant(mask)
    return {
        "shims": lambda: ours(jx, jm),
        "hand-written `where`": lambda: by_hand(jx, jm),
        "TF graph": lambda: graph(tx, tm),
        "TF XLA": lambda: xla(tx, tm),
    }


def run() -> list[Result]:
    """Time the candidates."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=SIZE).astype(np.float32)
    times = in_turns(candidates(x, rng.random(SIZE) < 0.5), rounds=30)
    return compare(
        "value and gradient of a masked mean, 1e6 float32",
        times,
        "shims",
        {"TF graph": 1 / 3, "TF XLA": None, "hand-written `where`": 1.2},
    )
