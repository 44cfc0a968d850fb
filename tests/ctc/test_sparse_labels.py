"""Losses of labels in a sparse tensor, against TensorFlow's of both versions."""

import numpy as np
import pytest
import tensorflow as tf

import shims

RNG = np.random.default_rng(3)
LOGITS = RNG.normal(size=(4, 2, 5)).astype(np.float32)

# Coordinates, labels, numbers of frames, options.
ROWS = [[0, 0], [0, 1], [1, 0]]
CASES = {
    "plain": (ROWS, [1, 2, 3], [4, 3], {}),
    "gap": ([[0, 0], [0, 1], [1, 1]], [1, 2, 3], [4, 3], {}),
    "repeated": (ROWS, [1, 1, 3], [3, 3], {}),
    "no-room-between": ([[0, 0], [1, 0], [1, 1]], [1, 3, 3], [4, 2], {}),
    "blank-ends": (ROWS, [1, 4, 3], [4, 3], {}),
    "no-such-class": (ROWS, [1, 9, 3], [4, 3], {}),
    "ignored": ([*ROWS, [1, 1]], [1, 2, 3, 0], [4, 1], {"ignore_longer_outputs_than_inputs": True}),
}
REFUSED = {
    "no-labels": ([[0, 0], [0, 1]], [1, 2], [4, 3], {}),
    "negative": (ROWS, [1, -1, 3], [4, 3], {}),
    "behind-a-blank": (ROWS, [4, 1, 3], [4, 3], {}),
    "too-few-frames": ([*ROWS, [1, 1]], [1, 2, 3, 0], [4, 1], {}),
    "no-such-frames": (ROWS, [1, 2, 3], [4, 9], {}),
    "no-such-row": ([*ROWS, [2, 0]], [1, 2, 3, 0], [4, 3], {}),
}


def loss(tf_, places, values, lengths, options):
    """Version 1's loss and its slope."""
    logits = tf_.constant(LOGITS)
    rows = max(2, 1 + max(row for row, _ in places))
    labels = tf_.SparseTensor(np.int64(places), np.int32(values), np.int64([rows, 2]))
    v1 = tf.compat.v1 if tf_ is tf else shims.v1
    with tf_.GradientTape() as tape:
        tape.watch(logits)
        found = v1.nn.ctc_loss(labels, logits, np.int32(lengths), **options)
    return found, tape.gradient(found, logits)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_version_1(case):
    for found, wanted in zip(loss(shims, *case), loss(tf, *case), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused(case):
    for tf_ in (tf, shims):
        with pytest.raises(tf_.errors.InvalidArgumentError):
            loss(tf_, *case)


@pytest.mark.parametrize("blank_index", [0, 2, -1, -2])
def test_version_2_in_a_function(blank_index):
    dense = np.int32([[1, 3], [1, 0]])
    signature = [shims.TensorSpec([None, None, 5]), shims.SparseTensorSpec([None, None], np.int32)]

    @shims.function(input_signature=signature)
    def run(logits, labels):
        frames = shims.constant([4, 3])
        return shims.nn.ctc_loss(labels, logits, None, frames, blank_index=blank_index)

    labels = tf.sparse.from_dense(dense)
    wanted = tf.nn.ctc_loss(labels, LOGITS, None, np.int32([4, 3]), blank_index=blank_index)
    np.testing.assert_allclose(run(LOGITS, shims.sparse.from_dense(dense)), wanted, rtol=1e-5)


def test_errors_reach_the_caller_of_a_function():
    run = shims.function(lambda labels: shims.v1.nn.ctc_loss(labels, LOGITS, np.int32([4, 3])))
    with pytest.raises(shims.errors.InvalidArgumentError, match="has no labels"):
        run(shims.sparse.from_dense(np.int32([[1, 3], [0, 0]])))


def test_options_that_there_are_none_of():
    labels = shims.sparse.from_dense(np.int32([[1, 3], [1, 0]]))
    with pytest.raises(ValueError, match="`blank_index` must be provided"):
        shims.nn.ctc_loss(labels, LOGITS, None, np.int32([4, 3]))
    with pytest.raises(shims.errors.UnimplementedError, match="`ctc_merge_repeated`"):
        shims.v1.nn.ctc_loss(labels, LOGITS, np.int32([4, 3]), ctc_merge_repeated=False)
    with pytest.raises(TypeError, match="SparseTensor"):
        shims.v1.nn.ctc_loss(np.int32([[1, 3], [1, 0]]), LOGITS, np.int32([4, 3]))
