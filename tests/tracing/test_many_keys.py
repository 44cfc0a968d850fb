"""Draws from a selected number of keys, one for each row, are those of exactly as many keys."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.arange(6, dtype=np.float32)
SHAPES = np.linspace(0.5, 3, 6, dtype=np.float32)

DRAWS = {
    "numbers": lambda key, m: jax.random.normal(key),
    "rows of a known length": lambda key, m: jax.random.uniform(key, (3,)),
    "rows of a selected length": lambda key, m: jax.random.normal(key, (m,)),
    "blocks of a selected width": lambda key, m: jax.random.normal(key, (2, m)),
    "integers": lambda key, m: jax.random.randint(key, (m,), 0, 9),
    "keys of keys": lambda key, m: jax.random.normal(jax.random.split(key)[1], (m,)),
    "keys folded in": lambda key, m: jax.random.uniform(jax.random.fold_in(key, 3)),
    "gamma of a known length": lambda key, m: jax.random.gamma(key, SHAPES),
    "gamma of a selected length": lambda key, m: jax.random.gamma(key, 2.0, (m,)),
    "dirichlet": lambda key, m: jax.random.dirichlet(key, jnp.ones(3)),
    "poisson": lambda key, m: jax.random.poisson(key, 3.0),
    "permutations": lambda key, m: jax.random.permutation(key, m),
}


@pytest.mark.parametrize("data", [X, X * 0, X + 5], ids=["some", "none", "all"])
@pytest.mark.parametrize("name", DRAWS)
def test_draws_of_many_keys(name, data):
    def f(x):
        keys = jax.random.split(jax.random.key(0), x[x > 2].shape[0])
        m = x[x > 1].shape[0]
        return jax.vmap(lambda key: DRAWS[name](key, m))(keys)

    expected = f(data)
    for got in (shims.function(f)(data), jax.jit(shims.dynamic(f))(data).unpad()):
        assert got.dtype == expected.dtype
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-6)
