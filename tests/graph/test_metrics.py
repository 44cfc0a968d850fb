"""The metrics of TensorFlow 1: values, updates, names and errors are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tensorflow

import shims.compat.v1 as tf
from shims import errors
from tests.graph.metric_cases import three_batches


def test_three_batches_are_tensorflows():
    theirs, ours = three_batches(tensorflow.compat.v1), three_batches(tf)
    assert list(ours) == list(theirs)
    known = ("collections", "variables", "metric variables", "others")
    assert [ours[k] for k in known] == [theirs[k] for k in known]
    differ = {}
    for name in theirs.keys() - known:
        x, y = ours[name], theirs[name]
        # Sums of twelve float32 numbers in another order.
        if x.dtype != y.dtype or not np.allclose(x, y, 2e-6, 1e-7):
            differ[name] = (x, y)
    assert differ == {}


def test_sizes_that_only_the_session_knows_and_names():
    labels, guesses = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int32, [None])
    value, update = tf.metrics.accuracy(labels, guesses)
    again, _ = tf.metrics.accuracy(labels, guesses, name="again")
    assert [t.name for t in (value, update, again)] == [
        "accuracy/value:0",
        "accuracy/update_op:0",
        "again/value:0",
    ]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0
        assert session.run([value, update], {labels: [1, 2], guesses: [1, 3]}) == [0, 0.5]
        assert session.run(update, {labels: [1, 2, 3, 4, 5, 6], guesses: [1, 2, 3, 4, 5, 6]}) == (
            np.float32(7) / np.float32(8)
        )
        assert session.run(value) == 0.875


REFUSALS = {
    "shapes": (lambda: tf.metrics.accuracy(tf.zeros([3]), tf.zeros([4])), "incompatible"),
    "weights": (
        lambda: tf.metrics.mean(tf.zeros([3]), weights=tf.zeros([4])),
        "weights can not be broadcast to values",
    ),
    "rank": (
        lambda: tf.metrics.mean(tf.zeros([3]), weights=tf.zeros([3, 1, 1])),
        r"weights.rank=3",
    ),
    "curve": (lambda: tf.metrics.auc([True], [0.5], curve="X"), "Curve must be either ROC or PR"),
    "method": (
        lambda: tf.metrics.auc([True], [0.5], summation_method="X"),
        "Invalid summation_method",
    ),
    "specificity": (
        lambda: tf.metrics.sensitivity_at_specificity([True], [0.5], 2.0),
        r"must be in the range \[0, 1\]",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals(case):
    call, message = REFUSALS[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_what_only_the_session_can_refuse():
    score, kind = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int64, [None])
    _, area = tf.metrics.auc([True], score)
    _, matrix = tf.metrics.mean_iou([0], kind, 2)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with pytest.raises(errors.InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
            session.run(area, {score: [1.5]})
        with pytest.raises(errors.InvalidArgumentError):
            session.run(matrix, {kind: [2]})
