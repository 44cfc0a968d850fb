"""Stage programs for all answers to questions about two sizes under `jit`, where many answers follow from others."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf

QUESTIONS = (
    "n > m",
    "n == m",
    "n % 2 == m % 2",
    "n // 2 >= m",
    "n * m > 6",
    "n - m > 1",
    "min(n, m) == 2",
    "n + m == 5",
    "n >= 3",
    "m != 2",
    "max(n, m) < 4",
    "n % 3 == 1",
    "(n - m) % 2 == 0",
    "n ** 2 > m + 4",
)
PROGRAM = """
def program(x, y):
    a, b = x[x > 0], y[y > 0]
    n, m, t = a.shape[0], b.shape[0], jnp.float32(0)
    if {0}:
        t = t + 1
        if {1}:
            t = t + 2
        elif {2}:
            t = t + 4 + jnp.sum(a)
    else:
        t = t + 8
    if {3}:
        t = t + 16 * (n + m) + jnp.sum(b)
    return t, n * 10 + m
"""


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[pytest.mark.long] if s > 1 else []) for s in range(24)]
)
def test_programs_with_questions(seed):
    asked = random.Random(seed).sample(QUESTIONS, 4)
    names = {"jnp": jnp}
    exec(PROGRAM.format(*asked), names)
    run = jax.jit(tf.dynamic(names["program"], autograph=False))
    for n, m in np.ndindex(5, 4):
        x, y = (np.where(np.arange(k) < some, k, -1.0) for k, some in ((4, n), (3, m)))
        want = names["program"](x, y)
        assert tuple(map(float, run(jnp.float32(x), jnp.float32(y)))) == want, (asked, n, m)


def test_a_selection_that_grows_until_it_is_long_enough():
    def doubled(x, m):
        y = x[m]
        while y.shape[0] < 9:
            y = jnp.concatenate([y, y + 1])
        return y

    x, run = jnp.arange(40.0), jax.jit(tf.dynamic(doubled))
    for count in (40, 9, 8, 3, 1):
        m = np.arange(40) < count
        np.testing.assert_array_equal(run(x, m).unpad(), doubled(x, m))
