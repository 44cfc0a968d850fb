"""A NaN among many numbers is the extreme of all, as in TensorFlow.

An extreme is one of the numbers, and a cost the sum of two, rounded once: equality holds on every processor.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import difference

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


@pytest.mark.parametrize("at", [0, 2500, 4999])
def test_greedy_labels_of_many_classes(at):
    scores = np.linspace(-1, 1, 10_000, dtype=np.float32).reshape(2, 1, 5000)
    scores[0, 0, at] = np.nan
    (labels,), cost = tf.nn.ctc_greedy_decoder(scores, [2])
    run = shims.function(lambda x: shims.nn.ctc_greedy_decoder(x, [2]))
    for call in (run, lambda x: shims.nn.ctc_greedy_decoder(x, [2])):
        (ours,), our_cost = call(jnp.asarray(scores))
        np.testing.assert_array_equal(np.asarray(our_cost), cost.numpy())
        np.testing.assert_array_equal(np.asarray(ours.values), labels.values.numpy())


@pytest.mark.parametrize("channel", [0, 1, 2])
def test_hue_of_many_pixels(channel):
    pixels = np.linspace(0, 1, 2**14 * 3, dtype=np.float32).reshape(2**7, 2**7, 3)
    pixels[5, 7, channel] = np.nan
    want = tf.image.adjust_hue(pixels, 0.2).numpy()
    lost = np.isnan(want).any(-1)
    assert lost.sum() == 1
    adjust = lambda x: shims.image.adjust_hue(x, 0.2)
    for run in (adjust, jax.jit(adjust)):
        # All channels of that pixel are NaN, of which TensorFlow leaves some.
        got = np.asarray(run(jnp.asarray(pixels)))
        np.testing.assert_array_equal(np.isnan(got), np.broadcast_to(lost[..., None], got.shape))
        found = difference(got[~lost], want[~lost], 1e-6)
        assert not found, found


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", ["norm", "log_softmax", "logsumexp"])
def test_what_takes_an_extreme_first(name, dtype, axis):
    call = {
        "norm": lambda m, x: m.norm(x, ord=np.inf, axis=axis),
        "log_softmax": lambda m, x: m.nn.log_softmax(x, axis=axis),
        "logsumexp": lambda m, x: m.reduce_logsumexp(x, axis=axis),
    }[name]
    x = tf.cast(MANY, dtype)
    want = np.isnan(tf.cast(call(tf, x), tf.float32).numpy())
    assert want.any()
    for run in (call, lambda m, x: jax.jit(lambda x: call(m, x))(x)):
        np.testing.assert_array_equal(np.isnan(run(shims, jnp.asarray(x.numpy()))), want)
