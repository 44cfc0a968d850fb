"""Rates that shrink, clipping, moving averages, the global step: all as in TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tensorflow

import shims.compat.v1 as tf
from tests.v1.rate_cases import everything


def test_numbers_and_names_are_tensorflows():
    tf.enable_resource_variables()
    tf.enable_control_flow_v2()
    theirs, ours = everything(tensorflow.compat.v1), everything(tf)
    assert list(ours) == list(theirs)
    assert ours["names"] == theirs["names"]
    differ = {}
    for name in theirs.keys() - {"names"}:
        x, y = ours[name], theirs[name]
        # A cosine near its zero is what is left of two numbers of size 1.
        if x.dtype != y.dtype or not np.allclose(x, y, 2e-6, 1e-8, equal_nan=True):
            differ[name] = (x, y)
    assert differ == {}


def test_a_whole_number_of_steps_is_divided_exactly():
    # TensorFlow without its graph optimizer, too; that multiplies by 1 / 41 and is a step late.
    step = tf.placeholder(tf.int64, [])
    rates = [
        make(0.5, step, steps, 1.0, True)
        if make is tf.train.inverse_time_decay
        else make(1.0, step, steps, 0.25, True)
        for steps in (41, 47, 55, tf.constant(41))
        for make in (tf.train.inverse_time_decay, tf.train.exponential_decay)
    ]
    roots = [tf.train.polynomial_decay(1.0, step, n, 0.25, 0.5) for n in (10, 41)]
    with tf.Session() as session:
        for steps, found in ((41, rates[:2] + rates[6:]), (47, rates[2:4]), (55, rates[4:6])):
            assert set(session.run(found, {step: steps})) == {0.25}
        assert session.run(roots, {step: 41}) == [0.25, 0.25]


def test_an_average_of_what_is_not_there_yet_begins_with_the_initial_value():
    w = tf.Variable(tf.random_normal([3]))
    average = tf.train.ExponentialMovingAverage(0.9)
    average.apply([w])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, kept = session.run([w, average.average(w)])
    np.testing.assert_array_equal(first, kept)


REFUSALS = {
    "boundaries": (
        lambda: tf.train.piecewise_constant(tf.constant(1), [1.0, 2.0], [1.0, 2.0, 3.0]),
        ValueError,
        "must have the same dtype as x",
    ),
    "values": (
        lambda: tf.train.piecewise_constant(1, [1], [1.0, tf.constant(1, tf.int64)]),
        ValueError,
        "Values must have elements all with the same dtype",
    ),
    "number of values": (
        lambda: tf.train.piecewise_constant(1, [1, 2], [1.0, 2.0]),
        ValueError,
        "length of boundaries should be 1 less",
    ),
    "falling": (
        lambda: tf.train.piecewise_constant(1, [2, 1], [1.0, 2.0, 3.0]),
        ValueError,
        "boundaries must not decrease",
    ),
    "no step": (
        lambda: tf.train.exponential_decay(0.1, None, 1, 0.5),
        ValueError,
        "`global_step` is required",
    ),
    "no list": (
        lambda: tf.clip_by_global_norm(tf.constant(1.0), 1.0),
        TypeError,
        "should be a sequence of tensors",
    ),
    "two steps": (
        lambda: [tf.train.create_global_step() for _ in range(2)],
        ValueError,
        '"global_step" already exists',
    ),
    "a step that is none": (
        lambda: tf.train.assert_global_step(tf.constant(1.0)),
        TypeError,
        "does not have integer type",
    ),
    "an average of integers": (
        lambda: tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1)]),
        TypeError,
        "must be half, float, or double",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(case):
    call, kind, message = REFUSALS[case]
    with pytest.raises(kind, match=message):
        call()


def test_where_operators_run_at_once_a_rate_is_a_function():
    tf.enable_eager_execution()
    rate = tf.train.exponential_decay(0.5, 2, 1, 0.5)
    assert float(rate()) == 0.125
    norm = tf.global_norm([np.float32([3.0, 4.0])])
    assert float(norm) == 5.0
