"""Gradients through loops that nothing bounds and through lists that grow in them, as TensorFlow's."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

from .growing_programs import PROGRAMS, value_and_gradient

# TensorFlow's own AutoGraph builds syntax trees in a way that Python 3.13 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")
# One that fits the first room, and one for which it has to grow.
INPUTS = [np.linspace(0.2, 0.9, n).astype(np.float32) for n in (3, 40)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_by_a_tape(program):
    ours, theirs = value_and_gradient(shims, program), value_and_gradient(tf, program)
    for x in INPUTS:
        for got, wanted in zip(ours(x), theirs(tf.constant(x)), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_by_jax(program):
    ours = shims.function(
        lambda x: jax.grad(shims.function(lambda v: program(shims, v)))(x),
        input_signature=[shims.TensorSpec([None])],
    )
    for x in INPUTS:
        wanted = value_and_gradient(tf, program)(tf.constant(x))[1]
        np.testing.assert_allclose(ours(x), wanted, rtol=2e-5, atol=1e-5)


def test_a_python_list_in_a_loop_that_nothing_bounds():
    @shims.function(input_signature=[shims.TensorSpec([None])])
    def program(x):
        found = []
        total, i = shims.constant(0.0), shims.constant(0)
        while total < 3.0:
            total += x[i % shims.shape(x)[0]] ** 2
            found.append(total)
            i += 1
        return shims.stack(found)

    for x in INPUTS:
        wanted, total, i = [], np.float32(0), 0
        while total < 3:
            total += x[i % len(x)] ** 2
            wanted.append(total)
            i += 1
        np.testing.assert_allclose(program(x), wanted, rtol=1e-5)


def test_elements_of_sizes_of_their_own_are_refused():
    @shims.function(input_signature=[shims.TensorSpec([None])])
    def program(x):
        array = shims.TensorArray(shims.float32, size=0, dynamic_size=True, infer_shape=False)
        for i in shims.range(shims.shape(x)[0]):
            array = array.write(i, shims.boolean_mask(x, x > x[i]))
        return array.concat()

    with pytest.raises(shims.errors.UnimplementedError, match="sizes depend on data"):
        program(INPUTS[0])
