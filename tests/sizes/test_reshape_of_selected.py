"""`reshape` with -1 of what a mask selects: the rest must divide, which the run shows."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Tolerance, assert_same

X = np.arange(1, 9, dtype=np.float32)
SHAPES = ([-1, 2], [2, -1], [1, -1, 2], [-1, 1], [-1])


def program(t, shape):
    def call(x, mask):
        with t.GradientTape() as tape:
            tape.watch(x)
            rows = t.reshape(t.boolean_mask(x, mask), shape)
            total = t.reduce_sum(rows * t.reduce_sum(rows, axis=-1, keepdims=True))
        return rows, tape.gradient(total, x)

    specs = [t.TensorSpec([None], t.float32), t.TensorSpec([None], t.bool)]
    return t.function(call, input_signature=specs)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_as_tensorflow(shape):
    ours, theirs = program(shims, shape), program(tf, shape)
    for mask in (X > 2, X > 8, X > 0):
        for got, wanted in zip(ours(X, mask), theirs(tf.constant(X), mask), strict=True):
            assert_same(got, wanted, Tolerance(relative=1e-7))


def test_what_does_not_divide():
    f = program(shims, [-1, 2])
    with pytest.raises(shims.errors.InvalidArgumentError, match="the input has 7 values"):
        f(X, X > 1)


def test_a_maximum_of_it():
    f = shims.function(
        jax.grad(
            lambda x, m: shims.reduce_sum(shims.reduce_max(shims.reshape(x[m], [-1, 2]), axis=0))
        ),
        input_signature=[shims.TensorSpec([None]), shims.TensorSpec([None], "bool")],
    )
    assert f(X, X > 2).tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
