"""Integers of 64 bits that a function is given fit 32 bits, or are refused by value, not wrapped."""

import numpy as np
import pytest

import shims

FUNCTIONS = {
    "plain": shims.function(lambda x: x),
    "unknown size": shims.function(
        lambda x: x, input_signature=[shims.TensorSpec([None], "int64")]
    ),
    "int32": shims.function(lambda x: x, input_signature=[shims.TensorSpec([None], "int32")]),
    "dynamic": shims.dynamic(lambda x: x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_refused_again_and_again(name):
    f = FUNCTIONS[name]
    for _ in range(2):  # the second call runs by the plan of the first
        assert f(np.array([5, -6])).tolist() == [5, -6]
        with pytest.raises(shims.errors.NarrowingError, match="does not fit int32"):
            f(np.array([5, 10**18]))


def test_unsigned():
    f = shims.function(lambda x: x)
    assert f(np.array([2**32 - 1], np.uint64)).tolist() == [2**32 - 1]
    with pytest.raises(shims.errors.NarrowingError, match="does not fit uint32"):
        f(np.array([2**32], np.uint64))
