"""The line is found where what it gives is right by accident, or is used in more than one way."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from tests.diff.test_locating_structure import text_of

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(4, 5)).astype(np.float32)
W = RANDOM.normal(size=(5, 5)).astype(np.float32)
IMAGES = RANDOM.normal(size=(2, 6, 4, 3)).astype(np.float32)


def _ratio(a, b):
    return jnp.where(b == 0.0, 0.0, a / jnp.where(b == 0.0, 1.0, b))


def free(x, w):
    channel = tf.reduce_sum(tf.square(tf.matmul(x, w)), axis=0)
    limited = tf.reduce_sum(tf.maximum(channel, 9.0))
    return limited * tf.sigmoid(tf.reduce_sum(channel) / 100.0)


def free_port(x, w):
    channel = jnp.sum(jnp.square(x @ w), axis=0)
    limited = jnp.maximum(jnp.sum(channel), 9.0)
    return limited * jax.nn.sigmoid(jnp.sum(channel) / 100.0)


def test_one_number_of_several_that_is_another_by_accident():
    line = "limited = jnp.maximum(jnp.sum(channel), 9.0)"
    assert text_of(free, free_port, X, W) == line


def bag(rows, weights, is_mean):
    valid = rows[:, :, 0] > -0.5
    w = tf.where(valid, weights, tf.zeros_like(weights))
    total = tf.reduce_sum(rows * w[:, :, None], axis=1)
    norm = tf.reduce_sum(w, axis=1) if is_mean else tf.sqrt(tf.reduce_sum(w**2, axis=1))
    return tf.math.divide_no_nan(total, norm[:, None])


def bags(images, w):
    weights = tf.exp(tf.reduce_sum(images, axis=[2, 3]))
    one = bag(images[:, :, 0], weights, True)
    return one + bag(images[:, :, 1], tf.ones_like(weights), False) + tf.reduce_sum(w)


def bag_port(rows, weights, is_mean):
    w = weights
    total = jnp.sum(rows * w[:, :, None], axis=1)
    norm = jnp.sum(w, axis=1) if is_mean else jnp.sqrt(jnp.sum(w**2, axis=1))
    return _ratio(total, norm[:, None])


def bags_port(images, w):
    weights = jnp.exp(jnp.sum(images, axis=(2, 3)))
    one = bag_port(images[:, :, 0], weights, True)
    return one + bag_port(images[:, :, 1], jnp.ones_like(weights), False) + jnp.sum(w)


def test_a_mask_is_missing_in_two_calls_one_of_them_on_ones():
    assert text_of(bags, bags_port, IMAGES, W) == "w = weights"


def leading(x, w):
    _, vectors = tf.linalg.eigh(tf.matmul(x, x, transpose_b=True))
    vectors = vectors[:, 1:3]
    return tf.abs(tf.matmul(vectors, w[:2]))


def leading_port(x, w):
    _, vectors = jnp.linalg.eigh(x @ x.T)
    vectors = -vectors[:, :2]
    return jnp.abs(vectors @ w[:2])


def test_another_part_of_what_has_other_signs():
    assert text_of(leading, leading_port, X, W) == "vectors = -vectors[:, :2]"


def adjacent(x, w):
    there = tf.constant([[0, 1], [2, 3], [3, 0], [1, 1], [4, 2]])
    weight = tf.reduce_sum(w * w, axis=1)
    adjacency = tf.scatter_nd(there, tf.stop_gradient(weight), [5, 5])
    return tf.reduce_sum(tf.matmul(x, adjacency)) + tf.reduce_sum(tf.sin(weight))


def adjacent_port(x, w):
    weight = jnp.sum(w * w, axis=1)
    adjacency = jnp.zeros((5, 5))
    adjacency = adjacency.at[jnp.array([0, 2, 3, 1, 4]), jnp.array([1, 3, 0, 1, 2])].add(weight)
    return jnp.sum(x @ adjacency) + jnp.sum(jnp.sin(weight))


def test_one_use_of_a_value_should_have_been_stopped():
    line = "adjacency = adjacency.at[jnp.array([0, 2, 3, 1, 4]), jnp.array([1, 3, 0, 1, 2])].add(weight)"
    assert text_of(adjacent, adjacent_port, X, W) == line
