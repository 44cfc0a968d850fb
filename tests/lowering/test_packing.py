"""The count of a validity mask under the transformations of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from shims._src.lowering import packing

LONG = packing._LONG
LENGTHS = (0, 1, 5, LONG - 1, LONG, LONG + 3)


def masks(length, rows=3):
    return np.random.default_rng(length).random((rows, length)) < np.array([[0.0], [0.5], [1.0]])


@pytest.mark.parametrize("length", LENGTHS)
def test_a_count_is_an_int32_however_it_is_transformed(length):
    rows = masks(length)
    expected = rows.sum(1)
    for found in (
        jnp.stack([packing.count(row) for row in jnp.asarray(rows)]),
        jnp.stack([jax.jit(packing.count)(row) for row in rows]),
        jax.vmap(packing.count)(rows),
        jax.jit(jax.vmap(packing.count, in_axes=1))(rows.T),
        jax.vmap(jax.vmap(packing.count))(rows[None])[0],
        jax.lax.map(packing.count, rows),
    ):
        assert found.dtype == jnp.int32
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("length", [5, LONG + 3])
def test_a_count_has_no_derivative_and_stops_none(length):
    x = jnp.asarray(np.random.default_rng(0).normal(size=length), jnp.float32)

    def mean(x):
        valid = x > 0
        return jnp.sum(jnp.where(valid, x, 0)) / packing.count(valid)

    def by_hand(x):
        valid = x > 0
        return jnp.sum(jnp.where(valid, x, 0)) / jnp.sum(valid)

    for transformed in (
        jax.grad,
        lambda f: jax.grad(jax.jit(f)),
        lambda f: lambda x: jax.jvp(f, (x,), (jnp.cos(x),))[1],
        lambda f: lambda x: jax.vmap(jax.grad(f))(jnp.stack([x, -x])),
        lambda f: lambda x: jax.jvp(jax.grad(f), (x,), (jnp.cos(x),))[1],
    ):
        np.testing.assert_allclose(transformed(mean)(x), transformed(by_hand)(x), rtol=1e-6)
    mask = x > 0
    out, slope = jax.jvp(packing.count, (mask,), (np.zeros(mask.shape, jax.dtypes.float0),))
    assert out == np.sum(mask)
    assert slope.dtype == jax.dtypes.float0
