"""Operators that only version 1 of TensorFlow has a name for."""

import numpy as np
import pytest
import tensorflow as tf

import shims

ROWS = np.arange(12, dtype=np.float32).reshape(2, 3, 2)


@pytest.mark.parametrize("indices", [[[0, 2], [1, 1]], [[2], [0]]])
@pytest.mark.parametrize("ours", [shims.batch_gather, shims.function(shims.batch_gather)])
def test_batch_gather(ours, indices):
    indices = np.asarray(indices, np.int32)
    wanted = tf.compat.v1.batch_gather(ROWS, indices).numpy()
    assert np.asarray(ours(ROWS, indices)).tolist() == wanted.tolist()


def test_batch_gather_out_of_range():
    with pytest.raises(shims.InvalidArgumentError, match=r"`indices` is out of range"):
        shims.batch_gather(ROWS, np.asarray([[3], [0]], np.int32))


@pytest.mark.parametrize("ours", [shims.setdiff1d, shims.function(shims.setdiff1d)])
@pytest.mark.parametrize(
    ("x", "y"),
    [([1, 2, 3, 2, 5], [2, 9]), ([4, 4], [4]), ([4, 4], [5]), ([7], [])],
    ids=["some", "none", "all", "nothing"],
)
def test_setdiff1d(ours, x, y):
    x, y = np.asarray(x, np.int32), np.asarray(y, np.int32)
    wanted = tf.compat.v1.setdiff1d(x, y)
    found = ours(x, y)
    assert found.out.tolist() == wanted.out.numpy().tolist()
    assert found.idx.tolist() == wanted.idx.numpy().tolist()
