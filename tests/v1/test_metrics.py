"""The TensorFlow 1 metrics: values, updates, names and errors are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tensorflow

import shims.compat.v1 as tf
from shims import errors
from tests.v1.metric_cases import three_batches


def test_three_batches_are_tensorflows():
    theirs, ours = three_batches(tensorflow.compat.v1), three_batches(tf)
    assert list(ours) == list(theirs)
    known = ("collections", "variables", "metric variables", "others")
    assert [ours[k] for k in known] == [theirs[k] for k in known]
    differ = {}
    for name in theirs.keys() - known:
        x, y = ours[name], theirs[name]
        # Sums of twelve float32 numbers in a different order.
        if x.dtype != y.dtype or not np.allclose(x, y, 2e-6, 1e-7, equal_nan=True):
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


CLASS, SCORE = np.array([[1]]), [[0.5]]

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
    "k": (lambda: tf.metrics.average_precision_at_k([[1]], SCORE, 0), "Invalid k=0"),
    "columns": (lambda: tf.metrics.recall_at_k(CLASS, SCORE, 2), "at least k columns"),
    "vectors": (lambda: tf.metrics.recall_at_k(CLASS[0], [0.5], 1), "at least rank 2"),
    "ranks": (lambda: tf.metrics.recall_at_k(CLASS[None], SCORE, 1), "Unexpected labels shape"),
    "rows": (lambda: tf.metrics.precision_at_k(CLASS, SCORE * 2, 1), "Dimension 0"),
    "rows weighted": (
        lambda: tf.metrics.recall_at_k(CLASS, SCORE, 1, weights=[1.0, 2.0]),
        "weights can not be broadcast to values",
    ),
    "sparse rank": (
        lambda: tf.metrics.recall_at_k(tf.SparseTensor([[0, 0, 0]], CLASS[0], [1, 1, 1]), SCORE, 1),
        "Labels of rank 3",
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
    sparse = tf.sparse_placeholder(tf.int64, [None, None])
    _, found = tf.metrics.recall_at_k(sparse, np.eye(2), 1)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        with pytest.raises(errors.InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
            session.run(area, {score: [1.5]})
        with pytest.raises(errors.InvalidArgumentError):
            session.run(matrix, {kind: [2]})
        with pytest.raises(errors.InvalidArgumentError, match="the same number of rows"):
            session.run(found, {sparse: tf.SparseTensorValue([[2, 0]], [1], [3, 1])})
        assert session.run(found, {sparse: tf.SparseTensorValue([[1, 0]], [1], [2, 1])}) == 1


def test_labels_of_another_dtype():
    with pytest.raises(TypeError, match="Cast the labels to int64"):
        tf.metrics.precision_at_k(np.int32([[1]]), SCORE, 1)
