"""Lists that grew in a loop answer everything afterwards, as TensorFlow's do.

All numbers are small whole ones, which no rounding changes: equality holds on every processor.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

from .after_growing import PROGRAMS, grown

# TensorFlow's own AutoGraph builds syntax trees in a way that Python 3.13 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")


def as_function(t, program):
    def call(x):
        return program(t, x)

    return t.function(call, input_signature=[t.TensorSpec([None])])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    ours, theirs = as_function(shims, program), as_function(tf, program)
    for n in (5, 20):
        x = np.arange(1, n + 1, dtype=np.float32)
        got, wanted = jax.tree.leaves(ours(x)), tf.nest.flatten(theirs(tf.constant(x)))
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_position_behind_the_end():
    f = as_function(shims, lambda t, x: grown(t, x).read(t.shape(x)[0]))
    with pytest.raises(shims.errors.InvalidArgumentError) as raised:
        f(np.ones(3, np.float32))
    assert "Required: a position in [0, size)" in str(raised.value)
