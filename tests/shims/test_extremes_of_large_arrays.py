"""A NaN among many numbers is the extreme of all, as in TensorFlow."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.table.compare import difference

MANY = np.linspace(-1, 1, 2**17, dtype=np.float32).reshape(512, 256)
MANY[3, 5] = np.nan


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["reduce_max", "reduce_min"])
def test_nan_among_many(name, axis):
    want = getattr(tf, name)(MANY, axis=axis).numpy()
    assert np.isnan(want).sum() == 1
    call = lambda x: getattr(shims, name)(x, axis=axis)
    for run in (call, jax.jit(call), shims.function(call)):
        found = difference(np.asarray(run(jnp.asarray(MANY))), want, 0.0)
        assert not found, found


def test_slope_at_nan_among_many():
    x = tf.constant(MANY)
    with tf.GradientTape() as tape:
        tape.watch(x)
        largest = tf.reduce_max(x, axis=1)
    want = tape.gradient(largest, x).numpy()
    got = jax.grad(lambda x: jnp.sum(shims.reduce_max(x, axis=1)))(jnp.asarray(MANY))
    found = difference(np.asarray(got), want, 0.0)
    assert not found, found
