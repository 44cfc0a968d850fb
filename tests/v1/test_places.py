"""What goes wrong in a session names the line where the operation was made, not that of `run`."""

from __future__ import annotations

import numpy as np
import pytest

import shims.compat.v1 as tf


def test_what_only_the_run_knows():
    x = tf.placeholder(tf.float32, [None, 3])
    i = tf.placeholder(tf.int32, [None])
    y = tf.gather(x, i)  # the line that is meant
    total = tf.reduce_sum(y)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(total, {x: np.ones((3, 3)), i: [7]})
    assert "y = tf.gather(x, i)  # the line that is meant  (Gather" in str(caught.value)


def test_what_the_trace_finds():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.reshape(x, [2, -1])  # the line that is meant
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: np.ones((3, 3))})
    assert "y = tf.reshape(x, [2, -1])  # the line that is meant  (Reshape)" in str(caught.value)


def test_what_was_not_fed_or_has_no_value():
    x = tf.placeholder(tf.float32, [None])  # the line that is meant
    v = tf.Variable([1.0])
    y = v * 2.0  # this one too
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="the line that is meant"):
            session.run(x + 1.0)
        with pytest.raises(tf.errors.FailedPreconditionError, match="this one too"):
            session.run(y)
