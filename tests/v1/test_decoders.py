"""Decoders, attention, beam search and cells of `contrib` against the answers of TensorFlow 1.15."""

from __future__ import annotations

import json

import numpy as np
import pytest

import shims.compat.v1 as tf
from tests.v1 import decoder_programs as programs

_WANTED = json.loads(programs.ANSWERS.read_text())


# A gather in a loop or a branch warns that its gradient is dense; the numbers are the same.
@pytest.mark.filterwarnings("ignore:gradients. rows of")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[] if n in programs.SHORT else pytest.mark.long)
        for n in programs.PROGRAMS
    ],
)
def test_decoders_are_those_of_tensorflow(name):
    found = programs.answers(tf, programs.PROGRAMS[name])
    assert found.keys() == _WANTED[name].keys()
    for key, wanted in _WANTED[name].items():
        assert found[key][:3] == wanted[:3], key
        np.testing.assert_allclose(found[key][3:], wanted[3:], rtol=1e-4, atol=2e-4, err_msg=key)


def test_every_program_has_answers():
    assert [*_WANTED] == [*programs.PROGRAMS]


def _cell(memory):
    return tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(3), tf.contrib.seq2seq.LuongAttention(3, memory)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda m: tf.contrib.seq2seq.LuongAttention(3, tf.zeros([2, 4, 5]))(m[:, 0], 0),
            "num_units",
        ),
        (lambda m: _cell(m).zero_state(4, tf.float32), "tile_batch"),
        (lambda m: tf.contrib.rnn.LSTMBlockFusedCell(3)([m[0], m[1]]), "expects 1 inputs"),
        (lambda m: tf.contrib.seq2seq.dynamic_decode("decoder"), "to be type Decoder"),
        (lambda m: tf.contrib.seq2seq.TrainingHelper(m, 3), "to be a vector"),
        (lambda m: tf.contrib.seq2seq.monotonic_attention(m, m, "soft"), "'hard'"),
        (
            lambda m: tf.contrib.seq2seq.BeamSearchDecoder(
                tf.nn.rnn_cell.GRUCell(3), tf.zeros([5, 3]), [1, 2], 0, tf.zeros([2, 3]), 4
            ),
            "batch_size=encoder_batch_size",
        ),
    ],
)
def test_wrong_arguments_are_errors(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(tf.zeros([2, 4, 5]))


def test_lengths_of_zero_fail_when_they_are_used():
    lengths = tf.placeholder(tf.int32, [None])
    mechanism = tf.contrib.seq2seq.LuongAttention(5, tf.ones([2, 4, 3]), lengths)
    alignments, _ = mechanism(tf.ones([2, 5]), None)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(alignments, {lengths: [4, 1]})[1].tolist() == [1.0, 0.0, 0.0, 0.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="greater than zero"):
            session.run(alignments, {lengths: [4, 0]})
