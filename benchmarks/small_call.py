"""Measure the overhead of one call with almost nothing to compute, and of the first call."""

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims
from benchmarks.timing import Result, compare, in_turns, seconds

ROUNDS = 7


def masked_mean(v):
    """Return the mean of the positive numbers."""
    return jnp.mean(shims.boolean_mask(v, v > 0))


def masked_mean_by_hand(v):
    """Return the mean of the positive numbers, with an explicit mask."""
    return jnp.sum(jnp.where(v > 0, v, 0)) / jnp.sum(v > 0)


def beside_jit(x) -> list[Result]:
    """Time first calls, with every cache of JAX cleared, and later calls, beside `jax.jit`."""
    spec = [shims.TensorSpec([None], shims.float32)]
    makers = {
        "shims": lambda: shims.function(lambda v: masked_mean(v), input_signature=spec),
        "jax.jit": lambda: jax.jit(lambda v: masked_mean_by_hand(v)),
    }
    first: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(ROUNDS):
        for name, make in makers.items():
            jax.clear_caches()
            program = make()
            first[name].append(seconds(lambda p=program: p(x)))
    programs = {name: make() for name, make in makers.items()}
    later = in_turns(
        {name: lambda p=p: p(x) for name, p in programs.items()}, rounds=50, repeat=20, warm=20
    )
    return [
        *compare("first call of a masked mean of 100 numbers", first, "shims", {"jax.jit": None}),
        *compare("later calls of a masked mean of 100 numbers", later, "shims", {"jax.jit": None}),
    ]


def run() -> list[Result]:
    """Time the calls."""
    x = np.random.default_rng(0).normal(size=100).astype(np.float32)

    @shims.function(input_signature=[shims.TensorSpec([None], shims.float32)])
    def ours(v):
        return masked_mean(v)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def theirs(v):
        return tf.reduce_mean(tf.boolean_mask(v, v > 0))

    jx, tx = jnp.asarray(x), tf.constant(x)
    times = in_turns(
        {"shims": lambda: ours(jx), "tf.function": lambda: theirs(tx)}, rounds=50, repeat=20
    )
    return [
        *compare("a call on 100 numbers", times, "shims", {"tf.function": 1.0}),
        *beside_jit(jx),
    ]
