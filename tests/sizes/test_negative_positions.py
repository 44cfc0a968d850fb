"""Positions computed from the size of a selection, negative where little is selected, as JAX reads them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims as tf

X = np.arange(10, dtype=np.float32).reshape(5, 2)
ROW = np.float32([[100, 200]])
READS = {
    "dynamic_slice": lambda x, k: lax.dynamic_slice(x, (k, 0), (2, 2)),
    "dynamic_slice_in_dim": lambda x, k: lax.dynamic_slice_in_dim(x, k, 2),
    "dynamic_index_in_dim": lax.dynamic_index_in_dim,
    "dynamic_update_slice": lambda x, k: lax.dynamic_update_slice(x, ROW, (k, 0)),
    "dynamic_update_slice_in_dim": lambda x, k: lax.dynamic_update_slice_in_dim(x, ROW, k, 0),
    "dynamic_update_index_in_dim": lambda x, k: lax.dynamic_update_index_in_dim(x, ROW[0], k, 0),
    "index_in_dim": lax.index_in_dim,
    "item": lambda x, k: x[k],
    "from": lambda x, k: x[k:].sum(),
    "before": lambda x, k: x[:k].sum(),
    "set": lambda x, k: x.at[k].set(5.0),
    "take": lambda x, k: jnp.take(x, k, 0),
    "roll": lambda x, k: jnp.roll(x, k, 0),
    "insert": lambda x, k: jnp.insert(x, k, 7.0, axis=0),
    "delete": lambda x, k: jnp.delete(x, k, axis=0),
    "diagonal": lambda x, k: jnp.diagonal(x @ x.T, k).sum(),
    "fori_loop": lambda x, k: lax.fori_loop(k, 3, lambda i, s: s + x[i].sum(), 0.0),
    "switch": lambda x, k: lax.switch(k, [lambda: x, lambda: 2 * x]),
}


@pytest.mark.parametrize("name", READS)
def test_under_jit(name):
    run = jax.jit(
        tf.dynamic(lambda x, m, k: READS[name](x, tf.boolean_mask(x, m).shape[0] - k)),
        static_argnums=2,
    )
    for k in (1, 3):
        for count in (0, 1, 4):
            want = READS[name](jnp.asarray(X), count - k)
            np.testing.assert_array_equal(run(X, np.arange(5) < count, k), want, f"{count} - {k}")
