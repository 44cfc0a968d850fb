"""Calls that TensorFlow's own kernel tests expect to fail, one per fault; `tf` is either library.

Each belongs to the message that `shims` raises for it.
"""

import numpy as np

V = np.array([3, 1, 2], np.float32)
A = np.arange(6, dtype=np.float32).reshape(2, 3)
I = np.array([[1, 2], [3, 4]], np.int32)  # noqa: E741
ONE64, ZERO32 = np.array(1, np.float64), np.array(0, np.float32)

CALLS = {
    "paddings of another rank": (
        lambda tf: tf.pad(A, [[1, 2]]),
        "pad: `paddings` must have two numbers for every axis.\n"
        "  Required: shape [2, 2]\n"
        "  Received: [[1, 2]]\n"
        "  At:",
    ),
    "paddings of a scalar": (
        lambda tf: tf.pad(3.0, []),
        "pad: `paddings` must have two numbers for every axis.\n"
        "  Required: shape [0, 2]\n"
        "  Received: []\n"
        "  At:",
    ),
    "shape of updates": (
        lambda tf: tf.scatter_nd([0], [0.0], [1]),
        "scatter_nd: `updates` does not have the shape of what it is written to.\n"
        "  Required: updates.shape == indices.shape[:-1] + shape[indices.shape[-1]:]\n"
        "  Received: f32[1], i32[1], shape (1,)\n"
        "  At:",
    ),
    "shift of another rank": (
        lambda tf: tf.roll(V, [1], 0),
        "roll: `shift` and `axis` must be two scalars, or two vectors of one length.\n"
        "  Received: shift=[1], axis=0\n"
        "  At:",
    ),
    "matrix of shifts": (
        lambda tf: tf.roll(I, [[0, 1]], 1),
        "roll: `shift` must be a scalar or a vector.\n  At:",
    ),
    "roll of a scalar": (
        lambda tf: tf.roll(7.0, 1, 0),
        "roll: a scalar has no axis to move along.\n  Required: rank >= 1\n  At:",
    ),
    "on_value and off_value": (
        lambda tf: tf.one_hot([0, 1], 3, on_value=ONE64, off_value=ZERO32),
        "one_hot: the values and `dtype` must be of one dtype.\n"
        "  Required: float32\n"
        "  Received: float32, float64\n"
        "  At:",
    ),
    "on_value and dtype": (
        lambda tf: tf.one_hot([0, 1], 3, on_value=tf.constant(1.0), dtype=np.int32),
        "one_hot: the values and `dtype` must be of one dtype.\n"
        "  Required: int32\n"
        "  Received: float32\n"
        "  At:",
    ),
    "concat of nothing": (
        lambda tf: tf.concat([], 0),
        "concat: there is nothing to join.\n  Required: one array or more\n  At:",
    ),
    "concat of scalars": (
        lambda tf: tf.concat([tf.constant(1.0), tf.constant(2.0)], 0),
        "concat: scalars have no axis to join along.\n"
        "  Required: rank >= 1\n"
        "  At:\n"
        "  Do:       stack them: `shims.stack`",
    ),
    "matrix of sizes": (
        lambda tf: tf.fill([[0, 1], [2, 3]], 1.0),
        "fill: a size must be a scalar.\n  Required: rank 0\n  Received: [0, 1]\n  At:",
    ),
    "fractional size": (
        lambda tf: tf.fill([2.0, 3.0], 1.0),
        "fill: a size must be an integer.\n"
        "  Received: 2.0\n"
        "  At:\n"
        "  Do:       cast it: `shims.cast(size, shims.int32)`",
    ),
    "filled with a vector": (
        lambda tf: tf.fill([3, 2], [1.0, 2.0]),
        "fill: `value` must be a scalar.\n  Required: rank 0\n  Received: rank 1\n  At:",
    ),
    "fractional positions": (
        lambda tf: tf.gather([0], 0.0),
        "gather: there is no kernel for float32.\n"
        "  Required: int16 or int32 or int64\n"
        "  Received: float32[]\n"
        "  At:",
    ),
    "two axes for one": (
        lambda tf: tf.expand_dims(1, [0, 1]),
        "expand_dims: `axis` must be one number.\n  Received: [0, 1]\n  At:",
    ),
    "fractional axis": (
        lambda tf: tf.reduce_sum(V, axis=0.0),
        "reduce_sum: `axis` must be an integer.\n  Received: 0.0\n  At:",
    ),
    "bool to saturate": (
        lambda tf: tf.saturate_cast(V, tf.bool),
        "saturate_cast: bool has no range; from float32 to bool.",
    ),
    "weights of another shape": (
        lambda tf: tf.math.bincount([1, 2], weights=tf.constant([1.0])),
        "bincount: `weights` must have the shape of `arr`.\n"
        "  Received: arr i32[2], weights f32[1]\n"
        "  At:",
    ),
    "counting a cube by row": (
        lambda tf: tf.math.bincount(np.ones((1, 1, 1), np.int32), axis=-1),
        "bincount: only vectors and matrices are counted by row.\n"
        "  Required: rank <= 2\n"
        "  Received: i32[1, 1, 1]\n"
        "  At:",
    ),
    "weights and binary_output": (
        lambda tf: tf.math.bincount([1, 2], weights=tf.constant([1.0, 2.0]), binary_output=True),
        "bincount: `binary_output` takes no `weights`; pass one of the two.",
    ),
}
