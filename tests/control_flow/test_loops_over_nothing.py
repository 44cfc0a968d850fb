"""Loops and branches that read single elements by position, where there are none."""

import numpy as np
import pytest
import tensorflow as tf

import shims

# What TensorFlow's AutoGraph makes of programs uses a deprecated form of gast.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")


def read_in_a_loop(m, x):
    s, i = m.constant(1.0), 0
    while i < m.shape(x)[0]:
        s = s * 1.5 + m.reduce_sum(x[i])
        i += 1
    return s


def read_in_a_branch(m, x):
    return m.cond(m.shape(x)[0] > 0, lambda: m.reduce_sum(x[m.shape(x)[0] - 1]), lambda: -1.0)


def read_first_in_a_branch(m, x):
    return m.cond(m.shape(x)[0] > 2, lambda: m.reduce_sum(x[0]) * 2.0, lambda: m.reduce_sum(x))


def value_and_gradient(m, program, shape, sizes):
    function = m.function(
        lambda x: program(m, x), input_signature=[m.TensorSpec([None, *shape], m.float32)]
    )
    found = []
    for n in sizes:
        x = m.constant(np.arange(n * np.prod(shape, dtype=int)).reshape(n, *shape), m.float32)
        with m.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found += [np.asarray(y), np.asarray(tape.gradient(y, x))]
    return found


@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize("program", [read_in_a_loop, read_in_a_branch, read_first_in_a_branch])
def test_what_is_not_reached_reads_nothing(program, shape):
    ours = value_and_gradient(shims, program, shape, (0, 3, 1, 0))
    theirs = value_and_gradient(tf, program, shape, (0, 3, 1, 0))
    for found, wanted in zip(ours, theirs, strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_what_is_reached_is_refused():
    signature = [shims.TensorSpec([None], shims.float32), shims.TensorSpec([], shims.int32)]
    read = shims.function(lambda x, i: x[i], input_signature=signature)
    assert float(read(shims.constant([1.0, 2.0]), shims.constant(1))) == 2.0
    with pytest.raises(shims.errors.InvalidArgumentError, match="an axis of no elements is read"):
        read(shims.zeros([0]), shims.constant(0))
