"""Calls of TensorFlow's own kernel tests that once gave something else; `tf` is either library."""

import numpy as np

V = np.array([3, 1, 2], np.float32)
WIDE = np.array([np.nan, np.inf, -np.inf, 300.0, -5.0, 0.3], np.float32)

CALLS = {
    "saturate infinities": lambda tf: [
        tf.saturate_cast(WIDE, d)
        for d in (tf.uint8, tf.int32, tf.uint32, tf.float16, tf.bfloat16, tf.float32, tf.complex64)
    ],
    "saturate halves": lambda tf: [
        tf.saturate_cast(tf.cast(WIDE, tf.bfloat16), tf.float16),
        tf.saturate_cast(tf.cast(WIDE, tf.float16), tf.bfloat16),
    ],
    "scatter booleans": lambda tf: tf.scatter_nd([[0], [0]], [True, False], [3]),
    "concat of one scalar": lambda tf: tf.concat([tf.constant(1.0)], 0),
    "stack of nothing": lambda tf: tf.stack([]),
    "one axis in a list": lambda tf: tf.expand_dims(V, [0]),
    "count fractions": lambda tf: tf.math.bincount(V),
    "count in the dtype of numbers": lambda tf: tf.math.bincount(np.array([1, 1]), dtype=None),
}
