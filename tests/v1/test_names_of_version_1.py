"""Operators that only version 1 of TensorFlow has a name for.

Results are integers, copies and quotients that float32 holds exactly: equality holds on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, Dtypes, assert_same

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


@pytest.mark.parametrize("ours", [shims.parallel_stack, shims.function(shims.parallel_stack)])
def test_parallel_stack(ours):
    values = list(ROWS)
    wanted = tf.function(lambda a, b: tf.parallel_stack([a, b]))(*values).numpy()
    assert np.asarray(ours(values)).tolist() == wanted.tolist()
    with pytest.raises(shims.InvalidArgumentError):
        ours([values[0], values[0][:1]])


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


@pytest.mark.parametrize(
    ("x", "y"),
    [([7, -7, 7], [2, 2, -2]), ([7.0, -7.0, 1.0, 0.0], [2.0, 2.0, 0.0, 0.0])],
    ids=["int32", "float32"],
)
@pytest.mark.parametrize("ours", [shims.div, shims.function(shims.div)])
def test_div(ours, x, y):
    dtype = np.int32 if isinstance(x[0], int) else np.float32
    x, y = np.asarray(x, dtype), np.asarray(y, dtype)
    wanted = tf.compat.v1.div(x, y).numpy()
    found = np.asarray(ours(x, y))
    assert_same(found, wanted, EXACT, Dtypes.SAME)


def test_div_by_zero():
    with pytest.raises(shims.InvalidArgumentError, match=r"integer division by zero"):
        shims.div(np.int32([1]), np.int32([0]))


STATIC_SHAPES = [
    ([1, 2], [2, 2]),
    ([3], [2, 3]),
    ([], [2]),
    ([None, 3], [2, 1]),
    ([None, 3], [1, None]),
    ([None], [None]),
    (None, [2]),
]


@pytest.mark.parametrize(("x", "y"), STATIC_SHAPES, ids=str)
def test_broadcast_static_shape(x, y):
    wanted = tf.broadcast_static_shape(tf.TensorShape(x), tf.TensorShape(y))
    found = shims.broadcast_static_shape(shims.TensorShape(x), shims.TensorShape(y))
    assert str(found) == str(wanted)


def test_broadcast_static_shape_of_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"Incompatible shapes for broadcasting") as raised:
        shims.broadcast_static_shape(shims.TensorShape([2]), shims.TensorShape([3]))
    assert str(raised.value).endswith("Received: (2,) and (3,).")
