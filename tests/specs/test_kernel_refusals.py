"""Calls that TensorFlow's own kernel tests expect to fail: its error, eagerly and in a function."""

import pytest
import tensorflow

import shims
from tests.control_flow.messages import rendered
from tests.specs.refused_by_kernels import CALLS


def refusal(f):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the caller looks at its class
        f()
    return raised.value


def names(error):
    return {cls.__name__ for cls in type(error).__mro__}


@pytest.mark.parametrize("name", CALLS)
def test_the_error_is_that_of_tensorflow(name):
    call, _ = CALLS[name]
    expected = type(refusal(lambda: call(tensorflow))).__name__
    assert expected in names(refusal(lambda: call(shims)))
    assert expected in names(refusal(shims.function(lambda: call(shims), autograph=False)))


@pytest.mark.parametrize("name", CALLS)
def test_message(name):
    call, text = CALLS[name]
    kind = type(refusal(lambda: call(shims)))
    assert rendered(lambda: call(shims), kind) == text
