"""Branches and loop bodies that refuse arrays of a call's sizes, and are not run by that call."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, Tolerance, assert_same

pytestmark = [
    # What TensorFlow's AutoGraph makes of programs uses a deprecated form of gast.
    pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning"),
    # Of two elements and more, such a call has a program of its own.
    pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning"),
]


def largest_where_there_is_one(m, x):
    at = m.cond(m.size(x) > 0, lambda: m.argmax(x), lambda: m.constant(-1, m.int64))
    return m.cast(at, m.float32) + m.reduce_sum(x)


def first_where_there_is_one(m, x):
    return m.cond(m.size(x) > 0, lambda: m.reshape(x[:1], []) * 3.0, lambda: m.reduce_sum(x) - 1.0)


def halves_where_positive(m, x):
    y = m.constant(0.5)
    if m.reduce_sum(x) > 0.0:
        y = m.reduce_prod(m.reshape(x, [2, -1])[0])
    return y + m.reduce_sum(x)


def beside_four_numbers(m, x):
    four = m.constant([1.0, 2.0, 3.0, 4.0])
    return m.cond(
        m.reduce_sum(x) > 0.0, lambda: m.reduce_sum(x * four), lambda: m.reduce_sum(x) * 2.0
    )


def first_in_a_while_loop(m, x):
    def body(i, s):
        return i + 1, s + m.reshape(x[:1], []) * m.sin(s)

    return m.while_loop(lambda i, s: i < m.size(x), body, (0, m.reduce_sum(x)))[1]


def first_in_a_converted_loop(m, x):
    i, s = 0, m.reduce_sum(x)
    while i < m.size(x) and s < 6.0:
        s += m.reshape(x[:1], [])
        i += 1
    return s + m.cast(i, m.float32)


def first_of_the_positive(m, x):
    s = m.reduce_sum(x)
    for i in m.range(m.math.count_nonzero(x > 0.0, dtype=m.int32)):
        s += m.reshape(x[:1], []) * x[i]
    return s


PROGRAMS = [
    largest_where_there_is_one,
    first_where_there_is_one,
    halves_where_positive,
    beside_four_numbers,
    first_in_a_while_loop,
    first_in_a_converted_loop,
    first_of_the_positive,
]
ARRAYS = [(), (2.0, 1.0, 1.5, 4.0), (-1.0, -2.0, -0.5), (), (1.0,)]


def spec(m):
    return [m.TensorSpec([None], m.float32)]


def value_and_gradient(m, function, numbers):
    x = m.constant(np.asarray(numbers, np.float32))
    with m.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    slope = tape.gradient(y, x, unconnected_gradients=m.UnconnectedGradients.ZERO)
    return np.asarray(y), np.asarray(slope)


def outcome(call, *arguments):
    """What a call returns, or that it raises."""
    try:
        return call(*arguments)
    except (tf.errors.InvalidArgumentError, shims.errors.InvalidArgumentError):
        return "refused"


def check_alike(found, wanted):
    assert_same(found, wanted, Tolerance(relative=1e-5), Dtypes.SAME)


@pytest.mark.parametrize("numbers", ARRAYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_not_run_refuses_nothing(program, numbers):
    # Each call on its own, so that it is the first one.
    ours = shims.function(lambda x: program(shims, x), input_signature=spec(shims))
    theirs = tf.function(lambda x: program(tf, x), input_signature=spec(tf))
    wanted = outcome(value_and_gradient, tf, theirs, numbers)
    check_alike(outcome(value_and_gradient, shims, ours, numbers), wanted)


@pytest.mark.parametrize("program", PROGRAMS)
def test_one_after_the_other(program):
    ours = shims.function(lambda x: program(shims, x), input_signature=spec(shims))
    theirs = tf.function(lambda x: program(tf, x), input_signature=spec(tf))
    for numbers in ARRAYS:
        x = np.asarray(numbers, np.float32)
        wanted = outcome(lambda x: [np.asarray(theirs(tf.constant(x)))], x)
        check_alike(outcome(lambda x: [np.asarray(ours(shims.constant(x)))], x), wanted)


@pytest.mark.parametrize("program", PROGRAMS)
def test_differentiated_inside(program):
    def slope(m, x):
        with m.GradientTape() as tape:
            tape.watch(x)
            y = program(m, x)
        return tape.gradient(y, x, unconnected_gradients=m.UnconnectedGradients.ZERO)

    ours = shims.function(lambda x: slope(shims, x), input_signature=spec(shims))
    theirs = tf.function(lambda x: program(tf, x), input_signature=spec(tf))
    for numbers in ARRAYS:
        x = np.asarray(numbers, np.float32)
        wanted = outcome(value_and_gradient, tf, theirs, numbers)
        wanted = wanted if isinstance(wanted, str) else wanted[1:]
        check_alike(outcome(lambda x: [np.asarray(ours(shims.constant(x)))], x), wanted)


def test_what_is_run_is_refused_in_its_words():
    read = shims.function(
        lambda x: shims.cond(shims.size(x) < 1, lambda: shims.argmax(x), lambda: 0),
        input_signature=spec(shims),
    )
    assert int(read(shims.constant([1.0, 2.0]))) == 0
    with pytest.raises(shims.errors.InvalidArgumentError, match=r"argmax: axis 0 is empty\."):
        read(shims.zeros([0]))


def test_what_no_size_mends_is_refused_while_traced():
    one = shims.constant(1, shims.int32)
    read = shims.function(
        lambda x: shims.cond(shims.size(x) > 0, lambda: shims.add(x, one), lambda: x),
        input_signature=spec(shims),
    )
    with pytest.raises(shims.errors.InvalidArgumentError):
        read(shims.zeros([0]))


def test_a_branch_whose_operands_cannot_be_broadcast():
    """JAX raises the error here, not an operator."""
    add = shims.function(
        lambda x: shims.cond(shims.size(x) == 4, lambda: x + jnp.arange(4.0), lambda: x * 2),
        input_signature=spec(shims),
    )
    assert_same(add(shims.ones([4])), np.float32([1, 2, 3, 4]), 0.0)
    assert_same(add(shims.ones([3])), np.float32([2, 2, 2]), 0.0)
