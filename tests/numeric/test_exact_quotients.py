"""XLA turns quotients by one number into products with its reciprocal; TensorFlow's graphs do not.

Equality rests on quotients that both libraries round as IEEE does, with no product beside a sum: it holds
on every processor.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

NUMBERS = np.arange(1, 200, dtype=np.float32)
QUOTIENTS = {
    "truediv": (shims.truediv, tf.truediv),
    "divide": (shims.divide, tf.divide),
    "floordiv": (shims.math.floordiv, tf.math.floordiv),
    "truncatediv": (shims.truncatediv, tf.truncatediv),
    "divide_no_nan": (shims.math.divide_no_nan, tf.math.divide_no_nan),
}


@pytest.mark.parametrize("name", QUOTIENTS)
@pytest.mark.parametrize("by", ["a number", "a traced number", "rows"])
def test_each_quotient_is_rounded_by_itself(name, by):
    ours, theirs = QUOTIENTS[name]
    x = NUMBERS if by != "rows" else np.stack([NUMBERS, 3 * NUMBERS])
    y = np.float32(41) if by != "rows" else np.float32([[41], [55]])
    if by == "a number":
        found = [jax.jit(lambda v: ours(v, 41.0))(x), ours(jnp.asarray(x), 41.0)]
    else:
        found = [jax.jit(ours)(x, y), shims.function(ours)(x, y)]
    for result in found:
        np.testing.assert_array_equal(result, theirs(tf.constant(x), y))


def test_without_it_xla_gives_another_number():
    assert (np.asarray(jax.jit(lambda v: v / 41)(NUMBERS)) != NUMBERS / np.float32(41)).any()


def test_the_gradient_is_that_of_the_quotient():
    x, y = jnp.asarray([1.0, jnp.nan, -2.0]), jnp.float32(4.0)
    by_x, by_y = jax.grad(lambda x, y: jnp.sum(shims.truediv(x, y)), (0, 1))(x, y)
    np.testing.assert_array_equal(by_x, [0.25, 0.25, 0.25])
    assert np.isnan(by_y)


@pytest.mark.parametrize("step", [0.3, 0.7, 7.0, 41.0])
def test_a_range_has_as_many_numbers(step):
    def ours(limit):
        return shims.range(0.0, limit, step)

    run = shims.function(ours, input_signature=[shims.TensorSpec([])], autograph=False)
    for limit in np.arange(1, 30, dtype=np.float32) * np.float32(step):
        want = tf.range(0.0, limit, step)
        np.testing.assert_allclose(run(limit), want, rtol=1e-6)
        np.testing.assert_allclose(ours(limit), want, rtol=1e-6)


def test_the_slope_of_a_remainder_by_its_divisor():
    x = np.arange(-10, 10, 0.25, dtype=np.float32)[:, None]
    y = np.float32([[-2.75, -1.75, -0.7, 0.1, 0.3, 1.75]])

    def slope(library, x, y):
        with library.GradientTape() as tape:
            tape.watch(y)
            rest = library.math.floormod(x, y)
        return tape.gradient(rest, y)

    want = slope(tf, tf.constant(x), tf.constant(y))
    np.testing.assert_array_equal(slope(shims, jnp.asarray(x), jnp.asarray(y)), want)
    inside = shims.function(lambda x, y: slope(shims, x, y), autograph=False)
    np.testing.assert_array_equal(inside(x, y), want)


@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ("exponential_decay", "ExponentialDecay", {"decay_rate": 0.5, "staircase": True}),
        ("inverse_time_decay", "InverseTimeDecay", {"decay_rate": 0.5, "staircase": True}),
        ("polynomial_decay", "PolynomialDecay", {"cycle": True}),
    ],
)
@pytest.mark.parametrize("steps", [7, 41, 55])
def test_rates_change_where_they_are_told_to(ours, theirs, options, steps):
    schedule = jax.jit(getattr(shims.optax, ours)(0.1, steps, **options))
    want = getattr(tf.keras.optimizers.schedules, theirs)(0.1, steps, **options)
    for count in range(0, 20 * steps, steps):
        np.testing.assert_allclose(schedule(count), np.asarray(want(count)), rtol=1e-5)
