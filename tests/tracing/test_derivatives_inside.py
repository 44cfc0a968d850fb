"""Derivatives that are taken inside of a function are those of exact arrays: JAX's rules compare unknown sizes."""

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import pytest

import shims


def solved(y):
    matrix = jnp.tril(jnp.outer(y, y)) + jnp.eye(y.shape[0])
    return jnp.sum(jsp.linalg.solve_triangular(matrix, y, lower=True))


# Of a size that JAX's rule asks for: whether it is even, whether it is larger than another one.
PROGRAMS = {
    "rfft": lambda y: jnp.sum(jnp.abs(jnp.fft.rfft(y)) ** 2),
    "ihfft": lambda y: jnp.sum(jnp.abs(jnp.fft.ihfft(y)) ** 2),
    "rfft of columns": lambda y: jnp.sum(jnp.abs(jnp.fft.rfft2(jnp.stack([y, y * 2]))) ** 2),
    "triangular solve": solved,
}
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}
X = jnp.array([3.0, -1.0, 1.0, 2.0, -4.0, 0.5])


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_is_that_of_exact_arrays(name, lane):
    f = PROGRAMS[name]
    run = LANES[lane](jax.grad(lambda x: f(x[x > 0])))
    for x in (X, X.at[1].set(1.5), jnp.abs(X)):
        kept = x > 0
        want = jnp.zeros_like(x).at[jnp.flatnonzero(kept)].set(jax.grad(f)(x[kept]))
        np.testing.assert_allclose(run(x), want, rtol=1e-4, atol=1e-4)


def selected_again(x):
    if x[x > 0].shape[0]:
        return jnp.sum(x[x > 0] ** 2)
    return x.sum()


def chosen_again(x):
    return jnp.sum(x[x > 0] ** 3) if x[x > 0].shape[0] > 1 else (x**2).sum()


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("transformation", [jax.jacfwd, jax.hessian], ids=lambda t: t.__name__)
@pytest.mark.parametrize("f", [selected_again, chosen_again])
def test_branches_that_select_again_have_derivatives_in_all_directions(f, transformation, lane):
    run = LANES[lane](transformation(f))
    for x in (X, -jnp.abs(X)):
        np.testing.assert_allclose(run(x), transformation(f)(x), rtol=1e-5, atol=1e-6)
