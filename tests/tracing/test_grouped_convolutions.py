"""Convolutions in groups of the batch or of the features, over images of unknown height, with derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

DRAWN = np.random.RandomState(0)
IMAGES = DRAWN.randn(6, 4, 5, 2).astype(np.float32)
KERNEL = DRAWN.randn(2, 2, 2, 6).astype(np.float32)
GROUPS = {"batch_group_count": (3, KERNEL), "feature_group_count": (2, KERNEL[:, :, :1])}


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("groups", GROUPS)
def test_derivatives_are_those_of_known_sizes(groups, padding):
    count, kernel = GROUPS[groups]

    def loss(x, k):
        out = lax.conv_general_dilated(
            x, k, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"), **{groups: count}
        )
        return jnp.sin(out).sum()

    def derivatives(x, k):
        first = jax.grad(loss, (0, 1))(x, k)
        mixed = jax.grad(lambda x, k: (jax.grad(loss, 1)(x, k) * k).sum(), (0, 1))(x, k)
        return first, mixed

    signature = [shims.TensorSpec([6, None, 5, 2]), shims.TensorSpec(kernel.shape)]
    found = shims.function(derivatives, input_signature=signature)(IMAGES, kernel)
    for a, b in zip(
        jax.tree.leaves(found), jax.tree.leaves(derivatives(IMAGES, kernel)), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_a_reshape_of_transposed_axes(order):
    def f(x):
        y = x[x[:, 0] > 0].reshape(-1, 2, 3)
        sizes = [y.shape[i] for i in order]
        return lax.reshape(y, (sizes[0], sizes[1] * sizes[2]), order)

    x = DRAWN.randn(5, 6).astype(np.float32)
    want = f(jnp.asarray(x))
    np.testing.assert_array_equal(shims.function(f)(x), want)
    np.testing.assert_array_equal(jax.jit(shims.dynamic(f))(x).unpad(), want)
