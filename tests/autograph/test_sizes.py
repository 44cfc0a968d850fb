"""Questions about sizes that only the data knows: asked when the program runs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.function.dynamic_function import dynamic
from tests.harness.compare import assert_same_tree

INPUTS = [
    jnp.asarray(x, jnp.float32)
    for x in ([1, -2, 3, 4], [-1, -2, -3, -4], [5, 6, 7, 8], [-1, 2, -3, -4], [-1, 2, 3, -4])
]


def mean_or_default(x):
    y = x[x > 0]
    return y.mean() if y.shape[0] > 0 else jnp.float32(-1)


def truth(x):
    y = x[x > 0]
    if y.shape[0]:
        return y.max()
    return x.sum()


def negated(x):
    y = x[x > 0]
    if not y.shape[0]:
        return x.sum()
    return y.sum() * 10


def equal(x):
    y = x[x > 0]
    if y.shape[0] == 2:
        return y.sum()
    return x.sum()


def unequal(x):
    y, z = x[x > 0], x[x > 2]
    if y.shape[0] != z.shape[0]:
        return y.sum()
    return x.sum()


def chained(x):
    y = x[x > 0]
    if 1 <= y.shape[0] < 4:
        return y.sum()
    return x.sum()


def conjunction(x):
    y = x[x > 0]
    if len(y) > 1 and y.sum() > 6:
        return y.sum()
    return x.sum()


def counts_up(x):
    y = x[x > 0]
    i, total = 0, 0.0
    while i < y.shape[0]:
        total = total + y[i] * i
        i += 1
    return total


def over_range(x):
    y = x[x > 0]
    total = 0.0
    for i in range(len(y)):
        total = total * 2 + y[i]
    return total


def over_rows(x):
    total = 0.0
    for row in x[x > 0]:
        if row > 6:
            break
        total = total * 2 + row
    return total


def over_counted(x):
    total = 0.0
    for i in range((x > 0).sum()):
        total = total * 2 + x[i]
    return total


def over_pairs(x):
    total = 0.0
    for i, (a, b) in enumerate(zip(x[x > 0], x[x > 0] * 2)):
        total = total + a * b * i
    return total


SCALARS = [
    mean_or_default,
    truth,
    negated,
    equal,
    unequal,
    chained,
    conjunction,
    counts_up,
    over_range,
    over_rows,
    over_counted,
    over_pairs,
]


@pytest.mark.parametrize("f", SCALARS, ids=lambda f: f.__name__)
def test_scalars(f):
    staged = dynamic(f)
    for x in INPUTS:
        assert_same_tree(staged(x), jnp.float32(f(x)))
        slope = jax.grad(lambda x: jnp.float32(1) * f(x))(x)
        np.testing.assert_allclose(jax.grad(staged)(x), slope, rtol=1e-5)


def of_either_size(x):
    y = x[x > 0]
    if y.sum() > 6:
        z = y * 2
    else:
        z = x
    return z


def shrinks(x):
    y = x[x > 0]
    while y.shape[0] > 1:
        y = y[1:]
    return y


def grows(x):
    y = x[:1]
    for row in x[x > 0]:
        y = jnp.concatenate([y, row[None]])
    return y


@pytest.mark.parametrize("f", [of_either_size, shrinks, grows], ids=lambda f: f.__name__)
def test_results_of_unknown_size(f):
    for x in INPUTS:
        assert_same_tree(dynamic(f)(x), f(x))


def test_what_staging_cannot_do_is_left_to_python():
    layers = [lambda v, k=k: v * k for k in range(1, 6)]

    def f(x):
        for i in range(x.shape[0]):
            x = layers[i](x)
        i = 0
        while i < x.shape[0]:
            x = layers[i](x)
            i += 1
        return x

    assert_same_tree(dynamic(f)(INPUTS[0]), f(INPUTS[0]))


@pytest.mark.parametrize("bound", [-3.0, 0.0, 0.9, 3.0])
def test_a_zip_ends_with_the_smallest_of_several_sizes(bound):
    x = jnp.asarray(np.random.default_rng(0).normal(size=12), jnp.float32)

    def f(x):
        total = jnp.float32(0)
        for i, (a, b, c) in enumerate(zip(x[x > bound], x[x <= bound], x[x > -1])):
            total = total + (i + 1) * a * b + c
        return total

    for run in (shims.function(f), jax.jit(shims.dynamic(f))):
        np.testing.assert_allclose(run(x), f(x), rtol=1e-5)
    np.testing.assert_allclose(jax.jit(jax.grad(shims.dynamic(f)))(x), jax.grad(f)(x), rtol=1e-5)
