"""Calls of TensorFlow's own kernel tests on arrays of unknown sizes; `tf` is either library.

Each is a program and its arrays.
"""

import numpy as np

A = np.arange(8, dtype=np.float32).reshape(4, 2)


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


CALLS = {
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
    "coordinates in four axes": (
        lambda tf, i, sizes: tf.unravel_index(i, sizes),
        np.int32([0, 7, 23]),
        np.int32([3, 2, 1, 4]),
    ),
}
