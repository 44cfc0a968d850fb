"""What TensorFlow makes of arrays of other shapes: its value, or its error."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.random_programs.verdict import same_error
from tests.specs.other_shapes import CALLS
from tests.table.compare import difference


def outcome(module, call):
    """The arrays that a call gives, or its error."""
    try:
        return [np.asarray(a) for a in module.nest.flatten(call(module))], None
    except Exception as error:  # noqa: BLE001 - which one is what the test is about
        return [], error


@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow(name):
    theirs, wanted = outcome(tf, CALLS[name])
    ours, error = outcome(shims, CALLS[name])
    if wanted is not None:
        assert same_error(error, wanted), error
        return
    assert error is None, error
    assert len(ours) == len(theirs)
    problems = [difference(a, b, 1e-5) for a, b in zip(ours, theirs, strict=True)]
    assert not any(problems), problems


def test_both_kinds_are_there():
    refused = [outcome(tf, call)[1] is not None for call in CALLS.values()]
    assert any(refused)
    assert not all(refused)
