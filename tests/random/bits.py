"""Arrays of random numbers compared bit by bit.

Whoever compares so rests on what `test_bits.py` says: TensorFlow's CPU kernels and the C library.
"""

import numpy as np
import tensorflow as tf

from tests.harness.compare import assert_same_bits


def plain(value):
    """Any array as NumPy's, a narrow 64-bit one as TensorFlow has it."""
    return value.numpy() if hasattr(value, "numpy") else np.asarray(value)


def check_same(got, want) -> None:
    """Shape and every bit agree."""
    got, want = plain(got), plain(want)
    assert got.shape == want.shape
    if got.dtype.kind in "iu" and got.dtype != want.dtype:
        assert (got.astype(want.dtype) == want).all()
        return
    assert_same_bits(got, want)


def check_all_same(got, want) -> None:
    """The same for two sequences of arrays."""
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        check_same(a, b)


def words_as_numbers(state):
    """A generator's state as TensorFlow's int64 numbers."""
    state = plain(state)
    if state.dtype == np.int64:
        return state.copy()  # TensorFlow changes the variable's buffer in place
    return np.ascontiguousarray(state).view(np.int64)[..., 0]


def dtype_of(library, name):
    """A dtype as a library takes it."""
    return tf.as_dtype(name) if library is tf else name
