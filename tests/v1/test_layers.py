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
