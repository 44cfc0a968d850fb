"""What TensorFlow makes of arrays of other shapes: its value, or its error."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import report
from tests.harness.outcomes import outcome, outcomes_apart
from tests.specs.other_shapes import CALLS


def called(module, call):
    """Call, and list the arrays or keep the error."""
    return outcome(lambda: list(map(np.asarray, module.nest.flatten(call(module)))))


@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow(name):
    theirs, ours = called(tf, CALLS[name]), called(shims, CALLS[name])
    report({name: outcomes_apart(ours, theirs, 1e-5)})


def test_both_kinds_are_there():
    refused = [called(tf, call).error is not None for call in CALLS.values()]
    assert any(refused)
    assert not all(refused)
