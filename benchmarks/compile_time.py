"""Measure tracing and compiling twenty masked steps, against the same code written by hand."""

import jax
import jax.numpy as jnp
import numpy as np

import shims
from benchmarks.timing import Result, compare, seconds

STEPS, SIZE, ROUNDS = 20, 1000, 5


def ours():
    """Return a new function object that is in no cache."""

    @shims.function(input_signature=[shims.TensorSpec([None], shims.float32)])
    def program(x):
        y = shims.boolean_mask(x, x > 0)
        for step in range(STEPS):
            y = jnp.tanh((y - jnp.mean(y)) / (jnp.std(y) + 1.0)) + jnp.max(y) * 0.1 * step
        return jnp.sum(y)

    return program


def by_hand():
    """Return the same program with an explicit mask."""

    @jax.jit
    def program(x):
        keep = x > 0
        count = jnp.sum(keep, dtype=x.dtype)

        def mean(v):
            return jnp.sum(jnp.where(keep, v, 0)) / count

        y = x
        for step in range(STEPS):
            centered = y - mean(y)
            std = jnp.sqrt(mean(centered**2))
            top = jnp.max(jnp.where(keep, y, -jnp.inf))
            y = jnp.tanh(centered / (std + 1.0)) + top * 0.1 * step
        return jnp.sum(jnp.where(keep, y, 0))

    return program


def run() -> list[Result]:
    """Measure first calls, clearing every cache of JAX before each."""
    x = np.random.default_rng(0).normal(size=SIZE).astype(np.float32)
    times = {"shims": [], "hand-written JAX": []}
    for _ in range(ROUNDS):
        for name, make in (("shims", ours), ("hand-written JAX", by_hand)):
            jax.clear_caches()
            program = make()
            times[name].append(seconds(lambda p=program: p(x)))
    question = f"tracing, compiling and first call of {STEPS} masked steps"
    return compare(question, times, "shims", {"hand-written JAX": 2.0})
