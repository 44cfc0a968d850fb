"""What TensorFlow makes of numbers of other dtypes: its value, or its refusal.

Results are truth values, copies and sums that no rounding changes: equality holds on every processor.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, assert_same
from tests.specs.test_other_shapes import called

BOOL = np.array([True, False, True])
ONES, LABELS = np.int32([1, 1, 1]), np.int32([1, 0, 1])
HALVES = np.float32([0.5, 0.0, 2.0])


def sparse(tf, values):
    return tf.SparseTensor(np.int64([[0, 0], [0, 1], [2, 0]]), values, np.int64([3, 3]))


CALLS = {
    "counts as bools": lambda tf: tf.math.bincount(LABELS, dtype=tf.bool),
    "rows of counts as bools": lambda tf: tf.math.bincount(LABELS[None], dtype=tf.bool, axis=-1),
    "weights that are bools": lambda tf: tf.math.bincount(LABELS, BOOL),
    "counts in half precision": lambda tf: tf.math.bincount(LABELS, dtype=tf.float16),
    "bools counted": lambda tf: tf.math.bincount(BOOL),
    "sum of bools": lambda tf: tf.sparse.reduce_sum(sparse(tf, BOOL), 1),
    "sum of complex numbers": lambda tf: tf.sparse.reduce_sum(
        sparse(tf, np.complex64([1j, 2, 3])), 1
    ),
    "largest bool": lambda tf: tf.sparse.reduce_max(sparse(tf, BOOL), 1),
    "largest complex number": lambda tf: tf.sparse.reduce_max(
        sparse(tf, np.complex64([1j, 2, 3])), 1
    ),
    "larger bools": lambda tf: tf.sparse.maximum(sparse(tf, BOOL), sparse(tf, BOOL)).values,
    "confusions as bools": lambda tf: tf.math.confusion_matrix(LABELS, ONES, dtype=tf.bool),
    "weighted confusions as bools": lambda tf: tf.math.confusion_matrix(
        LABELS, ONES, weights=HALVES, dtype=tf.bool
    ),
    "bools padded": lambda tf: tf.pad(BOOL, [[1, 1]]),
    "bools padded with a fraction that is 0": lambda tf: tf.pad(
        BOOL, [[1, 1]], constant_values=0.0
    ),
    "integers padded with a fraction that is 0": lambda tf: tf.pad(
        ONES, [[1, 1]], constant_values=0.0
    ),
    "bools padded with True": lambda tf: tf.pad(BOOL, [[1, 1]], constant_values=True),
    "bools padded with a number": lambda tf: tf.pad(BOOL, [[1, 1]], constant_values=1),
    "integers padded with a fraction": lambda tf: tf.pad(ONES, [[1, 1]], constant_values=0.5),
    "indicator of bools": lambda tf: tf.sparse.to_indicator(sparse(tf, BOOL), 4),
    "indicator of fractions": lambda tf: tf.sparse.to_indicator(
        sparse(tf, np.float32([1.7, 0, 3])), 4
    ),
    "indicator of complex numbers": lambda tf: tf.sparse.to_indicator(
        sparse(tf, np.complex64([1, 0, 2])), 4
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("staged", [False, True], ids=["eager", "function"])
def test_as_tensorflow(name, staged):
    theirs, refused = called(tf, CALLS[name])

    def call(module):
        if not staged:
            return CALLS[name](module)
        return jax.tree.leaves(module.function(lambda: CALLS[name](module), autograph=False)())

    ours, error = called(shims, call)
    if refused is not None:
        # Which class it is depends on where TensorFlow notices that there is no kernel.
        assert isinstance(error, (shims.errors.MissingKernelError, type(refused))), error
        return
    assert error is None, error
    assert_same(ours, theirs, EXACT)


def test_both_kinds_are_there():
    refused = [called(tf, call).error is not None for call in CALLS.values()]
    assert any(refused)
    assert not all(refused)
