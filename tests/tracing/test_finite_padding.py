"""A number for all slots that is NaN or infinite does not reach what was not selected.

Of an empty selection the mean is NaN, and with it whatever is computed from both. TensorFlow's gradient of
what nothing was selected from is 0; 0 times a NaN in the padding would be NaN.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import difference

NAN, INF = float("nan"), float("inf")


def above(tf, x, least):
    return tf.boolean_mask(x, x > least)


# Some of a vector, by what brings them to their places: all of them, or none.
SELECTIONS = {
    "boolean_mask": above,
    "repeat": lambda tf, x, least: tf.repeat(x, 2 * tf.cast(x > least, tf.int32)),
    "gather": lambda tf, x, least: tf.gather(x, tf.where(x > least)[:, 0]),
    "slice": lambda tf, x, least: above(tf, x, least)[3:],
    "dynamic_partition": lambda tf, x, least: tf.dynamic_partition(
        x, tf.cast(x > least, tf.int32), 2
    )[1],
    "rows": lambda tf, x, least: above(tf, tf.stack([x, x + 1], 1), least),
    "reshape": lambda tf, x, least: _outer(tf, above(tf, x, least)),
    "reverse": lambda tf, x, least: tf.reverse(above(tf, x, least), [0]),
    "concat": lambda tf, x, least: tf.concat([above(tf, x, least), above(tf, x, 8.0)], 0),
    "tile": lambda tf, x, least: tf.tile(above(tf, x, least), [2]),
    "dynamic_stitch": lambda tf, x, least: tf.dynamic_stitch(
        [tf.range(tf.size(above(tf, x, least)))], [above(tf, x, least)]
    ),
}


def _outer(tf, y):
    return tf.reshape(y[:, None] * y[None], [-1])


def _filled(tf, y, number):
    return tf.fill([tf.shape(y)[0]], number)


# What joins them with a number; `s / 0` is infinite.
USES = {
    "deviation": lambda tf, y, s: tf.math.reduce_std(y * s),
    "standardized": lambda tf, y, s: (y - tf.reduce_mean(y)) / tf.math.reduce_std(y) * s,
    "subtract": lambda tf, y, s: tf.square(y - s / 0.0),
    "sin": lambda tf, y, s: tf.sin(y * s + tf.reduce_max(y)),
    "maximum": lambda tf, y, s: tf.maximum(y * s, tf.reduce_mean(y)) * y,
    "tanh": lambda tf, y, s: tf.tanh(y * tf.exp(s * 1000.0)) * y,
    "matmul": lambda tf, y, s: tf.square(
        tf.reshape(y, [-1, 1]) @ tf.reshape(s / 0.0 * 0.0, [1, 1])
    ),
    "cumsum": lambda tf, y, s: tf.cumsum(y * (s / 0.0)) ** 2,
    "gather": lambda tf, y, s: tf.gather(y * (s / 0.0), tf.range(tf.shape(y)[0])) ** 2,
    "fill": lambda tf, y, s: tf.reverse(_filled(tf, y, s / 0.0), [0]) ** 2,
    "concat": lambda tf, y, s: tf.concat([tf.reshape(y, [-1]), _filled(tf, y, s / 0.0)], 0) ** 2,
}

ARRAYS = ((5.0, [0.3, 0.5, 2.0, 0.2]), (0.4, [0.3, 0.5, 2.0, 0.2]), (0.4, [NAN, 1.0, 0.1, INF]))


def slopes(module, function, x, s):
    with module.GradientTape() as tape:
        tape.watch((x, s))
        result = function(x, s)
    found = tape.gradient(result, (x, s), unconnected_gradients="zero")
    return [np.asarray(result), *(np.asarray(module.convert_to_tensor(g)) for g in found)]


def check(selection, use, least, array):
    x, s = np.asarray(array, np.float32), np.float32(1.5)
    made = lambda t, x, s: t.reduce_sum(USES[use](t, SELECTIONS[selection](t, x, least), s))
    want = slopes(tf, lambda x, s: made(tf, x, s), tf.constant(x), tf.constant(s))
    function = shims.function(
        lambda x, s: made(shims, x, s),
        [shims.TensorSpec([None]), shims.TensorSpec([])],
        autograph=False,
    )
    got = slopes(shims, function, jnp.asarray(x), jnp.asarray(s))
    problems = [difference(a, b, 1e-5) for a, b in zip(got, want, strict=True)]
    assert not any(problems), (use, array, least, problems)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_gradients_around_a_function(selection):
    for use, (least, array) in itertools.product(USES, ARRAYS):
        check(selection, use, least, array)
    jax.clear_caches()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
def test_cumulative_operations_from_either_end(name, reverse):
    x = jnp.array([-jnp.inf, 1.0, 2.0, -jnp.inf, -jnp.inf])
    finite = jnp.array([2.0, 1.0, 2.0, 2.0, 1.0])
    mask = np.array([True, False, True, True, True])
    apply = lambda y: getattr(jax.lax, name)(y, reverse=reverse)
    run = jax.jit(shims.dynamic(lambda x, m: apply(x[m])))
    for given in (x, finite):
        np.testing.assert_allclose(run(given, mask).unpad(), apply(given[mask]), rtol=1e-6)
    slope = jax.jit(jax.grad(lambda x, m: shims.dynamic(lambda x, m: apply(x[m]).sum())(x, m)))
    np.testing.assert_allclose(
        slope(finite, mask), jax.grad(lambda x: apply(x[mask]).sum())(finite), rtol=1e-5
    )


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
@pytest.mark.parametrize("use", [jnp.square, lambda z: jnp.exp(-z)])
def test_an_infinite_total_stays_out_of_the_padding(name, reverse, use):
    x, kept = jnp.array([3.0, -2.0, 1.0, 5.0]), np.array([0, 2, 3])

    def total(y, s):
        return use(getattr(jax.lax, name)(y * (s / 0.0), reverse=reverse)).sum()

    found = jax.jit(jax.grad(shims.dynamic(lambda x, s: total(x[x > 0], s)), (0, 1)))(x, 1.0)
    want = jax.grad(lambda x, s: total(x[kept], s), (0, 1))(x, 1.0)
    for a, b in zip(found, want, strict=True):
        np.testing.assert_array_equal(a, b)
