"""One step of each family over a selection, padded and exact: the same values and gradients, quickly.

The table of `tests/tracing/programs` is the thorough one; this is what mutants of the rules are run against.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims as tf

X = np.array([[3.0, 1.0], [-2.0, 5.0], [0.5, -1.0], [4.0, 4.0], [2.0, -7.0]], np.float32)
ROWS = {
    "some": np.array([True, False, True, True, False]),
    "none": np.zeros(5, bool),
    "all": np.ones(5, bool),
    "the last": np.array([False, False, False, False, True]),
}


def _reductions(y):
    return y.sum(0), y.sum(), y.prod(0), (y > 1).any(0), (y > 1).all(0), jnp.sum(y * y, 1)


def _extremes(y):
    full = jnp.concatenate([y, jnp.ones((1, 2))])
    return full.max(0), full.min(0), full.argmax(0), full.argmin(0), full.mean(0)


def _totals(y):
    return (
        jnp.cumsum(y, 0),
        lax.cummax(y, axis=0),
        lax.cumsum(y, axis=0, reverse=True),
        lax.cumprod(y, axis=0),
    )


def _orders(y):
    first = y[:, 0]
    return jnp.sort(first), jnp.argsort(first), jnp.flip(y, 0), lax.top_k(jnp.tile(first, 2), 0)[0]


def _contractions(y):
    return y.T @ y, y @ jnp.ones((2, 3)), jnp.einsum("ij,kj->ik", y, y), y @ y.T


def _shapes(y):
    return (
        y.reshape(-1),
        jnp.concatenate([y, y * 2]),
        jnp.stack([y, -y], 1),
        jnp.pad(y, ((1, 2), (0, 0))),
        jnp.broadcast_to(y[:, None], (y.shape[0], 3, 2)),
        jnp.tile(y, (2, 1)),
        y.T,
    )


def _positions(y):
    n = y.shape[0]
    places = jnp.arange(n)
    return (
        y[::-1],
        y[1:],
        y[:-1],
        y[::2],
        jnp.take(X, places, axis=0, mode="clip"),
        jnp.zeros((5, 2)).at[places].add(y),
        jnp.where(y > 1, y, places[:, None]),
    )


def _elements(y):
    z = jnp.abs(y) + 1
    return jnp.log(z), 1 / z, jnp.sqrt(z), z**0.5, y / y, jnp.exp(-z), jnp.sign(y)


def _again(y):
    z = tf.boolean_mask(y, y[:, 0] > 1)
    return z.sum(0), tf.shape(z)[0], jnp.int32(z.shape[0] + y.shape[0]), z


def _loops(y):
    def step(total, row):
        return total + row.sum(), total * row

    return lax.scan(step, 1.0, y), jax.vmap(lambda row: row.max() - row)(y)


FAMILIES = (
    _reductions,
    _extremes,
    _totals,
    _orders,
    _contractions,
    _shapes,
    _positions,
    _elements,
    _again,
    _loops,
)


def same(got, want):
    got, want = jax.tree.leaves(got), jax.tree.leaves(want)
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_as_exact_arrays(family):
    padded = tf.function(lambda x, m: family(tf.boolean_mask(x, m)), autograph=False)
    for rows in ROWS.values():
        same(padded(X, rows), family(jnp.asarray(X[rows])))


@pytest.mark.parametrize("family", [_reductions, _contractions, _shapes, _elements, _positions])
def test_gradients_as_of_exact_arrays(family):
    def total(y):
        floats = [z for z in jax.tree.leaves(family(y)) if jnp.issubdtype(z.dtype, jnp.floating)]
        return sum((z * jnp.cos(z)).sum() for z in floats)

    def of_selection(x, m):
        return jax.grad(lambda x: total(tf.boolean_mask(x, m)))(x)

    padded = jax.jit(tf.dynamic(of_selection))
    for rows in ROWS.values():
        want = np.zeros_like(X)
        want[rows] = jax.grad(total)(jnp.asarray(X[rows]))
        same(padded(X, rows), want)
