"""Statements hold, or raise the error and the text, that they do and have in TensorFlow."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, assert_same
from tests.harness.outcomes import outcome, same_error

from .calls import CALLS

# What TensorFlow writes around the text of an error.
_AROUND = ("Expected 'tf.Tensor(False, shape=(), dtype=bool)'", "Expected 'False'")


def evaluated(m, call):
    return outcome(eval, call, {"m": m, "np": np})


@pytest.mark.parametrize("call", CALLS)
def test_as_tensorflow(call):
    theirs, their_error = evaluated(tf, call)
    ours, our_error = evaluated(shims, call)
    assert (our_error is None) == (their_error is None), our_error or their_error
    if their_error is not None:
        assert same_error(our_error, their_error), repr(our_error)
    elif hasattr(theirs, "numpy"):
        assert_same(ours, theirs, EXACT)
    else:
        assert str(ours) == str(theirs)


BINARY = (
    'm.debugging.assert_equal([1, 2, 3, 4], [1, 2, 5, 6], message="hello")',
    "m.debugging.assert_equal(list(range(9)), [0] * 9, summarize=5)",
    "m.debugging.assert_equal(list(range(9)), [0] * 9, summarize=-1)",
    "m.debugging.assert_equal([1], [2], summarize=0)",
    "m.debugging.assert_equal([[1, 2], [1, 3]], [1, 2])",
    "m.debugging.assert_equal([[1.5, 2.0], [3.0, 4.0]], [[1.5, 3.0], [3.0, 5.0]])",
    "m.debugging.assert_equal(3, 4)",
    "m.debugging.assert_none_equal([1, 2], [3, 2])",
    "m.debugging.assert_less([1, 2], [1, 3])",
    'm.debugging.assert_greater([1, 2], [1, 3], message="m")',
    "m.debugging.assert_positive([1.0, 0.0, -1.0, 2.0, 3.0])",
    "m.debugging.assert_positive([1.0, 0.0, -1.0, 2.0, 3.0], summarize=2)",
    "m.debugging.assert_negative([1, 0])",
    "m.debugging.assert_non_negative(-1)",
    "m.debugging.assert_rank([1, 2], 2, message='r')",
    "m.debugging.assert_rank_at_least([1, 2], 2)",
    "m.debugging.assert_rank_in([1, 2], [2, 3])",
    "m.debugging.assert_type([1, 2], m.float32, 't')",
    "m.debugging.assert_integer([1.0], 'i')",
    "m.debugging.assert_scalar([1], 's')",
    "m.debugging.assert_proper_iterable(1)",
    "m.debugging.assert_proper_iterable(np.ones(2))",
    "m.debugging.assert_shapes([(m.ones([2, 3]), ('N', 3)), (m.ones([3, 3]), (3, 'N'))], message='sh')",
    "m.debugging.assert_shapes([(m.ones([2, 3]), ('N', 4))])",
    "m.debugging.assert_shapes([(m.ones([2, 3]), (2, ...))])",
    "m.debugging.Assert(False, [m.constant([1.0, 2.0, 3.0, 4.0])], summarize=2)",
    "m.debugging.Assert(False, [5])",
)


@pytest.mark.parametrize("call", BINARY)
def test_texts_are_tensorflows(call):
    _, theirs = evaluated(tf, call)
    _, ours = evaluated(shims, call)
    text = str(ours).partition("\n  At:       ")[0]
    wanted = getattr(theirs, "message", str(theirs)).replace(*_AROUND)
    assert [line.strip() for line in text.strip().splitlines()] == [
        line.strip() for line in wanted.strip().splitlines()
    ]


def test_check_numerics_tells_what_it_found():
    for values, found in (([np.nan], "NaN"), ([np.inf], "Inf"), ([np.inf, np.nan], "Inf and NaN")):
        _, theirs = evaluated(
            tf, f"m.debugging.check_numerics({values}, 'cn')".replace("nan", "np.nan")
        )
        with pytest.raises(shims.errors.InvalidArgumentError) as raised:
            shims.debugging.check_numerics(np.float32(values), "cn")
        text = f"cn : Tensor had {found} values"
        assert str(raised.value).splitlines()[0] == text
        assert theirs is not None
