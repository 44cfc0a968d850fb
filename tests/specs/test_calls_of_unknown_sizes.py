"""Calls of TensorFlow's own kernel tests: eagerly and in a function that knows no size.

Equality rests on small whole numbers, and on quotients and roots of them, which IEEE rounds: it holds on
every processor.
"""

import jax
import numpy as np
import pytest
import tensorflow

import shims
from tests.harness.compare import EXACT, assert_same
from tests.specs.calls_of_unknown_sizes import CALLS
from tests.specs.test_kernel_calls import leaves


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow(name):
    program, *arrays = CALLS[name]
    expected = leaves(program(tensorflow, *map(tensorflow.constant, arrays)))

    def call(*arrays):
        return program(shims, *arrays)

    unknown = [shims.TensorSpec([None] * x.ndim, x.dtype) for x in arrays]
    staged = shims.function(call, input_signature=unknown, autograph=False)
    for run in (call, staged):
        found = jax.tree.leaves(run(*map(shims.constant, arrays)))
        assert_same(list(map(np.asarray, found)), expected, EXACT)
