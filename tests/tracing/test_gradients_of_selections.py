"""Gradients of programs over selections under `jax.jit`, where a derivative rule of JAX meets unknown sizes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

A = np.sin(np.arange(24, dtype=np.float32)).reshape(8, 3)
MASKS = {"full": [1] * 8, "some": [0, 1, 0, 1, 1, 0, 0, 1], "one": [0] * 7 + [1], "none": [0] * 8}


def kernel(rows):
    return rows @ rows.T + jnp.eye(rows.shape[0])


def blocks(rows):
    return rows[:, :, None] * rows[:, None, :] + jnp.eye(3)


def rebuilt(rows):
    u, s, vh = jnp.linalg.svd(rows, full_matrices=False)
    return jnp.sin(u * s @ vh)


PROGRAMS = {
    "determinant": lambda y: jnp.linalg.det(kernel(y)),
    "inverse_and_determinant": lambda y: (
        jnp.linalg.inv(kernel(y)).sum() + jnp.linalg.det(kernel(y))
    ),
    "determinants_of_rows": lambda y: (jnp.linalg.inv(blocks(y)), jnp.linalg.det(blocks(y))),
    "singular_values": lambda y: jnp.linalg.svd(y, full_matrices=False)[1],
    "singular_vectors": rebuilt,
    "singular_vectors_of_columns": lambda y: rebuilt(y.T),
    "pseudoinverse": lambda y: jnp.linalg.pinv(y),
    "least_squares": lambda y: (
        jnp.linalg.lstsq(y, y[:, 0] + 1)[0] if y.shape[0] >= 3 else jnp.zeros(3)
    ),
    "loop_as_scan": lambda y: lax.scan(
        lambda c, i: (c * 0.9 + y[i, 0], None), jnp.float32(0), jnp.arange(y.shape[0])
    )[0],
    "upper_products": lambda y: (y @ y.T)[jnp.triu_indices(y.shape[0], 1)],
}
# JAX's own rules fail for exact arrays of no rows.
OF_NONE = ("determinant", "inverse_and_determinant", "singular_values", "singular_vectors")
OF_NONE = (*OF_NONE, "singular_vectors_of_columns", "pseudoinverse", "loop_as_scan")
# The others differentiate and compile for seconds.
SHORT = ("determinants_of_rows", "singular_vectors", "loop_as_scan", "upper_products")
NAMES = [n if n in SHORT else pytest.param(n, marks=pytest.mark.long) for n in PROGRAMS]


@pytest.mark.parametrize("name", NAMES)
def test_as_exact_arrays(name):
    def loss(a, mask):
        return sum(jnp.sum(x * x) for x in jax.tree.leaves(PROGRAMS[name](a[mask])))

    run = jax.jit(jax.grad(shims.dynamic(loss)))
    for amount, mask in MASKS.items():
        given = jnp.asarray(A), jnp.asarray(mask, bool)
        got = run(*given)
        if amount == "none" and name in OF_NONE:
            assert not got.any()
            continue
        np.testing.assert_allclose(got, jax.grad(loss)(*given), rtol=3e-4, atol=1e-5)


def shortened(y):
    while y.shape[0] > 2:
        y = y[1:]
    return y


def halved(y):
    while y.shape[0] > 1:
        half = y.shape[0] // 2
        y = y[:half] * 2 + y[y.shape[0] - half :]
    return y


def filtered(y):
    while y.shape[0] > 2:
        y = y[y > y.mean()]
    return y


@pytest.mark.parametrize("body", [shortened, halved, filtered])
def test_a_value_that_only_shrinks_needs_no_bound(body):
    run = jax.jit(shims.dynamic(lambda a, mask: body(a[mask])))
    for mask in MASKS.values():
        got = run(A[:, 0], np.asarray(mask, bool)).unpad()
        np.testing.assert_allclose(got, body(jnp.asarray(A[np.asarray(mask, bool), 0])), rtol=1e-6)


@jax.custom_vjp
def every_second(y):
    return y[::2]


def spread(size, gradient):
    return (jnp.zeros(size).at[::2].set(2 * gradient),)


every_second.defvjp(lambda y: (y[::2], y.shape[0]), spread)


@pytest.mark.parametrize("wrap", [shims.dynamic, shims.function])
def test_a_size_among_the_residuals_of_a_pullback(wrap):
    def loss(x):
        return jnp.sum(every_second(x[x > 0]) ** 2)

    gradient = jax.jit(jax.grad(wrap(loss)))
    for x, want in (
        ([1, -2, 3, -4, 5, -6], [4, 0, 0, 0, 20, 0]),
        ([-1, 2, -3, -4, -5, -6], [0, 8, 0, 0, 0, 0]),
        ([-1] * 6, [0] * 6),
    ):
        np.testing.assert_allclose(gradient(np.float32(x)), want)


def test_a_pullback_of_another_size_is_an_error():
    @jax.custom_vjp
    def doubled(y):
        return 2 * y

    doubled.defvjp(lambda y: (2 * y, None), lambda _, g: (g[1:],))
    gradient = jax.jit(jax.grad(shims.dynamic(lambda x: jnp.sum(doubled(x[x > 0])))))
    assert np.isnan(gradient(np.float32([1, 2, -1]))).any()
