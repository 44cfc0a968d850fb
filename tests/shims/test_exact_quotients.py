"""XLA turns quotients by one number into products with its reciprocal; TensorFlow's graphs do not."""

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
