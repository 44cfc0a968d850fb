"""The TensorFlow 1 optimizers: steps, slots, names and errors are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tensorflow

import shims.compat.v1 as tf
from shims import errors
from tests.harness.compare import Dtypes, Tolerance, assert_same
from tests.v1.optimizer_cases import five_steps

tf1 = tensorflow.compat.v1


@pytest.mark.parametrize(
    ("use_resource", "dtype"),
    [
        pytest.param(None, "float32", id="mixed-float32"),
        pytest.param(False, "float32", id="ref-float32", marks=pytest.mark.long),
        pytest.param(True, "float64", id="resource-float64", marks=pytest.mark.long),
    ],
)
def test_five_steps_are_tensorflows(use_resource, dtype):
    theirs = five_steps(tf1, use_resource, dtype)
    ours = five_steps(tf, use_resource, dtype)
    assert list(ours) == list(theirs)
    # Measured: 5e-6 and 2e-14, except where a sum cancels.
    limit = 2e-5 if dtype == "float32" else 1e-13
    for name, expected in theirs.items():
        near = 0.1 * limit * np.abs(expected).max()
        assert_same(ours[name], expected, Tolerance(limit, near), Dtypes.SAME, what=name)


@pytest.fixture
def model():
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0.5, name="b")
    other = tf.Variable(3.0, name="other")
    return w, b, other, tf.reduce_sum(tf.square(w)) + b


def test_names_slots_and_collections(model):
    w, b, _, loss = model
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(loss, global_step=step)
    assert (train.name, train.type) == ("Adam", "AssignAdd")
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train]
    assert [v.name for v in tf.global_variables()] == [
        *("w:0", "b:0", "other:0", "global_step:0", "beta1_power:0", "beta2_power:0"),
        *("w/Adam:0", "w/Adam_1:0", "b/Adam:0", "b/Adam_1:0"),
    ]
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(w, "v").name == "w/Adam_1:0"
    assert optimizer.get_slot(w, "nothing") is None
    assert [v.name for v in optimizer.variables()] == [
        *("b/Adam:0", "b/Adam_1:0", "beta1_power:0", "beta2_power:0", "w/Adam:0", "w/Adam_1:0")
    ]
    assert w not in tf.get_collection("slots")
    with tf.variable_scope("again"):
        second = tf.train.MomentumOptimizer(0.1, 0.9, name="M").minimize(loss, var_list=[[w], b])
    assert second.name == "again/M"
    assert [v.name for v in tf.global_variables()][-2:] == ["again/w/M:0", "again/b/M:0"]


def test_the_step_is_counted_after_the_updates(model):
    w, _, _, loss = model
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(1.0, step, 1, 0.5)
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, step, var_list=[w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run([train, w])[0] is None
        np.testing.assert_array_equal(session.run(w), [-1.0, -2.0])
        session.run(train)
        np.testing.assert_array_equal(session.run(w), [0.0, 0.0])
        assert tf.train.global_step(session, step) == 2


def test_a_gradient_of_rows_adds_rows_with_one_index():
    table = tf.Variable(np.ones([4, 2], np.float32))
    loss = tf.reduce_sum(tf.gather(table, [1, 3, 1]))
    optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
    ((gradient, _),) = optimizer.compute_gradients(loss)
    assert isinstance(gradient, tf.IndexedSlices)
    train = optimizer.apply_gradients([(gradient, table)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_array_equal(session.run(table)[:, 0], [1, -1, 1, 0])
        np.testing.assert_array_equal(
            session.run(optimizer.get_slot(table, "momentum"))[:, 0], [0, 2, 0, 1]
        )


class Signs(tf.train.Optimizer):
    """An optimizer as a program writes one, with what it keeps."""

    def __init__(self):
        super().__init__(False, "Signs")

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "seen", self._name)

    def _prepare(self):
        self._rate = tf.convert_to_tensor(0.5)

    def _apply_dense(self, grad, var):
        seen = self.get_slot(var, "seen").assign_add(tf.sign(grad))
        return tf.group(var.assign_sub(self._rate * tf.sign(grad)), seen)

    def _apply_sparse(self, grad, var):
        return tf.scatter_sub(var, grad.indices, grad.values)


def test_an_optimizer_of_the_programs_own():
    w = tf.Variable([3.0, -2.0], name="w")
    table = tf.Variable([[1.0], [2.0]])
    optimizer = Signs()
    loss = tf.reduce_sum(tf.square(w)) + tf.reduce_sum(tf.gather(table, [1, 1]))
    train = optimizer.minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_array_equal(session.run(w), [2.5, -1.5])
        np.testing.assert_array_equal(session.run(table), [[1.0], [0.0]])
        np.testing.assert_array_equal(session.run(optimizer.get_slot(w, "seen")), [1.0, -1.0])


def test_a_constraint_is_applied_after_the_update():
    w = tf.Variable([1.0, -1.0], constraint=lambda x: tf.clip_by_value(x, 0.0, 0.25))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_array_equal(session.run(w), [0.25, 0.0])


ERRORS = {
    "no gradient": (
        lambda m: tf.train.AdamOptimizer().minimize(tf.constant(1.0)),
        ValueError,
        "No gradients provided for any variable, check your graph",
    ),
    "all are None": (
        lambda m: tf.train.AdamOptimizer().apply_gradients([(None, m[0])]),
        ValueError,
        "No gradients provided for any variable: \\[",
    ),
    "nothing at all": (
        lambda m: tf.train.AdamOptimizer().apply_gradients([]),
        ValueError,
        "No variables provided",
    ),
    "no variables": (
        lambda m: tf.train.AdamOptimizer().minimize(m[3], var_list=[]),
        ValueError,
        "No variables to optimize",
    ),
    "gate": (
        lambda m: tf.train.AdamOptimizer().minimize(m[3], gate_gradients=7),
        ValueError,
        "gate_gradients must be one of",
    ),
    "a string": (
        lambda m: tf.train.AdamOptimizer().apply_gradients([("a", m[0])]),
        TypeError,
        "float32|Gradient must be",
    ),
    "integers": (
        lambda m: tf.train.AdamOptimizer().compute_gradients(tf.constant(1)),
        ValueError,
        "Invalid type",
    ),
    "no optimizer's variable": (
        lambda m: tf.train.AdamOptimizer().compute_gradients(m[3], var_list=["w"]),
        NotImplementedError,
        "Trying to optimize unsupported type",
    ),
    "dtype": (
        lambda m: tf.train.AdamOptimizer().apply_gradients(
            [(tf.constant([1.0, 2.0], tf.float64), m[0])]
        ),
        TypeError,
        "float64 that does not match type float32",
    ),
    "shape": (
        lambda m: tf.train.AdamOptimizer().apply_gradients([(tf.constant([1.0]), m[0])]),
        ValueError,
        "Shapes must be equal",
    ),
    "rate": (
        lambda m: tf.train.AdamOptimizer([0.1, 0.2]).minimize(m[3]),
        ValueError,
        "Shape must be rank 0",
    ),
    "name": (lambda m: tf.train.Optimizer(False, ""), ValueError, "Must specify the optimizer"),
    "accumulator": (
        lambda m: tf.train.AdagradOptimizer(0.1, 0.0),
        ValueError,
        "initial_accumulator_value must be positive",
    ),
    "power": (
        lambda m: tf.train.FtrlOptimizer(0.1, 0.5),
        ValueError,
        "learning_rate_power 0.500000 needs to be negative or zero",
    ),
    "workers": (
        lambda m: tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2),
        errors.UnimplementedError,
        "parameter servers and other workers are not supported",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(model, case):
    call, kind, message = ERRORS[case]
    with pytest.raises(kind, match=message):
        call(model)


def test_a_gradient_that_turns_out_to_have_another_shape_is_refused(model):
    given = tf.placeholder(tf.float32)
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(given, model[0])])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(errors.InvalidArgumentError):
            session.run(train, {given: [1.0]})
