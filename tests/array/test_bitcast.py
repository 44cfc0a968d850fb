"""Bits of every dtype as numbers of every other, complex ones among them.

Both libraries get the same bytes and compute nothing: this holds on every processor.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.table.test_dtypes import DTYPES

EVERY_CHANGE = ["complex64", "uint8"]
LATER = [pytest.param(d, marks=pytest.mark.long) for d in DTYPES if d not in EVERY_CHANGE]
SHAPES = [(), (2,), (3, 4), (2, 16)]


@pytest.fixture(autouse=True)
def wide_types():
    with jax.enable_x64(True):
        yield


def answer(bitcast, tensor, dtype):
    """Shape, dtype and bytes of the result, or the name of the error."""
    try:
        result = bitcast(tensor, dtype)
    except (tf.errors.InvalidArgumentError, shims.errors.InvalidArgumentError) as error:
        return next(c.__name__ for c in type(error).__mro__ if c.__name__ == "InvalidArgumentError")
    array = np.asarray(result.numpy() if tf.is_tensor(result) else result)
    return array.shape, array.dtype.name, array.tobytes()


@pytest.mark.parametrize("given", EVERY_CHANGE + LATER)
def test_as_tensorflow(given):
    for shape in SHAPES:
        tensor = tf.cast(tf.reshape(tf.range(int(np.prod(shape))), shape), given)
        for dtype in DTYPES:
            want = answer(tf.bitcast, tensor, dtype)
            assert answer(shims.bitcast, tensor.numpy(), dtype) == want, (shape, dtype)
