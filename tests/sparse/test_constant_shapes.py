"""Sparse tensors whose shape is a constant, made under somebody else's trace."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

VALUES = np.float32([1, 2, 3])
PLACES = [[0, 1], [1, 0], [2, 3]]
RESULTS = {
    "to_dense": shims.sparse.to_dense,
    "transpose": lambda s: shims.sparse.to_dense(shims.sparse.transpose(s)),
    "expand_dims": lambda s: shims.sparse.to_dense(shims.sparse.expand_dims(s, 1)),
    "reduce_sum": lambda s: shims.sparse.reduce_sum(s, 1),
    "matmul": lambda s: shims.sparse.sparse_dense_matmul(s, jnp.ones((4, 2))),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_the_sizes_that_the_shape_states(name):
    def f(values):
        return RESULTS[name](shims.sparse.SparseTensor(PLACES, values, [3, 4]))

    want = np.asarray(f(jnp.asarray(VALUES)))
    np.testing.assert_array_equal(jax.jit(f)(VALUES), want)
    batch = jax.vmap(f)(np.stack([VALUES, 2 * VALUES]))
    np.testing.assert_array_equal(batch, [want, 2 * want])


def test_gradients_pass():
    def loss(values):
        sp = shims.sparse.SparseTensor(PLACES, values, np.array([3, 4]))
        return jnp.sum(shims.sparse.to_dense(shims.sparse.transpose(sp)) ** 2)

    np.testing.assert_array_equal(jax.jit(jax.grad(loss))(VALUES), 2 * VALUES)
