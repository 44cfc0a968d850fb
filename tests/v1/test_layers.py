"""Layers, cells and `slim`: names, numbers, gradients and training steps are TensorFlow's."""

from __future__ import annotations

import json

import numpy as np
import pytest

import shims.compat.v1 as tf
from tests.v1 import layer_programs


@pytest.mark.parametrize("name", layer_programs.PROGRAMS)
def test_layers_are_those_of_tensorflow(name):
    wanted = json.loads(layer_programs.ANSWERS.read_text())[name]
    slim = tf.contrib.slim
    if not hasattr(slim, "layer_norm"):
        slim.layer_norm = tf.contrib.layers.layer_norm
    found = layer_programs.answers(tf, slim, layer_programs.PROGRAMS[name])
    assert found["names"] == wanted["names"]
    assert found["shapes"] == wanted["shapes"]
    for what in ("values", "after"):
        for mine, theirs in zip(found[what], wanted[what], strict=True):
            assert mine[0] == theirs[0]
            np.testing.assert_allclose(mine[1:], theirs[1:], rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(found["losses"], wanted["losses"], rtol=1e-5)


def test_variables_are_found_where_equality_is_an_operation():
    tf.enable_v2_behavior()
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.GRUCell(2)
        tf.nn.static_rnn(cell, [tf.zeros([3, 2])], dtype=tf.float32)
        layer = tf.layers.BatchNormalization()
        layer(tf.zeros([3, 2]))
        assert len(cell.trainable_variables) == 4
        assert [v.op.name.split("/")[1] for v in layer.trainable_variables] == ["gamma", "beta"]
        assert len(layer.non_trainable_variables) == 2


def test_a_layer_needs_a_graph():
    tf.enable_eager_execution()
    with pytest.raises(RuntimeError, match="needs a graph"):
        tf.layers.dense(np.ones((2, 3), np.float32), 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda v, x: tf.layers.dense(tf.placeholder(tf.float32, [None, None]), 3),
            "last dimension",
        ),
        (lambda v, x: tf.layers.conv2d(v, 3, 3), "expected min_ndim=4, found ndim=2"),
        (lambda v, x: tf.layers.conv2d(x, 3, 3, padding="foo"), "padding"),
        (lambda v, x: tf.layers.batch_normalization(x, renorm=True), "renorm"),
        (lambda v, x: tf.layers.dropout(v, 1.5), "between 0 and 1"),
        (lambda v, x: tf.layers.dense(v), "units"),
        (lambda v, x: tf.layers.dense(v, 3, nope=1), "nope"),
        (lambda v, x: tf.nn.dynamic_rnn(3, x, dtype=tf.float32), "not an RNNCell"),
        (lambda v, x: tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), []), "must not be empty"),
        (lambda v, x: tf.contrib.slim.batch_norm(x, renorm=True), "renorm"),
        (lambda v, x: tf.contrib.slim.arg_scope([tf.add], a=1).__enter__(), "add_arg_scope"),
    ],
)
def test_what_cannot_be_done_is_said(call, message):
    v = tf.placeholder(tf.float32, [None, 5])
    x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    with pytest.raises((ValueError, TypeError, NotImplementedError, RuntimeError), match=message):
        call(v, x)


def test_a_bias_is_a_layer_of_contrib():
    x = tf.placeholder(tf.float32, [None, 2, 2, 3])
    layer = tf.contrib.layers.bias_add
    y = layer(x, tf.nn.relu, tf.constant_initializer(-1.0), outputs_collections="out", scope="b")
    again = layer(tf.ones([1, 3, 2, 2]), data_format="NCHW", reuse=True, scope="b")
    assert [v.name for v in tf.trainable_variables()] == ["b/biases:0"]
    assert tf.get_collection("model_variables") == tf.trainable_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([y, again], {x: np.full([1, 2, 2, 3], 3.0)})
    assert (set(found[0].ravel()), set(found[1].ravel())) == ({2.0}, {0.0})
    assert [t.name for t in tf.get_collection("out")] == ["b/Relu:0"]
    for wrong in (
        {"data_format": "NHC"},
        {"inputs": tf.placeholder(tf.float32)},
        {"inputs": tf.placeholder(tf.float32, [2, None])},
        {"inputs": tf.zeros([2, 3]), "data_format": "NCHW"},
    ):
        with pytest.raises(ValueError, match=r"data_format|must be known|NCHW only"):
            layer(**{"inputs": x, **wrong})


def test_activations_are_summarized():
    x = tf.placeholder(tf.float32, [4])
    activation = tf.nn.relu6(x, name="a")
    tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, activation)
    tf.get_variable("w", [])
    layers = tf.contrib.layers
    made = [*layers.summarize_activations(), *layers.summarize_variables("w")]
    names = [t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    assert names == ["a/zeros", "a/sixes", "a/activation", "w_summary"]
    assert [t.op.name for t in made] == names[2:]
    assert layers.summarize_tensor(tf.constant("text")) is None
    zeros = tf.get_collection(tf.GraphKeys.SUMMARIES)[0].op.inputs[0]
    with tf.Session() as session:
        assert session.run(zeros, {x: [-1.0, 7.0, 1.0, -2.0]}) == 0.5


@pytest.mark.parametrize(
    ("name", "activation"),
    [("linear", lambda x: x), ("relu", tf.nn.relu), ("relu6", tf.nn.relu6), ("elu", tf.nn.elu)],
)
def test_a_layer_with_a_name_of_its_own_has_its_activation(name, activation):
    x = tf.constant([[-9.0, 5.0, 9.0]])
    eye = {"weights_initializer": tf.initializers.identity(), "num_outputs": 3}
    found = getattr(tf.contrib.layers, name)(x, **eye)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got, wanted = session.run([found, activation(x)])
    np.testing.assert_allclose(got, wanted, rtol=1e-6)
