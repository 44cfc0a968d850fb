"""Layers and cells, and what TensorFlow makes of them: names, numbers, three training steps.

TensorFlow has `tf.layers` and `tf.nn.rnn_cell` only with the package `tf_keras`, which is no
dependency of the tests: its answers are in `layer_answers.json`. Written anew, with TensorFlow 2.21,
tf_keras and tf_slim 1.1, by `TF_USE_LEGACY_KERAS=1 python -m tests.v1.layer_programs`.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import sys

import numpy as np

ANSWERS = pathlib.Path(__file__).with_name("layer_answers.json")


def plain(tf, slim, x, v):
    """Convolutions, pooling, a shared layer, a layer of one's own."""
    del slim
    layers = tf.layers
    h = layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu)
    h = layers.max_pooling2d(h, 2, 2)
    h = layers.separable_conv2d(h, 3, 3, depth_multiplier=2, padding="same", name="sep")
    h = layers.conv2d_transpose(h, 2, 3, strides=2, padding="same", use_bias=False)
    h = layers.average_pooling2d(h, [2, 1], 2, padding="same")
    h = layers.dense(layers.flatten(h), 4, activation="tanh")
    shared = [layers.dense(h, 4, name="shared", reuse=r) for r in (None, True)]
    with tf.variable_scope("outer"):
        one = layers.Dense(3, kernel_regularizer=tf.keras.regularizers.l2(0.1))
        own = [one(v), one(v * 2.0)]
    wide = layers.conv1d(x[:, 0], 2, 3, dilation_rate=2)
    return [*shared, *own, wide, layers.dropout(v, 0.4, training=True, seed=3), layers.dense(x, 2)]


def normalized(tf, slim, x, v):
    """Batch normalization of all kinds."""
    del slim
    norm = tf.layers.batch_normalization
    flag = tf.placeholder_with_default(True, [])
    return [
        norm(x, training=True),
        norm(x),
        norm(v, training=True, momentum=0.8),
        norm(x, training=flag, name="flagged"),
        norm(x, center=False, scale=False, training=True, fused=False),
        norm(tf.transpose(x, [0, 3, 1, 2]), axis=1, training=True, epsilon=1e-2),
    ]


def cells(tf, slim, x, v):
    """Cells over time."""
    del slim, v
    cell, lengths = tf.nn.rnn_cell, tf.placeholder_with_default([8, 3], [None])
    steps = x[:, :, 0]
    clipped = cell.LSTMCell(4, True, 0.5, num_proj=3, proj_clip=0.3, forget_bias=0.7)
    stack = cell.MultiRNNCell([cell.BasicLSTMCell(4), cell.ResidualWrapper(cell.GRUCell(4))])
    found = []
    for name, one in (
        ("joined", cell.BasicLSTMCell(4, state_is_tuple=False)),
        ("clipped", clipped),
        ("stack", stack),
    ):
        found += tf.nn.dynamic_rnn(one, steps, lengths, dtype=tf.float32, scope=name)
    found += tf.nn.bidirectional_dynamic_rnn(
        cell.GRUCell(4), cell.BasicLSTMCell(4), steps, lengths, dtype=tf.float32
    )
    steps = tf.unstack(steps, 8, 1)[:2]
    found += tf.nn.static_rnn(cell.BasicRNNCell(3), steps, dtype=tf.float32)
    return flat(found)


def slim_layers(tf, slim, x, v):
    """The layers of `slim` under `arg_scope`."""
    with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(0.01)):
        with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, stride=2) as kept:
            h = slim.conv2d(x, 4, 3, scope="c1")
        h = slim.max_pool2d(h, 2)
    with slim.arg_scope(kept):
        h = slim.conv2d(h, 3, [3, 3])
    h = slim.repeat(slim.flatten(h), 2, slim.fully_connected, 4, activation_fn=tf.nn.tanh)
    deep = slim.separable_conv2d(x, None, 3, depth_multiplier=2, stride=2)
    rows = slim.fully_connected(v, 3, normalizer_fn=slim.batch_norm)
    return [h, deep, rows, slim.dropout(v, 0.6), slim.layer_norm(v)]


PROGRAMS = {"plain": plain, "normalized": normalized, "cells": cells, "slim": slim_layers}


def flat(values) -> list:
    """The tensors in nested lists."""
    if isinstance(values, (list, tuple)):
        return [t for value in values for t in flat(value)]
    return [values]


def answers(tf, slim, program) -> dict:
    """What comes of a program: names, shapes, values, gradients, losses of three training steps."""
    random = np.random.RandomState(0)
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
        v = tf.placeholder(tf.float32, [None, 5], name="v")
        feeds = {x: random.randn(2, 8, 8, 3), v: random.randn(2, 5)}
        tensors = program(tf, slim, x, v)
        loss = tf.add_n([tf.reduce_mean(tf.square(t - 0.5)) for t in tensors])
        kinds = ("variables", "trainable_variables", "model_variables", "regularization_losses")
        names = {kind: [v.name for v in tf.get_collection(kind)] for kind in kinds}
        names["tensors"] = [t.name for t in tensors]
        shapes = [str(t.shape) for t in tensors]
        loss += tf.losses.get_regularization_loss()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(loss)
        with graph.control_dependencies(tf.get_collection("update_ops")):
            step = optimizer.apply_gradients(pairs)
        fetches = [[*tensors, *(g for g, _ in pairs)], loss, step]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            runs = [session.run(fetches, feeds) for _ in range(3)]
            after = session.run(tf.global_variables())
    return {
        "names": names,
        "shapes": shapes,
        "values": [summary(value) for value in runs[0][0]],
        "losses": [float(loss) for _, loss, _ in runs],
        "after": [summary(value) for value in after],
    }


def summary(array) -> list:
    """Some numbers of an array, and what they add up to."""
    array = np.asarray(array, np.float64)
    picked = array.ravel()[:: max(1, array.size // 6)][:6].tolist()
    return [list(array.shape), *picked, float(np.abs(array).sum())]


def reference():
    """TensorFlow 1 and slim.

    The slim of 2020 looks for modules and names that tf_keras and TensorFlow have moved since.
    """
    import tensorflow.compat.v1 as tf

    old, new = "tf_keras.legacy_tf_layers", "tf_keras.src.legacy_tf_layers"
    for name in ("", ".base", ".convolutional", ".core", ".normalization", ".pooling"):
        sys.modules[old + name] = importlib.import_module(new + name)
    framework = importlib.import_module("tensorflow.python.framework.ops")
    framework.Tensor = importlib.import_module("tensorflow.python.framework.tensor").Tensor
    tf.disable_v2_behavior()
    return tf, importlib.import_module("tf_slim")


if __name__ == "__main__":
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    modules = reference()
    found = {name: answers(*modules, program) for name, program in PROGRAMS.items()}
    ANSWERS.write_text(json.dumps(found, indent=1) + "\n")
