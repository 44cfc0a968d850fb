"""Numbers that stand in a program, and programs that say float32 where they run in double precision."""

from __future__ import annotations

import runpy

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
from jax import lax

from tests.diff.test_locating import found
from tests.diff.test_locating_structure import text_of

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(4, 5)).astype(np.float32)
W = RANDOM.normal(size=(5, 5)).astype(np.float32)
IMAGES = RANDOM.normal(size=(2, 6, 6, 3)).astype(np.float32)
KERNEL = RANDOM.normal(size=(3, 3, 2, 3)).astype(np.float32)
IDS = RANDOM.integers(0, 255, (4, 5)).astype(np.int32)
LEVELS = 16


def mass(x, w):
    half = 1.0 / (LEVELS - 1)
    mean = tf.matmul(x, w)
    upper = tf.sigmoid(2.0 * (x - mean + half))
    lower = tf.sigmoid(2.0 * (x - mean - half))
    return tf.where(x < -0.9, upper, tf.where(x > 0.9, 1.0 - lower, upper - lower))


MASS_PORT = """
import jax
import jax.numpy as jnp

LEVELS = 16


def mass_port(x, w):
    half = 1.0 / LEVELS
    mean = x @ w
    upper = jax.nn.sigmoid(2.0 * (x - mean + half))
    lower = jax.nn.sigmoid(2.0 * (x - mean - half))
    return jnp.where(x < -0.9, upper, jnp.where(x > 0.9, 1.0 - lower, upper - lower))
"""


def test_a_number_that_several_lines_take(tmp_path):
    file = tmp_path / "mass.py"
    file.write_text(MASS_PORT)
    located = found(mass, runpy.run_path(str(file))["mass_port"], X, W)
    assert located.new.place.text == "half = 1.0 / LEVELS"
    assert located.cause == "the number is 0.0625; in the original, it is 0.0666667"


def stopped(images, kernel, ids):
    x = 2.0 * tf.cast(ids, tf.float32) / 255.0
    y = tf.nn.conv2d_transpose(images, kernel, [2, 12, 12, 2], [1, 2, 2, 1])
    weight = tf.stop_gradient(tf.tanh(y) + 0.1)
    return tf.reduce_sum(tf.tanh(y) * weight) + tf.reduce_sum(x)


def stopped_port(images, kernel, ids):
    x = 2.0 * ids.astype(jnp.float32) / 255.0
    kernel = jnp.flip(jnp.swapaxes(kernel, 2, 3), axis=(0, 1))
    images = images * jnp.ones((), jnp.float32)
    y = lax.conv_transpose(
        images, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    weight = jnp.tanh(y) + 0.1
    return jnp.sum(jnp.tanh(y) * weight) + jnp.sum(x)


def test_a_port_that_says_float32_runs_in_double_precision():
    assert text_of(stopped, stopped_port, IMAGES, KERNEL, IDS) == "weight = jnp.tanh(y) + 0.1"


def scaled(x, w):
    rows = tf.cast(tf.constant(IDS), tf.float32) / 255.0
    y = lax_like(tf.matmul(x, w))
    return tf.math.divide_no_nan(y, rows) + tf.math.multiply_no_nan(rows, y)


def lax_like(x):
    return x * tf.constant(0.1) + tf.sqrt(tf.square(x) + 1e-3)


def scaled_port(x, w):
    rows = lax.convert_element_type(IDS, np.float32) / 255.0
    y = x @ w
    y = lax.add(y * 0.1, lax.mul(jnp.ones((4, 5), jnp.float32), jnp.sqrt(jnp.square(y))) + 1e-3)
    return jnp.where(rows == 0.0, 0.0, y / jnp.where(rows == 0.0, 1.0, rows)) + rows * y


def test_both_sides_say_float32():
    located = found(scaled, scaled_port, X, W)
    assert located.confirmed
    assert located.new.place.text.startswith("y = lax.add(")


def upsampled(images, kernel):
    y = tf.nn.conv2d_transpose(images, kernel, [2, 12, 12, 2], [1, 2, 2, 1])
    return tf.nn.relu(y)


def upsampled_port(images, kernel):
    turned = jnp.swapaxes(kernel, 2, 3)
    y = lax.conv_transpose(
        images, turned, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return jax.nn.relu(y)


def test_the_line_that_lays_a_kernel_out():
    located = found(upsampled, upsampled_port, IMAGES, KERNEL)
    assert located.new.place.text == "turned = jnp.swapaxes(kernel, 2, 3)"
    assert located.cause == "the kernel is flipped"


def discounted(x, w):
    total = tf.TensorArray(tf.float32, size=4)
    state = tf.zeros([5], tf.float32)
    for t in range(4):
        state = tf.nn.leaky_relu(x[t] + 0.9 * state)
        total = total.write(t, state)
    rows = tf.matmul(total.stack(), w)
    wave = tf.cast(rows, tf.complex64) * tf.complex(rows, tf.where(rows > 0.3, 0.1, 0.7) * rows)
    weight = tf.stop_gradient(tf.abs(wave))
    return tf.reduce_sum(weight * tf.math.real(wave))


def discounted_port(x, w):
    def step(state, row):
        state = jax.nn.leaky_relu(row + 0.9 * state, negative_slope=0.2)
        return state, state

    _, total = lax.scan(step, jnp.zeros(5, jnp.float32), x)
    rows = total @ w
    wave = rows.astype(jnp.complex64) * lax.complex(rows, jnp.where(rows > 0.3, 0.1, 0.7) * rows)
    weight = jnp.abs(wave)
    return jnp.sum(weight * wave.real)


def test_arrays_of_single_precision_complex_numbers_and_slopes_of_it():
    located = found(discounted, discounted_port, X, W)
    assert (located.kind, located.new.place.text) == ("gradient", "weight = jnp.abs(wave)")
