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


def _columns(y):
    """A selection of rows and of columns: two sizes that only the run knows."""
    z = tf.boolean_mask(y.T, jnp.array([True, False]))
    both = jnp.concatenate([y, z[0][:, None]], 1)
    wide = y[:, None, :] * tf.boolean_mask(jnp.arange(1.0, 5.0), X[:4, 0] > 1)[None, :, None]
    n, m = wide.shape[:2]
    return (
        both,
        wide.reshape(m, n, 2),
        wide.reshape(n * m, 2),
        wide.reshape(n, m * 2),
        wide.reshape(-1).reshape(n, m, 2),
        wide.reshape(n * 2, m),
        wide.sum(1),
        y.reshape(1, -1, 1),
        jnp.ones((n, 1)).reshape(n),
        jnp.tile(y, (m, 1)),
        jnp.ones(n)[:, None] * jnp.ones(m),
    )


def _bits(y):
    whole = y.astype(jnp.int32)
    bits = lax.bitcast_convert_type(y, jnp.int32)
    return (
        lax.bitcast_convert_type(bits, jnp.float32),
        lax.bitcast_convert_type(y, jnp.uint8).astype(jnp.int32).sum(-1),
        whole.sum(0),
        (whole == 0).sum(),
        (bits == 0).sum(0),
        lax.bitcast_convert_type(whole, jnp.float32),
        jnp.sort(whole, 0),
        jnp.sort(y > 0, 0),
        jnp.sort(y + 1j * y[:, ::-1], 0),
        jnp.lexsort((y[:, 1], y[:, 0])),
        lax.sort((whole[:, 0] // 2, y[:, 1]), num_keys=2)[1],
    )


def _powers(y):
    z = jnp.abs(y) + 0.5
    return z**-2, y**2, y**3, (y / z).sum(0), (1 / (y * 0 + 2)).sum(), lax.integer_pow(z, 0).sum()


def _numbers_of_sizes(y):
    n = y.shape[0]
    return (
        jnp.int32((3 - n) // 2),
        jnp.int32((n - 7) % 3),
        jnp.int32(n // 2 + n % 2),
        jnp.int32((n * n - 3 * n) // -2),
        jnp.arange(n * n - n + 1).sum(),
        jnp.zeros(n // 2 + 1),
        jnp.zeros((n + 1, n // 3 + 2)).at[0].add(1),
        y[: n // 2],
        y[n // 2 :],
        y[-1:],
        y[max(n - 2, 0) :],
    )


def _writes(y):
    n = y.shape[0]
    long = jnp.concatenate([y, jnp.zeros((2, 2))])
    return (
        lax.dynamic_update_slice(long, jnp.ones((2, 2)), (n - 1, 0)),
        lax.dynamic_slice(long, (n - 1, 0), (2, 2)),
        long.at[n].set(7.0),
        long.at[n + 5].set(7.0, mode="drop"),
        long.at[jnp.array([0, 1])].get(mode="promise_in_bounds"),
        jnp.take(long, jnp.array([0, 9, -20]), 0, mode="fill", fill_value=-1.0),
        jnp.take(long, jnp.array([0, 9]), 0, mode="clip"),
        jnp.take_along_axis(long, jnp.argsort(long, 0), 0),
    )


FAMILIES = (
    _columns,
    _bits,
    _powers,
    _numbers_of_sizes,
    _writes,
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


@pytest.mark.parametrize(
    "family",
    [_reductions, _contractions, _shapes, _elements, _positions, _columns, _writes, _powers],
)
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


@pytest.mark.parametrize(
    "read",
    [
        lambda y: y[0],
        lambda y: lax.dynamic_slice(y, (1, 0), (3, 2)),
        lambda y: y.max(0),
        lambda y: lax.dynamic_update_slice(y, jnp.ones((3, 2)), (0, 0)),
        lambda y: y[:, 0].astype(jnp.int32)[0],
        lambda y: y[1:][0],
    ],
)
def test_too_few_rows_are_an_error(read):
    """A read beyond the rows that are there fails at the top level, as for exact arrays."""
    f = tf.function(lambda x, m: read(tf.boolean_mask(x, m)), autograph=False)
    same(f(X, ROWS["all"]), read(jnp.asarray(X)))
    with pytest.raises((ValueError, TypeError, IndexError, tf.errors.OpError)):
        f(X, ROWS["none"])


@pytest.mark.parametrize(
    "read", [lambda y: y[0], lambda y: y.max(0), lambda y: y[1:][0], lambda y: y[-1] * 2]
)
def test_too_few_rows_give_nan_in_an_enclosing_trace(read):
    """No error can be raised there."""
    f = jax.jit(tf.dynamic(lambda x, m: read(tf.boolean_mask(x, m))))
    same(f(X, ROWS["all"]), read(jnp.asarray(X)))
    assert np.isnan(f(X, ROWS["none"])).all()


@pytest.mark.parametrize("length", [1024, 5002, (1 << 16) + 3])
def test_long_vectors(length):
    """Counts, and running totals of the mask, are computed in blocks, and the rest beside them."""
    x = np.arange(length, dtype=np.int32) % 97
    f = tf.function(
        lambda x, m: (tf.boolean_mask(x, m), tf.cumsum(tf.boolean_mask(x, m)), jnp.cumsum(x)),
        autograph=False,
    )
    for rest in (x % 3 == 0, x < 0, x >= 0, np.arange(length) == length - 1):
        same(
            f(x, rest), (x[rest], np.cumsum(x[rest], dtype=np.int32), np.cumsum(x, dtype=np.int32))
        )
