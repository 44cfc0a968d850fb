"""Code of JAX that asks whether a size is even gets the answer for the data, inside of its derivatives, too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

PROGRAMS = {
    "rfft": lambda y: jnp.sum(jnp.abs(jnp.fft.rfft(y)) ** 2),
    "ihfft": lambda y: jnp.sum(jnp.abs(jnp.fft.ihfft(y)) ** 2),
    "columns": lambda y: jnp.sum(jnp.abs(jnp.fft.rfft2(jnp.stack([y, y * 2]))) ** 2),
}
LANES = {
    "function": lambda f: shims.function(jax.grad(f)),
    "jit": lambda f: jax.jit(shims.dynamic(jax.grad(f))),
}
X = jnp.array([3.0, -1.0, 1.0, 2.0, -4.0, 0.5])


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_inside_is_that_of_exact_arrays(name, lane):
    f = PROGRAMS[name]
    run = LANES[lane](lambda x: f(x[x > 0]))
    for x in (X, X.at[1].set(1.5), jnp.abs(X)):
        kept = x > 0
        want = jnp.zeros_like(x).at[jnp.flatnonzero(kept)].set(jax.grad(f)(x[kept]))
        np.testing.assert_allclose(run(x), want, rtol=1e-4, atol=1e-4)
