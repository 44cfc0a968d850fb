"""Divisors whose squares no float can hold: TensorFlow divides twice, JAX multiplies by a power."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.float32([1e-25, 3e25, 0, 1e-30, 2])
Y = np.float32([1e-20, 1e20, 1e-30, 1e-30, 5])
PROGRAMS = {
    "elements": lambda m, x, y: x / y,
    "by-a-number": lambda m, x, y: x / m.reduce_max(x) / y[0],
    "of-a-number": lambda m, x, y: 2.0 / y,
    "rows": lambda m, x, y: m.stack([x, y]) / m.reduce_sum(m.stack([x, y]), 1, keepdims=True),
    "columns": lambda m, x, y: x[:, None] / y[None, :],
    "divide": lambda m, x, y: m.divide(x, y),
    "no-nan": lambda m, x, y: m.math.divide_no_nan(x, y),
}


def gradients(m, f, x, y):
    x, y = m.constant(x), m.constant(y)
    with m.GradientTape() as tape:
        tape.watch([x, y])
        out = f(x, y)
    found = tape.gradient(out, [x, y], unconnected_gradients="zero")
    return [np.asarray(a) for a in (out, *found)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_of_extreme_quotients_are_tensorflows(name):
    program = PROGRAMS[name]
    want = gradients(tf, lambda x, y: program(tf, x, y), X, Y)
    unknown = [shims.TensorSpec([None]), shims.TensorSpec([None])]
    staged = shims.function(lambda x, y: program(shims, x, y), input_signature=unknown)
    for f in (lambda x, y: program(shims, x, y), staged):
        for a, b in zip(gradients(shims, f, X, Y), want, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-6)


def test_a_quotient_of_a_quotient_does_not_become_one_of_a_product():
    x, y = np.float32([1e30, 3e30]), np.float32([1e25, 2e25])
    want = x / y / y
    f = shims.function(lambda x, y: x / y / y, input_signature=[shims.TensorSpec([None])] * 2)
    np.testing.assert_allclose(f(x, y), want, rtol=1e-6)
    np.testing.assert_allclose(
        jax.jit(lambda x, y: shims.divide(shims.divide(x, y), y))(x, y), want
    )


def test_higher_derivatives_and_batches():
    slope = jax.grad(lambda y: shims.divide(jnp.float32(1e-25), y))
    np.testing.assert_allclose(jax.vmap(slope)(jnp.float32([1e-20, 1])), [-1e15, -1e-25], rtol=1e-6)
    second = jax.grad(jax.grad(lambda y: shims.divide(jnp.float32(1), y)))
    np.testing.assert_allclose(second(jnp.float32(2)), 0.25, rtol=1e-6)
    rows = jax.grad(lambda y: jnp.sum(shims.divide(jnp.ones((2, 3)), y)))(jnp.full((2, 1), 2.0))
    np.testing.assert_allclose(rows, [[-0.75], [-0.75]])


def test_a_zero_for_all_slots_does_not_reach_through_the_padding():
    def f(x, y):
        rows = shims.reshape(x, [2, -1])
        return rows / shims.reduce_sum(rows * y, 1, keepdims=True), rows / y

    x, y = np.float32([0, 0, 0, 1, 2, 3]), np.float32(1)
    staged = shims.function(f, input_signature=[shims.TensorSpec([None]), shims.TensorSpec([])])
    for got, want in zip(
        gradients(shims, lambda x, y: staged(x, y)[0], x, y),
        gradients(
            tf,
            lambda x, y: (
                tf.reshape(x, [2, -1]) / tf.reduce_sum(tf.reshape(x, [2, -1]) * y, 1, keepdims=True)
            ),
            x,
            y,
        ),
        strict=True,
    ):
        np.testing.assert_allclose(got, want, rtol=1e-6)
