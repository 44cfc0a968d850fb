"""What `Defun` of `tensorflow.python.framework.function` makes, whose numbers TensorFlow 2.21 computed."""

from __future__ import annotations

import numpy as np
import pytest

import shims.compat.v1 as tf
from shims.compat.v1.python.framework import function


def test_a_function_has_its_own_gradient():
    @function.Defun(
        python_grad_func=lambda op, dy: tf.convert_to_tensor(dy) * 3.0,
        shape_func=lambda op: [op.inputs[0].get_shape()],
    )
    def itself(x):
        return x

    x, v = tf.placeholder(tf.float32, [None, 2]), tf.Variable([[1.0, 2.0]])
    y = itself(x * v)
    assert y.shape.as_list() == [None, 2]
    with tf.Session() as session:
        session.run(v.initializer)
        value, *slopes = session.run([y, *tf.gradients(y, [x, v])], {x: [[1, 2], [3, 4.0]]})
    np.testing.assert_array_equal(value, [[1, 4], [3, 8]])
    np.testing.assert_array_equal(slopes[0], [[3, 6], [3, 6]])
    np.testing.assert_array_equal(slopes[1], [[12, 18]])


def test_a_gradient_may_be_a_function_of_the_graph():
    @function.Defun(tf.float32, tf.float32, tf.float32)
    def slopes(a, b, dy):
        return dy * b * 10.0, dy * a * 100.0

    @function.Defun(tf.float32, tf.float32, grad_func=slopes, func_name="product")
    def product(a, b):
        return a * b

    a = tf.constant([2.0, 3.0])
    y = product(a, [5.0, 5.0])
    with tf.Session() as session:
        value, slope = session.run([y, tf.gradients(y, a)[0]])
    assert (value.tolist(), slope.tolist()) == ([10, 15], [50, 50])


def test_a_function_without_one_is_differentiated():
    @function.Defun(tf.float32, tf.float32)
    def both(a, b):
        return a * b, a - b

    a = tf.constant([2.0, 3.0])
    p, q = both(a, a)
    with tf.Session() as session:
        assert session.run(tf.gradients(p + q, a)[0]).tolist() == [4, 6]


def test_each_argument_needs_a_gradient():
    @function.Defun(python_grad_func=lambda op, dy: dy)
    def product(a, b):
        return a * b

    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1"):
        product(tf.constant(1.0), tf.constant(2.0))
