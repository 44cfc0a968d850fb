"""Gradients through flat values are TensorFlow's: eagerly, and of functions."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

_SPLITS = [0, 2, 2, 5, 6]
_VALUES = np.float32([1.5, -2.0, 3.0, 4.0, 4.0, 0.5])

PROGRAMS = (
    ("to_tensor", lambda tf, rt: rt.to_tensor(2.0) ** 3),
    ("sum", lambda tf, rt: tf.reduce_sum(rt, axis=1) ** 2),
    ("mean", lambda tf, rt: tf.reduce_mean(rt[2:], axis=1) ** 2),
    ("max", lambda tf, rt: tf.reduce_max(rt[2:], axis=1) ** 2),
    ("columns", lambda tf, rt: tf.reduce_sum(rt, axis=0) ** 2),
    ("rows", lambda tf, rt: rt[1:3].flat_values ** 2),
    ("parts", lambda tf, rt: (rt[:, :1] * 3.0).flat_values ** 2),
    ("concat", lambda tf, rt: tf.concat([rt, rt * 2.0], axis=1).to_tensor() ** 2),
    ("gather", lambda tf, rt: tf.gather(rt, [2, 0, 2]).flat_values ** 2),
    ("mask", lambda tf, rt: tf.ragged.boolean_mask(rt, rt > 1.0).to_tensor() ** 2),
    ("per-row", lambda tf, rt: (rt / tf.reduce_sum(rt, 1, keepdims=True)).flat_values ** 2),
    ("softmax", lambda tf, rt: tf.nn.softmax(rt).flat_values ** 2),
)


def _loss(module, program):
    def loss(values):
        splits = module.constant(_SPLITS, module.int64)
        return module.reduce_sum(
            program(module, module.RaggedTensor.from_row_splits(values, splits))
        )

    return loss


def _reference(program):
    values = tf.constant(_VALUES)
    with tf.GradientTape() as tape:
        tape.watch(values)
        loss = _loss(tf, program)(values)
    return np.asarray(tf.convert_to_tensor(tape.gradient(loss, values)))


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in PROGRAMS])
def test_eagerly(program):
    ours = jax.grad(_loss(shims, program))(_VALUES)
    np.testing.assert_allclose(ours, _reference(program), rtol=1e-5, atol=1e-6)


def test_of_functions():
    @shims.function(input_signature=[shims.TensorSpec([None])])
    def gradients(values):
        return [jax.grad(_loss(shims, p))(values) for _, p in PROGRAMS]

    for (name, program), ours in zip(PROGRAMS, gradients(_VALUES), strict=True):
        np.testing.assert_allclose(ours, _reference(program), rtol=1e-5, atol=1e-6, err_msg=name)
