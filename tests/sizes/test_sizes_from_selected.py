"""Sizes computed from what data select: the rest up to a number, both parts, none and too few.

Values are compared exactly: small whole numbers, which no rounding changes, on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, Dtypes, assert_same


def filled_up(t, x):
    chosen = t.boolean_mask(x, x > 0)
    return t.pad(chosen, [[0, 8 - t.size(chosen)]])


def as_many_as_all(t, x):
    chosen = t.boolean_mask(x, x > 0)
    return x * t.pad(chosen, [[t.size(x) - t.size(chosen), 0]])


def both_parts(t, x):
    count = t.size(t.boolean_mask(x, x > 0))
    first, second = t.split(x, [count, t.size(x) - count])
    return t.concat([second * 2, first], 0)


def halves(t, x):
    count = t.size(x)
    first, second = t.split(x, [count // 2, count - count // 2])
    return t.concat([second * 2, first], 0)


def places_of_the_rest(t, x):
    return t.range(t.size(x) - t.size(t.boolean_mask(x, x > 0)))


def one_of_two(t, x):
    count = t.size(x)
    return t.cond(count > 3, lambda: x[:3], lambda: t.pad(x, [[0, 3 - count]]))


def one_fewer(t, x):
    return t.zeros([t.size(t.boolean_mask(x, x > 0)) - 1])


def places_of_one_fewer(t, x):
    return t.range(t.size(t.boolean_mask(x, x > 0)) - 1)


def of_a_sum(t, x):
    return t.zeros([t.cast(t.reduce_sum(x), t.int32)])


def range_to_a_sum(t, x):
    return t.range(t.cast(t.reduce_sum(x), t.int32))


PROGRAMS = (
    *(filled_up, as_many_as_all, both_parts, halves, places_of_the_rest, one_of_two),
    *(one_fewer, places_of_one_fewer, of_a_sum, range_to_a_sum),
)
ARRAYS = tuple(map(np.float32, ([3, -1, 2, 4, -2], [-1], [1], [-1, -2], [2, 3, -9])))


def result(t, f, x):
    try:
        return np.asarray(f(t.constant(x)))
    except t.errors.InvalidArgumentError:
        return None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    ours, theirs = (
        t.function(lambda x, t=t: program(t, x), input_signature=[t.TensorSpec([None])])
        for t in (shims, tf)
    )
    for x in ARRAYS:
        got, wanted = result(shims, ours, x), result(tf, theirs, x)
        assert (got is None) == (wanted is None), x
        if wanted is not None:
            assert_same(got, wanted, EXACT, Dtypes.SAME)


def gradient(t, x):
    with t.GradientTape() as tape:
        tape.watch(x)
        total = t.reduce_sum(t.sin(filled_up(t, x) * t.range(1.0, 9.0)))
    return tape.gradient(total, x)


def test_gradient_of_what_is_filled_up():
    ours, theirs = (
        t.function(lambda x, t=t: gradient(t, x), input_signature=[t.TensorSpec([None])])
        for t in (shims, tf)
    )
    for x in ARRAYS[:3]:
        np.testing.assert_allclose(ours(x), theirs(tf.constant(x)), rtol=1e-5, atol=1e-6)
