"""Calls of TensorFlow's own kernel tests on arrays of unknown sizes; `tf` is either library.

Each is a program and its arrays.
"""

import numpy as np

A = np.arange(8, dtype=np.float32).reshape(4, 2)
IDS = np.int32([1, 2, 1, 1, 2, 2])


def slope(tf, f, *xs):
    """The gradients of what `f` computes, and whether one of them is rows of slices."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    found = tape.gradient(y, xs)
    sliced = [isinstance(g, tf.IndexedSlices) for g in found]
    return sliced, [tf.convert_to_tensor(g) for g in found]


def _rows_by_position(name, **options):
    def program(tf, x, indices):
        segments = getattr(tf.sparse, f"segment_{name}")
        return slope(tf, lambda x: segments(x, indices, [0, 0, 1], **options), x)

    return program, A, np.int32([0, 1, 1])


ROWS_OF_NOTHING = {
    "filled up": lambda tf, rt: rt.to_tensor(),
    "filled up to a shape": lambda tf, rt: rt.to_tensor(shape=[None, 3, None]),
    "summed": lambda tf, rt: tf.reduce_sum(rt, 1),
    "joined": lambda tf, rt: tf.concat([rt, rt], 1).flat_values,
    "repeated": lambda tf, rt: tf.tile(rt, [1, 2, 1]).flat_values,
    "taken": lambda tf, rt: tf.gather(rt, [0]).flat_values,
    "turned around": lambda tf, rt: tf.reverse(rt, [1]).flat_values,
}


def _rows_of_nothing(name):
    """The table that the rows are from, and that no row is from."""

    def program(tf, table, ids, splits):
        def f(table):
            rt = tf.RaggedTensor.from_row_splits(tf.gather(table, ids), splits)
            return ROWS_OF_NOTHING[name](tf, rt)

        return slope(tf, f, table)[1]

    return program, A, np.int32([]), np.int32([0, 0])


def _segments_of_ragged_rows(name):
    def program(tf, values, outer, inner, ids):
        data = tf.RaggedTensor.from_nested_row_splits(values, [outer, inner])
        ids = tf.RaggedTensor.from_row_splits(ids, outer)
        return getattr(tf.math, f"unsorted_segment_{name}")(data, ids, 3)

    inner = np.int32([0, 4, 5, 5, 7, 8, 10])
    return program, np.arange(10.0, dtype=np.float32), np.int32([0, 2, 2, 5, 6]), inner, IDS


CALLS = {
    **{f"gradient of rows of nothing, {name}": _rows_of_nothing(name) for name in ROWS_OF_NOTHING},
    **{
        f"segments of rows of ragged rows: {name}": _segments_of_ragged_rows(name)
        for name in ("sum", "max", "mean")
    },
    **{
        f"gradient of the {name} of rows by position": _rows_by_position(name)
        for name in ("sum", "mean", "sqrt_n")
    },
    "gradient of the sum of rows by position, of a number": _rows_by_position(
        "sum", num_segments=3
    ),
    "gradient of the sum of rows by position, as slices": _rows_by_position(
        "sum", sparse_gradient=True
    ),
    "gradient of segments of rows of nothing": (
        lambda tf, x, ids: slope(tf, lambda x: tf.math.unsorted_segment_sum(x, ids, 2), x),
        A[:, :0],
        np.int32([0, 1, 1, 0]),
    ),
    "booleans of Python beside numbers": (
        lambda tf, x, i: [
            tf.add(i, True),
            tf.multiply(x, [True, False]),
            tf.maximum(True, x),
            tf.less(x, True),
            tf.subtract(True, i),
        ],
        A,
        np.int32([3, -1]),
    ),
    "coordinates in four axes": (
        lambda tf, i, sizes: tf.unravel_index(i, sizes),
        np.int32([0, 7, 23]),
        np.int32([3, 2, 1, 4]),
    ),
}
