"""Sizes computed from others that turn out to be 1 broadcast as TensorFlow's do, in gradients too."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Tolerance, assert_same

TABLE = np.arange(1, 10, dtype=np.float32).reshape(3, 3)
X = np.float32([3, -0.5, 2])


def rows_and_a_constant(t, x):
    return t.divide(t.reshape(x, [-1, 3]), t.constant(TABLE))


def rows_and_rows(t, x):
    return t.multiply(t.reshape(x, [-1, 3]), t.stack([x, x * 2, x * 3]))


def a_window(t, x):
    return t.multiply(x[2:], x)


def a_window_on_the_right(t, x):
    return t.maximum(t.sin(x), t.cos(x[2:]))


def two_windows(t, x):
    return t.subtract(x[2:], x[1:] * 2)


def chosen(t, x):
    return t.where(x[2:] > 0, x, x * 2)


def an_operator(t, x):
    return x[2:] * x + x


def of_selected(t, x):
    return t.multiply(t.reshape(t.boolean_mask(x, x < 4), [-1, 3]), t.constant(TABLE))


def spread(t, x):
    return t.broadcast_to(x[2:], [4])


def batches(t, x):
    left = t.reshape(x, [-1, 3, 1])
    return t.matmul(left, t.reshape(t.constant(np.concatenate([X, X])), [2, 1, 3]))


PROGRAMS = (
    *(rows_and_a_constant, rows_and_rows, a_window, a_window_on_the_right, two_windows, chosen),
    *(an_operator, of_selected, spread, batches),
)


def value_and_gradient(t, program):
    def call(x):
        with t.GradientTape() as tape:
            tape.watch(x)
            y = program(t, x)
            total = t.reduce_sum(t.sin(y))
        return y, tape.gradient(total, x)

    return t.function(call, input_signature=[t.TensorSpec([None])])


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_tensorflow(program):
    ours, theirs = value_and_gradient(shims, program), value_and_gradient(tf, program)
    for _ in range(2):
        for got, wanted in zip(ours(X), theirs(tf.constant(X)), strict=True):
            assert_same(got, wanted, Tolerance(relative=1e-5, absolute=1e-6))


def test_one_function_for_ones_and_others():
    f = shims.function(
        lambda x: shims.multiply(x[2:], x[-1:]), input_signature=[shims.TensorSpec([None])]
    )
    for n in (3, 4, 7, 3, 5):
        x = np.arange(n, dtype=np.float32)
        assert f(x).tolist() == (x[2:] * x[-1:]).tolist()
    g = shims.function(
        lambda x: shims.multiply(x[2:], shims.constant([1.0, 2.0])),
        input_signature=[shims.TensorSpec([None])],
    )
    for n in (3, 4, 3):
        x = np.arange(n, dtype=np.float32)
        assert g(x).tolist() == (x[2:] * np.float32([1, 2])).tolist()
    with pytest.raises((shims.errors.InvalidArgumentError, TypeError, ValueError)):
        g(np.arange(6, dtype=np.float32))
