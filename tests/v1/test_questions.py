"""What has an answer while a graph is built, text types, and assertions as operations."""

import numpy as np
import pytest

import shims.compat.v1 as ours


def _both(question):
    import tensorflow.compat.v1 as theirs

    found = []
    for tf in (theirs, ours):
        with tf.Graph().as_default():
            try:
                found.append(question(tf, tf.placeholder(tf.float32, [None, 3], name="x")))
            except (TypeError, ValueError) as error:
                found.append(type(error))
    return found


QUESTIONS = {
    "as_dtype": lambda tf, x: tf.as_dtype("float32").name,
    "is_numeric": lambda tf, x: [tf.is_numeric_tensor(t) for t in (x, x > 0, 3)],
    "same_float": lambda tf, x: tf.assert_same_float_dtype([x, None]).name,
    "same_float-none": lambda tf, x: tf.assert_same_float_dtype().name,
    "same_float-other": lambda tf, x: tf.assert_same_float_dtype([x], tf.float64),
    "same_float-integers": lambda tf, x: tf.assert_same_float_dtype([tf.shape(x)]),
    "proper": lambda tf, x: tf.assert_proper_iterable([x]),
    "proper-tensor": lambda tf, x: tf.assert_proper_iterable(x),
    "scalar": lambda tf, x: tf.assert_scalar(tf.reduce_sum(x)).name,
    "scalar-matrix": lambda tf, x: tf.assert_scalar(x),
    "broadcast": lambda tf, x: tf.broadcast_static_shape(x.shape, tf.TensorShape([1, 3])).as_list(),
    "broadcast-unfit": lambda tf, x: tf.broadcast_static_shape(x.shape, tf.TensorShape([2, 2])),
    "rank": lambda tf, x: tf.assert_rank(x, 2).type is not None,
    "rank-other": lambda tf, x: tf.assert_rank(x, 3),
    "type-other": lambda tf, x: tf.assert_type(x, tf.int32),
    "integer-other": lambda tf, x: tf.assert_integer(x),
    "texts": lambda tf, x: [
        tf.compat.as_bytes("ä"),
        tf.compat.as_text(b"a"),
        tf.compat.as_str("a"),
        tf.compat.as_str_any(3),
        tf.compat.as_bytes(bytearray(b"a")),
        isinstance(np.int32(3), tf.compat.integral_types),
    ],
    "texts-number": lambda tf, x: tf.compat.as_text(3),
    "same-dtype": lambda tf, x: [tf.cast(x, tf.float32) is x, tf.real(x) is x],
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_is_tensorflows(name):
    theirs, mine = _both(QUESTIONS[name])
    assert mine == theirs


def test_assertions_are_operations_that_others_wait_for():
    x = ours.placeholder(ours.float32, [None, 3])
    with ours.control_dependencies([ours.assert_equal(ours.shape(x)[0], 2)]):
        y = ours.identity(x)
    with ours.Session() as session:
        assert session.run(y, {x: np.ones([2, 3])}).shape == (2, 3)
        with pytest.raises(ours.errors.InvalidArgumentError):
            session.run(y, {x: np.ones([3, 3])})
