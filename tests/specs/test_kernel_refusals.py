"""Calls that TensorFlow's own kernel tests expect to fail: its error, eagerly and in a function."""

import jax
import numpy as np
import pytest
import tensorflow

import shims
from tests.control_flow.messages import rendered
from tests.specs.refused_by_kernels import CALLS


def refusal(f):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the caller looks at its class
        f()
    return raised.value


def names(error):
    return {cls.__name__ for cls in type(error).__mro__}


@pytest.mark.parametrize("name", CALLS)
def test_the_error_is_that_of_tensorflow(name):
    call, _ = CALLS[name]
    expected = type(refusal(lambda: call(tensorflow))).__name__
    assert expected in names(refusal(lambda: call(shims)))
    assert expected in names(refusal(shims.function(lambda: call(shims), autograph=False)))


@pytest.mark.parametrize("name", CALLS)
def test_message(name):
    call, text = CALLS[name]
    kind = type(refusal(lambda: call(shims)))
    assert rendered(lambda: call(shims), kind) == text


def test_rows_whose_number_only_the_run_knows():
    rows = shims.ragged.constant([[1]] * 40)
    staged = jax.jit(
        shims.dynamic(lambda mask: shims.split(shims.ragged.boolean_mask(rows, mask), 2))
    )
    assert rendered(lambda: staged(np.arange(40) < 3), shims.errors.UnimplementedError) == (
        "split: the number of rows is known only at run time.\n"
        "  Required: a ragged tensor with a known number of rows\n"
        "  At:"
    )


def test_more_elements_than_can_be_counted():
    assert rendered(
        lambda: shims.tile(np.ones((1, 1, 1), np.float32), [10**8] * 3),
        shims.errors.InvalidArgumentError,
    ) == ("tile: an array would have more elements than an int64 can count.\n  At:")


def test_ragged_partitions_are_vectors():
    rows = shims.ragged.constant([[1], [2, 3]])
    assert rendered(
        lambda: shims.dynamic_partition(rows, [[0], [1]], 2), shims.errors.UnimplementedError
    ) == (
        "dynamic_partition: a ragged tensor can be partitioned only by rows.\n"
        "  Required: a vector of partitions\n"
        "  Received: partitions i32[2, 1]\n"
        "  At:"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: shims.constant([10**18]),
        lambda: shims.add(np.int64([10**18]), 1),
        lambda: shims.math.unsorted_segment_sum([1.0], np.int64([10**18]), 3),
        lambda: shims.math.segment_sum([1.0], np.int64([10**18])),
    ],
)
def test_numbers_that_need_64_bits(call):
    assert rendered(call, shims.errors.NarrowingError) == (
        "a number of dtype int64 does not fit int32.\n"
        "  Required: numbers in [-2147483648, 2147483647]\n"
        "  Received: [1000000000000000000, 1000000000000000000]\n"
        "  At:\n"
        '  Do:       enable 64-bit types: `jax.config.update("jax_enable_x64", True)`'
    )


@pytest.mark.parametrize(("x", "to"), [(np.int32([[1, 2]]), "int64"), (np.int64([1]), "int32")])
def test_bits_of_wide_numbers(x, to):
    assert rendered(lambda: shims.bitcast(x, to), shims.errors.UnimplementedError) == (
        "bitcast: int64 needs 64-bit types.\n"
        "  At:\n"
        '  Do:       enable 64-bit types: `jax.config.update("jax_enable_x64", True)`'
    )
