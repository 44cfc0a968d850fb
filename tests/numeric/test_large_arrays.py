"""Forms that are taken for large arrays only give what the plain ones do.

Equality rests on integers, on sums of small whole numbers, exact in any order, and on copies: it holds on
every processor.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

ROWS = 1 << 17
RANDOM = np.random.default_rng(0)


def in_a_function(call, *arrays):
    """What a function gives whose sizes are all unknown, for the first call and once they come again."""
    function = shims.function(
        call,
        input_signature=[shims.TensorSpec([None] * a.ndim, a.dtype) for a in arrays],
        autograph=False,
    )
    return [function(*map(jnp.asarray, arrays)) for _ in range(20)][::19]


@pytest.mark.parametrize("segments", [1, 100, ROWS // 32, ROWS // 8])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float16"])
def test_sums_of_sorted_segments(segments, dtype):
    data = RANDOM.integers(-4, 5, ROWS).astype(dtype)  # sums without rounding in any order
    ids = np.sort(RANDOM.integers(0, segments, ROWS)).astype(np.int32)
    expected = tf.math.segment_sum(data.astype("int64"), ids).numpy()
    for found in in_a_function(shims.math.segment_sum, data, ids):
        np.testing.assert_array_equal(found, expected.astype(dtype))
        assert found.dtype == dtype


def test_a_segment_with_nan_and_one_with_infinity():
    data = np.ones(ROWS, np.float32)
    ids = np.repeat(np.arange(4), ROWS // 4).astype(np.int32)
    data[5], data[ROWS // 4 + 1], data[-1] = np.nan, np.inf, -np.inf
    for found in in_a_function(shims.math.segment_sum, data, ids):
        np.testing.assert_array_equal(found, [np.nan, np.inf, ROWS // 4, -np.inf])


def test_gradient_of_sums_of_sorted_segments():
    data = RANDOM.normal(size=ROWS).astype(np.float32)
    ids = np.sort(RANDOM.integers(0, 100, ROWS)).astype(np.int32)

    def call(data, ids):
        with shims.GradientTape() as tape:
            tape.watch(data)
            loss = shims.reduce_sum(shims.math.segment_sum(data, ids) ** 2)
        return tape.gradient(loss, data)

    sums = np.bincount(ids, data.astype(np.float64))
    for found in in_a_function(call, data, ids):
        np.testing.assert_allclose(found, 2 * sums[ids], rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("data", [np.zeros(ROWS), np.tile([1.0, -1.0], ROWS // 2)])
def test_gradient_of_sums_that_are_nothing(data):
    data = data.astype(np.float32)
    ids = np.sort(np.arange(ROWS) % 10).astype(np.int32)

    def loss(data, ids):
        return shims.reduce_sum(shims.math.segment_sum(data, ids))

    function = shims.function(
        loss,
        input_signature=[shims.TensorSpec([None]), shims.TensorSpec([None], shims.int32)],
        autograph=False,
    )
    for _ in range(20):
        slope = jax.grad(function)(jnp.asarray(data), ids)
    np.testing.assert_array_equal(slope, np.ones(ROWS))


def test_additions_to_a_negative_zero():
    array = np.full(3, -0.0, np.float32)
    places = np.zeros((ROWS, 1), np.int32)
    updates = np.full(ROWS, -0.0, np.float32)
    for found in in_a_function(shims.tensor_scatter_nd_add, array, places, updates):
        np.testing.assert_array_equal(np.signbit(found), [True] * 3)


def test_ids_that_are_not_sorted_are_refused():
    data, ids = np.ones(ROWS, np.float32), np.zeros(ROWS, np.int32)
    ids[7] = 3
    with pytest.raises(shims.errors.InvalidArgumentError, match="not increasing"):
        in_a_function(shims.math.segment_sum, data, ids)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_extremes_of_integers(dtype, axis):
    low, high = (-100, 100) if dtype != "uint8" else (0, 200)
    data = RANDOM.integers(low, high, (3, ROWS)).astype(dtype)
    with jax.enable_x64(True):
        for name in ("reduce_max", "reduce_min"):
            expected = getattr(tf, name)(data, axis).numpy()
            found = [getattr(shims, name)(jnp.asarray(data), axis)]
            found += in_a_function(lambda x, n=name: getattr(shims, n)(x, axis), data)
            for each in found:
                assert each.dtype == dtype
                np.testing.assert_array_equal(each, expected)


def test_extremes_of_integers_under_vmap():
    data = jnp.asarray(RANDOM.integers(-9, 9, (3, 1 << 12)).astype(np.int32))
    np.testing.assert_array_equal(jax.vmap(shims.reduce_max)(data), np.max(data, 1))


@pytest.mark.parametrize("rows", [1 << 16, ROWS + 5])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_running_totals_of_integers(dtype, rows):
    data = RANDOM.integers(0, 100, rows).astype(dtype)  # those of 8 bits go round
    with jax.enable_x64(True):
        for how in ({}, {"exclusive": True}, {"reverse": True}):
            expected = tf.cumsum(data, **how).numpy()
            for found in in_a_function(lambda x, how=how: shims.cumsum(x, **how), data):
                assert found.dtype == dtype
                np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("distinct", [100, ROWS])
def test_distinct_values_and_their_counts(distinct):
    data = RANDOM.integers(0, distinct, ROWS + 5).astype(np.int32)
    expected = tf.unique_with_counts(data)
    for found in in_a_function(shims.unique_with_counts, data):
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_counts_and_negative_numbers():
    data = RANDOM.integers(0, 50, ROWS).astype(np.int32)
    for found in in_a_function(shims.math.bincount, data):
        np.testing.assert_array_equal(found, np.bincount(data))
    data[-1] = -1
    with pytest.raises(shims.errors.InvalidArgumentError, match="non-negative"):
        in_a_function(shims.math.bincount, data)


@pytest.mark.parametrize("rows", [(ROWS,), (ROWS // 2, 2)])
def test_parts_that_are_taken_out_side_by_side(rows):
    data = RANDOM.normal(size=(*rows, 2)).astype(np.float32)
    parts = RANDOM.integers(0, 3, rows).astype(np.int32)
    parts[: rows[0] // 2] = 1  # a long run, and short ones
    expected = tf.dynamic_partition(data, parts, 3)
    for found in in_a_function(lambda x, p: shims.dynamic_partition(x, p, 3), data, parts):
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)
