"""Modules of `tensorflow.python`, whose names are the public ones of TensorFlow 1."""

from __future__ import annotations

import importlib

import pytest

import shims.compat.v1 as tf

_PYTHON = "shims.compat.v1.python"


@pytest.mark.parametrize(
    ("path", "public"),
    [
        ("framework.dtypes.float32", "float32"),
        ("framework.ops.name_scope", "name_scope"),
        ("framework.tensor_util.constant_value", "get_static_value"),
        ("ops.array_ops.placeholder", "placeholder"),
        ("ops.check_ops.assert_scalar", "debugging.assert_scalar"),
        ("ops.init_ops.glorot_normal", "initializers.glorot_normal"),
        ("ops.nn.dynamic_rnn", "nn.dynamic_rnn"),
        ("ops.rnn_cell.LSTMCell", "nn.rnn_cell.LSTMCell"),
        ("platform.flags.FLAGS", "flags.FLAGS"),
        ("pywrap_tensorflow.NewCheckpointReader", "train.NewCheckpointReader"),
        ("training.moving_averages.ExponentialMovingAverage", "train.ExponentialMovingAverage"),
        ("util.nest.flatten", "nest.flatten"),
    ],
)
def test_a_name_is_the_public_one(path, public):
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(f"{_PYTHON}.{module}"), name)
    expected = tf
    for part in public.split("."):
        expected = getattr(expected, part)
    assert found is expected


def test_they_are_attributes_too():
    assert tf.python.ops.array_ops.shape(tf.zeros([2])).shape.as_list() == [1]


def test_a_name_without_a_public_one_is_refused_as_such():
    module = importlib.import_module(f"{_PYTHON}.ops.nn_ops")
    with pytest.raises(AttributeError, match=r"tensorflow\.python\.ops\.nn_ops\._calc.*internal"):
        module._calc  # noqa: B018
    kernels = importlib.import_module(f"{_PYTHON}.ops.gen_nn_ops")
    with pytest.raises(AttributeError, match=r"gen_nn_ops\.relu.*internal"):
        kernels.relu  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{_PYTHON}.ops.gen_unknown_ops")


def test_a_condition_that_is_known_is_decided_at_once():
    smart_cond = tf.python.layers.utils.smart_cond
    assert smart_cond(True, lambda: "yes", lambda: "no") == "yes"
    flag = tf.placeholder(tf.bool, [])
    result = smart_cond(flag, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    with tf.Session() as session:
        assert [session.run(result, {flag: f}) for f in (True, False)] == [1.0, 2.0]


def test_a_tensor_waits_for_its_dependencies():
    with_dependencies = tf.python.ops.control_flow_ops.with_dependencies
    v = tf.Variable(1.0)
    result = with_dependencies([v.assign(5.0)], tf.constant(2.0))
    assert result.op.name == "control_dependency"
    with tf.Session() as session:
        session.run(v.initializer)
        assert (session.run(result), session.run(v)) == (2.0, 5.0)
