"""Sizes that depend on data, compared with floats, NumPy's integers, several numbers and shapes."""

import jax
import numpy as np
import pytest

import shims

X = np.arange(12, dtype=np.float32).reshape(4, 3)


def floats(x):
    n = x[x[:, 0] > 2].shape[0]
    return [
        1.0 if answer else 0.0
        for answer in (n < 2.5, n > 2.5, n <= 3.0, n >= 3.5, n > 2.5, n >= 3.5, n < 2.5, n <= 3.0)
    ]


def unusual_floats(x):
    n = x[x[:, 0] > 2].shape[0]
    a, b = float("inf"), float("nan")
    return [
        1.0 if answer else 0.0
        for answer in (n < a, n > -a, n == 2.5, n != 2.5, n == 3.0, n < b, n >= b, n != b)
    ]


def among(x):
    n = x[x[:, 0] > 2].shape[0]
    found = 0.0
    if n in (1, 3):
        found += 1.0
    if n not in [1, 3]:
        found += 2.0
    if n in (2, 2.5):
        found += 4.0
    return found


def shapes(x):
    y, z = x[x[:, 0] > 2], x[x[:, 1] > 3]
    if y.shape[0] > 5:
        return 1.0
    elif y.shape == z.shape:
        return 2.0
    return 3.0


def other_shapes(x):
    y, z = x[x[:, 0] > 2], x[x[:, 1] > 5]
    found = 0.0
    if y.shape != z.shape:
        found += 1.0
    if y.shape == (3, 3):
        found += 2.0
    if y.shape == (3, 2):
        found += 4.0
    return found


def numpy_integer(x):
    n = x[x[:, 0] > 2].shape[0]
    return 1.0 if n == np.int64(3) and n < np.int32(4) else 0.0


PROGRAMS = (floats, unusual_floats, among, shapes, other_shapes, numpy_integer)
LANES = {
    "function": lambda f: shims.function(f, input_signature=[shims.TensorSpec([None, 3])]),
    "foreign": lambda f: jax.jit(shims.dynamic(f)),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_answer_is_that_of_the_number(program, lane):
    run = LANES[lane](program)
    for x in (X, X[:2], X[::-1]):
        wanted = np.asarray(program(x))
        assert np.asarray(run(x)).tolist() == wanted.tolist()


def test_floats_without_conversion():
    run = shims.function(floats, autograph=False, input_signature=[shims.TensorSpec([None, 3])])
    for x in (X, X[:2], X[::-1]):
        assert np.asarray(run(x)).tolist() == floats(x)


def test_an_input_size_and_a_float_do_not_specialize():
    @shims.function(input_signature=[shims.TensorSpec([None, 3])], on_specialize="raise")
    def run(x):
        return shims.reduce_sum(x) if x.shape[0] < 2.5 else 0.0

    assert [float(run(X[:k])) for k in (1, 2, 3)] == [3.0, 15.0, 0.0]


def test_text_is_a_result_that_is_part_of_the_program():
    found = shims.function(lambda x: {"s": "text", "x": (x, b"other")})(X)
    assert found["s"].numpy() == b"text"
    assert found["x"][1].numpy() == b"other"
