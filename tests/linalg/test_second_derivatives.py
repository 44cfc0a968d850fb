"""Second derivatives of general eigenvalues and eigenvectors, whose complex results the table's test leaves out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

STEP = 1e-5

FUNCTIONS = {
    "eigvals": lambda a: jnp.sum(jnp.real(shims.linalg.eigvals(a)) ** 3),
    "eig": lambda a: jnp.sum(jnp.abs(shims.linalg.eig(a)[1]) ** 4),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_equal_differences_of_first_derivatives(function):
    with jax.enable_x64(True):
        a, along = (jnp.asarray(np.random.default_rng(i).normal(size=(3, 3))) for i in range(2))
        slope = jax.grad(function)
        difference = (slope(a + STEP * along) - slope(a - STEP * along)) / (2 * STEP)
        second = jax.grad(lambda x: jnp.vdot(slope(x), along))(a)
    np.testing.assert_allclose(second, difference, rtol=1e-6, atol=1e-6)
