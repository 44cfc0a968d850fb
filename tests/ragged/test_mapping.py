"""`map_fn` over ragged rows, and to rows of different lengths.

All numbers are small multiples of a half, which no rounding changes: equality holds on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

ROWS = [[1.0, 2.0], [3.0], []]
DEEP = [[[1.0, 2.0], [3.0]], [], [[4.0]]]
TO_ARRAYS = {
    "sums": lambda tf, x: tf.map_fn(tf.reduce_sum, x, fn_output_signature=tf.float32),
    "sizes": lambda tf, x: tf.map_fn(tf.size, x, fn_output_signature=tf.TensorSpec([], tf.int32)),
    "largest": lambda tf, x: tf.map_fn(
        lambda row: tf.reduce_max(tf.concat([row, [0.5]], 0)), x, fn_output_signature=tf.float32
    ),
    "beside-an-array": lambda tf, x: tf.map_fn(
        lambda pair: tf.reduce_sum(pair[0]) * pair[1],
        (x, tf.cast(tf.range(x.nrows()), tf.float32)),
        fn_output_signature=tf.float32,
    ),
}
TO_ROWS = {
    "doubled": lambda tf, x: tf.map_fn(lambda row: row * 2.0, x),
    "longer": lambda tf, x: tf.map_fn(
        lambda row: tf.concat([row, [9.0]], 0), x, fn_output_signature=tf.RaggedTensorSpec([None])
    ),
    "ranges": lambda tf, x: tf.map_fn(
        tf.range, x.row_lengths(), fn_output_signature=tf.RaggedTensorSpec([None], tf.int64)
    ),
    "rows-and-sums": lambda tf, x: tf.map_fn(
        lambda row: (row, tf.reduce_sum(row)),
        x,
        fn_output_signature=(tf.RaggedTensorSpec([None]), tf.float32),
    )[0],
    "none": lambda tf, x: tf.map_fn(
        tf.range, x.row_lengths()[:0], fn_output_signature=tf.RaggedTensorSpec([None], tf.int64)
    ),
}


@pytest.mark.parametrize("program", TO_ARRAYS.values(), ids=TO_ARRAYS)
def test_to_arrays(program):
    wanted = program(tf, tf.ragged.constant(ROWS))
    run = shims.function(
        lambda x: program(shims, x), input_signature=[shims.RaggedTensorSpec([None, None])]
    )
    ours = shims.ragged.constant(ROWS)
    for found in (program(shims, ours), run(ours)):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("program", TO_ROWS.values(), ids=TO_ROWS)
def test_to_rows(program):
    wanted = program(tf, tf.ragged.constant(ROWS))
    found = program(shims, shims.ragged.constant(ROWS))
    assert found.to_list() == wanted.to_list()
    assert found.ragged_rank == wanted.ragged_rank


def test_rows_that_are_ragged_themselves():
    spec = [None, None]
    wanted, found = (
        m.map_fn(
            lambda rows: rows + 1.0,
            m.ragged.constant(DEEP),
            fn_output_signature=m.RaggedTensorSpec(spec),
        )
        for m in (tf, shims)
    )
    assert found.to_list() == wanted.to_list()


def test_the_gradient_reaches_the_values():
    def slope(m):
        values = m.constant([1.0, 2.0, 3.0])
        with m.GradientTape() as tape:
            tape.watch(values)
            rows = m.RaggedTensor.from_row_splits(values, [0, 2, 3, 3])
            y = m.map_fn(lambda r: m.reduce_sum(r * r), rows, fn_output_signature=m.float32)
        return tape.gradient(y, values)

    np.testing.assert_array_equal(slope(shims), slope(tf))


REFUSED = {
    "dtype": lambda tf, x: tf.map_fn(
        tf.range, x.row_lengths(), fn_output_signature=tf.RaggedTensorSpec([None], tf.float32)
    ),
    "lengths": lambda tf, x: tf.map_fn(lambda pair: pair[0], (x, [1.0]), tf.RaggedTensorSpec([1])),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED)
def test_refused(program):
    for m in (tf, shims):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            program(m, m.ragged.constant(ROWS))


def test_rows_do_not_come_out_of_a_function():
    with pytest.raises(shims.errors.UnimplementedError, match="ragged results are not supported"):
        shims.function(TO_ROWS["doubled"].__get__(shims))(shims.ragged.constant(ROWS))
