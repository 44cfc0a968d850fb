"""Loops, branches and their arrays, in both forms in which graphs have them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.importing.conftest import normal
from tf2jax_port.importing import import_graph

v1 = tf.compat.v1


def weight():
    return v1.get_variable("w", initializer=normal(4, 4) / 2, use_resource=False)


def loop(x):
    w = weight()
    step = lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w)))
    return tf.while_loop(lambda i, h: i < 3, step, [tf.constant(0), x])[1]


def recurrent(x):
    w, steps = weight(), tf.transpose(x, [1, 0, 2])
    cell = lambda h, row: tf.tanh(tf.matmul(h, w) + row)
    return tf.scan(cell, steps, initializer=tf.zeros_like(x[:, 0]))


def arrays(x):
    """The length of an array, and (version 1 alone) its elements joined."""
    array = tf.TensorArray(tf.float32, size=2, element_shape=[None, 4])
    array = array.write(0, x).write(1, x[:1])
    total = tf.cast(array.size(), tf.float32)
    return total * (array.stack() if v1.control_flow_v2_enabled() else array.concat())


def nested(x):
    """A branch in a loop in a loop, and two branches after each other on one predicate."""

    def inner(j, h):
        return j + 1, v1.cond(tf.reduce_sum(h) > 0, lambda: h * 0.5, lambda: 1.0 - h)

    def outer(i, h):
        return i + 1, tf.while_loop(lambda j, _: j < i, inner, [tf.constant(0), h])[1]

    h = tf.while_loop(lambda i, _: i < 3, outer, [tf.constant(0), x])[1]
    positive = tf.reduce_sum(x) > 0
    a, b = v1.cond(positive, lambda: (h, tf.constant([1.0, 2, 3, 4])), lambda: (h + 1, h[0]))
    return v1.cond(positive, lambda: a + b, lambda: a - b)


PROGRAMS = {
    "loop": (loop, (3, 4)),
    "recurrent": (recurrent, (2, 3, 4)),
    "nested": (nested, (2, 4)),
    "arrays": (arrays, (1, 4)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_tensorflow(name, control_flow, freeze):
    build, shape = PROGRAMS[name]
    for sign in (1, -1):
        x = sign * np.abs(normal(*shape))
        path, expected = freeze(build, x)
        function, variables = import_graph(path)
        actual = jax.jit(function)(variables, {"x:0": x})["y:0"]
        np.testing.assert_allclose(actual, expected, 1e-5, 1e-6)


def test_the_gradient_of_a_loop(freeze):
    x = normal(3, 4)

    def both(given):
        w = weight()
        y = given
        for _ in range(3):
            y = tf.tanh(tf.matmul(y, w))
        return tf.gradients(tf.reduce_sum(y * y), w)[0]

    enabled = v1.control_flow_v2_enabled()
    v1.disable_control_flow_v2()
    _, expected = freeze(both, x)
    function, variables = import_graph(freeze(loop, x)[0])
    if enabled:
        v1.enable_control_flow_v2()
    total = lambda variables: jnp.sum(function(variables, {"x:0": x})["y:0"] ** 2)
    np.testing.assert_allclose(jax.grad(total)(variables)["w"], expected, 1e-5, 1e-6)


def test_sizes_that_the_data_knows(freeze):
    x = normal(6, 4)
    path, expected = freeze(lambda x: v1.boolean_mask(x, x[:, 0] > 0), x)
    function, variables = import_graph(path)
    np.testing.assert_array_equal(function(variables, {"x:0": x})["y:0"], expected)
    compiled = shims.function(function)
    np.testing.assert_array_equal(compiled(variables, {"x:0": x})["y:0"], expected)
