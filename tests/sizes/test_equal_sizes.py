"""Sizes that are equal, or in an order, for every number of elements that a selection can have.

Expressions over a size are made by rule, and held against the same arithmetic on numbers; the programs need
such a relation to be traced at all.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.platform import jax_private as jp
from shims._src.sizes import possible_values

MASKS = {"full": [1] * 8, "some": [0, 1, 0, 1, 1, 0, 0, 1], "one": [0] * 7 + [1], "none": [0] * 8}
X = np.array([1.5, -2.0, 0.25, 3.0, -0.5, 2.0, 1.0, -1.0], np.float32)


def wrapped(y, n):
    padded = jnp.pad(y, (0, -n % 4))
    return padded.reshape(-1, 4).sum(1)


PROGRAMS = {
    "set_first": lambda y, n: jnp.zeros(8).at[:n].set(y),
    "differences": lambda y, n: jnp.ediff1d(y) + jnp.diff(y) + (y[1:] - y[:-1]),
    "above_the_diagonal": lambda y, n: jnp.outer(y, y)[jnp.triu_indices(n, 1)],
    "far_above_the_diagonal": lambda y, n: jnp.outer(y, y)[jnp.triu_indices(n, 2)],
    "below_the_diagonal": lambda y, n: y[jnp.tril_indices(n, -1)[0]],
    "padded_to_a_multiple": wrapped,
    "halves": lambda y, n: y[: n // 2] * y[n - n // 2 :],
    "cut_twice": lambda y, n: y[: min(n, 8)][: max(n, 0)] * y,
    "shifted": lambda y, n: y[2:] + y[1:-1] + y[:-2],
    "pairs": lambda y, n: y[: n // 2 * 2].reshape(-1, 2).sum(1) + y[: 2 * (n // 2) : 2],
    "joined": lambda y, n: jnp.concatenate([y[: n // 3], y[n // 3 :]]) * y,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_rely_on_a_relation_of_sizes(name):
    def program(x, mask):
        y = x[mask]
        return PROGRAMS[name](y, y.shape[0])

    def loss(x, mask):
        return jnp.sum(program(x, mask) ** 2)

    compiled = jax.jit(shims.dynamic(program))
    gradient = jax.jit(jax.grad(shims.dynamic(loss)))
    x = jnp.asarray(X)
    for mask in MASKS.values():
        mask = jnp.asarray(mask, bool)
        want = program(x, mask)
        got = compiled(x, mask)
        got = got.unpad() if isinstance(got, shims.Padded) else got
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-6)
        np.testing.assert_allclose(gradient(x, mask), jax.grad(loss)(x, mask), rtol=1e-6)


def expressions(size, low, high):
    """Return expressions over a size as functions of a number or a dimension, two operations deep."""
    smaller, larger = low, high
    one = [
        lambda n: n,
        lambda n: n - 3,
        lambda n: smaller(n, 5),
        lambda n: larger(n - 2, 0),
        lambda n: n // 3,
        lambda n: -n % 4,
        lambda n: n * n,
    ]
    two = [
        lambda n, a, b: a(n) + b(n),
        lambda n, a, b: smaller(a(n), b(n)),
        lambda n, a, b: larger(a(n) - b(n), 1),
        lambda n, a, b: a(n) // 2 * b(n),
    ]
    pairs = itertools.product(two, one, one)
    return [f(size) for f in one] + [t(size, a, b) for t, a, b in pairs]


def test_bounds_and_equalities_are_those_of_numbers():
    found = []

    def traced(x, mask):
        n = x[mask].shape[0]
        found.extend(expressions(n, jax.core.min_dim, jax.core.max_dim))
        return x

    jax.jit(shims.dynamic(traced)).trace(jnp.asarray(X), jnp.asarray(MASKS["some"], bool))
    numbers = np.array([expressions(n, min, max) for n in range(9)]).T
    assert len(found) == len(numbers) > 150
    for d, values in zip(found, numbers, strict=True):
        if not jp.is_symbolic(d):
            assert (values == d).all()
            continue
        (name,) = jp.variables(d)
        domain = ((name, (0, 8)),)
        np.testing.assert_array_equal(possible_values.over(jp.form(d), domain), values)
        assert possible_values.extremes(jp.form(d), domain) == (values.min(), values.max())
    # A relation between `u` and one other expression is seen, whichever of the two comes first.
    assert sum(not jp.is_symbolic(d) for d in found) >= 10


def test_too_many_possibilities_are_not_tried():
    found = []

    def traced(x, y):
        n, m = x[x > 0].shape[0], y[y > 0].shape[0]
        found.append(jax.core.min_dim(n * m, n))
        return x

    jax.jit(shims.dynamic(traced)).trace(jnp.zeros(2048), jnp.zeros(2048))
    (d,) = found
    domain = tuple((name, (0, 2048)) for name in sorted(jp.variables(d)))
    assert possible_values.extremes(jp.form(d), domain) is None
