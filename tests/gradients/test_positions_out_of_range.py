"""Gradients of reads out of range: JAX's for JAX's operators, TensorFlow's XLA for TensorFlow's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.float32([1, 2, 3, 4])
WEIGHTS = np.float32([1, 10, 100])
POSITIONS = ([0, 2, 2], [3, -1, 1], [0, 7, 1], [0, -7, 1])

OF_JAX = {
    "x[i]": lambda x, i: x[i],
    "take": lambda x, i: jnp.nan_to_num(jnp.take(x, i)),
    "clip": lambda x, i: jnp.take(x, i, mode="clip"),
    "at": lambda x, i: x.at[i].get(mode="fill", fill_value=0),
    "along": lambda x, i: jnp.nan_to_num(jnp.take_along_axis(x, i, 0)),
    "scalar": lambda x, i: jnp.stack([x[i[0]], x[i[1]], x[i[2]]]),
}


def taped(f):
    def gradient(x):
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return shims.convert_to_tensor(tape.gradient(y, x))

    return gradient


LANES = {
    "function": lambda f: jax.grad(shims.function(f)),
    "dynamic": lambda f: jax.jit(jax.grad(shims.dynamic(f))),
    "tape": lambda f: taped(shims.function(f)),
}


@pytest.mark.parametrize(
    "lane", ["function", *(pytest.param(k, marks=pytest.mark.long) for k in ("dynamic", "tape"))]
)
@pytest.mark.parametrize("read", OF_JAX)
def test_reads_of_a_selection_have_gradients_of_jax(read, lane):
    loss = lambda x, i: jnp.sum(OF_JAX[read](x, i) * WEIGHTS)
    padded = np.float32([*X, -1, -1])
    for i in POSITIONS:
        found = LANES[lane](lambda x, i=i: loss(x[x > 0], jnp.int32(i)))(jnp.asarray(padded))
        want = jax.grad(loss)(jnp.asarray(X), jnp.int32(i))
        np.testing.assert_array_equal(found[:4], want)


OF_TENSORFLOW = {
    "gather": lambda m, x, i: m.gather(x, i),
    "gather of columns": lambda m, x, i: m.gather(m.stack([x, x * 2]), i, axis=1)[1],
    "gather_nd": lambda m, x, i: m.gather_nd(x, i[:, None]),
    "embedding": lambda m, x, i: m.nn.embedding_lookup(x[:, None], i)[:, 0],
}


@pytest.mark.parametrize("read", OF_TENSORFLOW)
def test_reads_under_jit_are_those_of_tensorflows_xla(read):
    @tf.function(jit_compile=True)
    def theirs(x, i):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = OF_TENSORFLOW[read](tf, x, i)
            loss = tf.reduce_sum(y * WEIGHTS)
        return y, tf.convert_to_tensor(tape.gradient(loss, x))

    def ours(x, i):
        y = OF_TENSORFLOW[read](shims, x, i)
        return jnp.sum(y * WEIGHTS), y

    compiled = jax.jit(jax.grad(ours, has_aux=True))
    for i in POSITIONS:
        value, gradient = theirs(tf.constant(X), tf.constant(i))
        found = compiled(jnp.asarray(X), jnp.int32(i))
        np.testing.assert_array_equal(found[1], value)
        np.testing.assert_array_equal(found[0], gradient)


@pytest.mark.parametrize("read", OF_TENSORFLOW)
def test_integers_are_read_alike(read):
    read = OF_TENSORFLOW[read]
    for i in POSITIONS:
        theirs = tf.function(lambda x, i: read(tf, x, i), jit_compile=True)
        found = jax.jit(lambda x, i: read(shims, x, i))(jnp.int32(X), jnp.int32(i))
        np.testing.assert_array_equal(found, theirs(tf.constant(X, tf.int32), tf.constant(i)))
