"""A pytree node keeps its structure when JAX rebuilds it, so that compiled calls can return it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import shims


def test_indexed_slices_of_unknown_sizes_leave_a_compiled_function_again_and_again():
    def slices(x):
        return shims.IndexedSlices(
            x * 2.0, jnp.int32([0, 2, 1])[: x.shape[0]], dense_shape=shims.shape(x)
        )

    values = np.zeros((8, 8), np.float32)
    values[:3, :2] = np.arange(6).reshape(3, 2)
    x = shims.Padded(jnp.asarray(values), {0: jnp.int32(3), 1: jnp.int32(2)}, jnp.int32(0))
    compiled = jax.jit(shims.dynamic(slices))
    for _ in range(3):
        found = compiled(x)
        np.testing.assert_array_equal(found.values.unpad(), 2 * values[:3, :2])
        assert found.dense_shape == (3, 2)


def test_indexed_slices_keep_their_structure_when_they_are_rebuilt():
    slices = shims.IndexedSlices(jnp.ones([2, 2]), jnp.int32([0, 1]), (jnp.int32(4), 2))
    leaves, structure = jax.tree.flatten(slices)
    again = jax.tree.unflatten(structure, leaves)
    assert jax.tree.structure(again) == structure
    assert again.dense_shape == (4, 2)
