"""Gradients through loops that nothing bounds and through lists that grow in them, as TensorFlow's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Tolerance, assert_same

from .growing_programs import PROGRAMS, value_and_gradient

# TensorFlow's own AutoGraph builds syntax trees in a way that Python 3.13 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")
# One that fits the first room, and one for which it has to grow.
INPUTS = [np.linspace(0.2, 0.9, n).astype(np.float32) for n in (3, 40)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_by_a_tape(program):
    ours, theirs = value_and_gradient(shims, program), value_and_gradient(tf, program)
    for x in INPUTS:
        assert_same(ours(x), theirs(tf.constant(x)), Tolerance(relative=2e-5, absolute=1e-5))


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


def test_a_position_of_constants_that_a_size_may_replace_is_refused():
    def program(x):
        def shorter(v):
            return v[jnp.where(jnp.asarray(1) < 0, shims.size(v), 1) :]

        def shorter_or_longer(i, v):
            ways = [lambda: shorter(v), lambda: v, lambda: shims.concat([v, v], 0)]
            return i + 1, shims.tanh(shims.switch_case(shims.size(x) - 3, ways))

        shapes = [shims.TensorShape([]), shims.TensorShape([None])]
        loop = [shims.constant(0), x]
        kept = shims.while_loop(lambda i, v: i < 2, shorter_or_longer, loop, shapes)[1]
        return shims.reduce_sum(kept**2)

    with pytest.raises(shims.errors.FreshSizeError, match="of a loop body"):
        value_and_gradient(shims, lambda t, x: program(x))(INPUTS[0])
