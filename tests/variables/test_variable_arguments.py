"""Variables among the arguments of a function are the caller's own, as in TensorFlow.

All numbers are small multiples of a half, which no rounding changes: equality holds on every processor.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.float32([3.0, 4.0])


def one(tf):
    """A variable that is assigned to, twice by one program."""
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(variable, x):
        variable.assign_add(x)
        return variable * 2.0

    return [step(v, X), step(v, X), v.read_value()]


def several(tf):
    """Gradients with respect to a list of them; other variables are another program."""
    lists = [[tf.Variable([1.0, 2.0]), tf.Variable(3.0)], [tf.Variable([5.0, 6.0])] * 2]

    @tf.function
    def slopes(variables, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variables[0] * variables[1] * x)
        return tape.gradient(loss, variables)

    return [slopes(variables, X) for variables in lists]


def by_name(tf):
    """A dictionary, and a tape around the call."""
    parts = {"w": tf.Variable([1.0, 2.0]), "b": tf.Variable(0.5, trainable=False)}

    @tf.function
    def model(parts, x):
        parts["b"].assign(1.5)
        return tf.reduce_sum(parts["w"] * x) + parts["b"]

    with tf.GradientTape() as tape:
        out = model(parts, X)
    return [out, tape.gradient(out, parts["w"]), parts["b"].read_value()]


def by_value(tf):
    """A signature takes the value."""
    v = tf.Variable([1.0, 2.0])
    twice = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)])
    first = twice(v)
    v.assign([5.0, 6.0])
    return [first, twice(v)]


def by_signature(tf):
    """Where a signature asks for tensors, they are passed by value, and a tape outside sees the reads."""
    v, parts = tf.Variable([1.0, 2.0]), [tf.Variable([3.0, 0.5]), tf.Variable(2.0)]
    signature = [tf.TensorSpec([2]), [tf.TensorSpec([2]), tf.TensorSpec([])]]

    @tf.function(input_signature=signature)
    def loss(x, parts):
        return tf.reduce_sum(x * x * parts[0]) * parts[1]

    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            value = loss(v, parts)
        found.append([value, *tape.gradient(value, [v, *parts])])
        v.assign_add(X)
    with tf.GradientTape() as tape:
        value = loss(parts=parts, x=v)
    return [*found, tape.gradient(value, v)]


@pytest.mark.parametrize(
    "program", [by_signature, one, several, by_name, by_value], ids=lambda p: p.__name__
)
def test_programs(program):
    wanted, found = (jax.tree.map(np.asarray, program(library)) for library in (tf, shims))
    jax.tree.map(np.testing.assert_array_equal, found, wanted)


def test_the_same_variables_are_one_program():
    v = shims.Variable([1.0, 2.0])
    f = shims.function(lambda variables, x: variables[0] * x)
    for x in (X, X + 1):
        f([v], x)
    assert f.stats().traces == 1
    f([shims.Variable([1.0, 2.0])], X)
    assert f.stats().traces == 2


def test_transformations_see_values():
    v = shims.Variable([1.0, 2.0])
    square = shims.function(lambda variables: shims.reduce_sum(variables[0] * variables[0]))
    np.testing.assert_array_equal(jax.grad(lambda x: square([x]))(v), [2.0, 4.0])
