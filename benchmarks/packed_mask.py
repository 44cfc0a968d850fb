"""Measure `boolean_mask` whose result is read: the kept rows, in order, at the front."""

import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims
from benchmarks.timing import Result, compare, in_turns

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)


def candidates(x, mask):
    """Return the candidates: `shims` with exact and padded results, and TensorFlow's graph."""
    signature = [shims.TensorSpec([None], shims.float32), shims.TensorSpec([None], shims.bool)]

    def select(v, m):
        return shims.boolean_mask(v, m)

    # One capacity that fits: padding the input is not what is measured here.
    exact = shims.function(select, input_signature=signature, buckets=[len(x)])
    padded = shims.function(select, input_signature=signature, buckets=[len(x)], unpad=False)
    graph = tf.function(
        tf.boolean_mask, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool)]
    )
    jx, jm, tx, tm = jnp.asarray(x), jnp.asarray(mask), tf.constant(x), tf.constant(mask)
    return {
        "exact": lambda: exact(jx, jm),
        "padded": lambda: padded(jx, jm),
        "TF graph": lambda: graph(tx, tm),
    }


def run() -> list[Result]:
    """Time the candidates."""
    rng = np.random.default_rng(0)
    found = []
    for size in SIZES:
        x = rng.normal(size=size).astype(np.float32)
        rounds = 30 if size < 10**7 else 8
        times = in_turns(candidates(x, rng.random(size) < 0.5), rounds=rounds)
        for ours, goal in (("padded", 1.0), ("exact", None)):
            question = f"packed `boolean_mask`, {size:.0e} float32, {ours} result"
            found += compare(question.replace("e+0", "e"), times, ours, {"TF graph": goal})
    return found
