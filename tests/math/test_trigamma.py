"""The slope of `digamma` below 0, where TensorFlow's is no slope of what TensorFlow computes."""

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims

X = np.array([-0.3, -1.5, -4.9, -5.1, -7.5, -8.7, -13.93, -20.3, -1000.4], np.float32)


def slopes_of_tensorflow():
    step = 1e-5
    up, down = (tf.math.digamma(X.astype(np.float64) + sign * step) for sign in (1, -1))
    return ((up - down) / (2 * step)).numpy()


def test_it_is_the_slope_of_the_values():
    slope = jax.vmap(jax.grad(shims.math.digamma))(jnp.asarray(X))
    np.testing.assert_allclose(slope, slopes_of_tensorflow(), rtol=1e-4)
    np.testing.assert_allclose(shims.math.polygamma(1.0, X), slope, rtol=1e-6)


def test_above_it_is_tensorflows():
    x = np.linspace(-4.9, 9, 50, dtype=np.float32)
    slope = shims.math.polygamma(1.0, x)
    np.testing.assert_allclose(slope, tf.math.polygamma(1.0, x), rtol=1e-4)
