"""TensorFlow as the reference: one program, run eagerly, with the gradients of `lanes.loss`."""

from __future__ import annotations

import functools

import jax
import numpy as np
import tensorflow as tf

from .lanes import Result, floating


@functools.cache
def eager(row, n: int, kind: str) -> Result:
    """What TensorFlow gives for one case: NumPy outputs, and gradients with zeros for `None`."""
    arguments = [tf.constant(a) for a in row.arguments(n, kind)]
    watched = [arguments[i] for i in floating(row.arguments(n, kind))] if row.gradient else []
    with tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = row.f(tf, *arguments)
        total = tf.zeros([])
        for leaf in tf.nest.flatten(outputs):
            if leaf.dtype.is_floating:
                total = total + tf.reduce_sum(tf.sin(leaf))
    gradients = tape.gradient(total, watched, unconnected_gradients="zero")
    return Result(jax.tree.map(as_jax, outputs), tuple(g.numpy() for g in map(densely, gradients)))


def densely(gradient):
    return tf.convert_to_tensor(gradient)


def as_jax(tensor) -> np.ndarray:
    """A tensor as NumPy, in the dtype that JAX has for it (64-bit types become 32-bit)."""
    array = tensor.numpy()
    return np.asarray(array, jax.dtypes.canonicalize_dtype(array.dtype))
