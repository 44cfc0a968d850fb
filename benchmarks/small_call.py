"""Measure the overhead of one call with almost nothing to compute."""

import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims
from benchmarks.timing import Result, compare, in_turns


def run() -> list[Result]:
    """Time the calls."""
    x = np.random.default_rng(0).normal(size=100).astype(np.float32)

    @shims.function(input_signature=[shims.TensorSpec([None], shims.float32)])
    def ours(v):
        return jnp.mean(shims.boolean_mask(v, v > 0))

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def theirs(v):
        return tf.reduce_mean(tf.boolean_mask(v, v > 0))

    jx, tx = jnp.asarray(x), tf.constant(x)
    times = in_turns(
        {"shims": lambda: ours(jx), "tf.function": lambda: theirs(tx)}, rounds=50, repeat=20
    )
    return compare("a call on 100 numbers", times, "shims", {"tf.function": 1.0})
