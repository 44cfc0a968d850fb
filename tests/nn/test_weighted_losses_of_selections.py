"""The TensorFlow 1 losses of selections, under somebody else's `jit`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.array([0.5, 0.0, 0.25, 1.0])
LOSSES = {
    "mean_squared_error": lambda f, y, x: f(y, x[:3]),
    "huber_loss": lambda f, y, x: f(x[:3], y),
    "hinge_loss": lambda f, y, x: f(x[:3], y),
    "cosine_distance": lambda f, y, x: f(y, x[:3], axis=0),
    "compute_weighted_loss": lambda f, y, x: f(y, 2.0),
}


@pytest.mark.parametrize("name", LOSSES)
def test_equal_to_exact_arrays(name):
    def call(x):
        chosen = shims.boolean_mask(x, x > 0)
        return LOSSES[name](getattr(shims.v1.losses, name), chosen, x)

    np.testing.assert_allclose(jax.jit(call)(X), call(X), rtol=1e-6)
