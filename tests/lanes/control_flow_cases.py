"""Branches, loops, functions over slices, arrays of arrays."""

from __future__ import annotations

import numpy as np

from .case import Case

_X = np.float32([1.5, -2.0, 3.0])
_OTHERS = ((np.float32([-1.0]),), (np.float32([0.5, 0.25, -4.0, 1.0]),))
_ROWS = np.float32([[1, 2], [3, -4], [5, 6]])
_OTHER_ROWS = ((np.float32([[0.5, -1]]),), (np.float32([[1, 2], [3, 4], [-5, 6], [0, 1]]),))


def _case(tf, x):
    pairs = [(tf.reduce_sum(x) > 9.0, lambda: x * 3.0), (x[0] > 0.0, lambda: tf.sin(x))]
    return tf.case(pairs, default=lambda: x - 1.0)


def _switch_case(tf, x):
    index = tf.cast(tf.reduce_sum(x), tf.int32) % 3
    return tf.switch_case(index, {0: lambda: x, 1: lambda: x * x}, default=lambda: tf.exp(x))


def _while_loop(tf, x):
    start = (tf.constant(0), tf.zeros_like(x))
    return tf.while_loop(lambda i, y: i < tf.size(x), lambda i, y: (i + 1, y * 0.5 + x[i]), start)


def _tensor_array(tf, x):
    """What has been read is added up and written again, in front of what was there."""
    n = tf.shape(x)[0]
    read = tf.TensorArray(tf.float32, n, element_shape=[], clear_after_read=False).unstack(x)
    written = tf.TensorArray(tf.float32, n, element_shape=[])

    def body(i, total, written):
        total = total * 0.5 + read.read(i)
        return i + 1, total, written.write(i, total * read.read(0))

    _, total, written = tf.while_loop(
        lambda i, *_: i < n, body, (tf.constant(0), tf.constant(0.0), written)
    )
    return total, written.stack()


def _map_fn(tf, x):
    pairs = tf.map_fn(
        lambda r: (r[0] * r[1], tf.sin(r)), x, fn_output_signature=(tf.float32, tf.float32)
    )
    return (*pairs, tf.map_fn(lambda r: tf.reduce_sum(r), x))


CASES = (
    Case(
        "cond",
        ("cond",),
        lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.sin(x)),
        (_X,),
        _OTHERS,
    ),
    Case("case", ("case",), _case, (_X,), _OTHERS),
    Case("switch-case", ("switch_case",), _switch_case, (_X,), _OTHERS),
    Case("while-loop", ("while_loop",), _while_loop, (_X,), _OTHERS),
    Case("tensor-array", ("TensorArray",), _tensor_array, (_X,), _OTHERS),
    Case("map-fn", ("map_fn",), _map_fn, (_ROWS,), _OTHER_ROWS),
    Case(
        "vectorized-map",
        ("vectorized_map",),
        lambda tf, x: tf.vectorized_map(lambda r: (r[0] * r[1], tf.sin(r)), x),
        (_ROWS,),
        _OTHER_ROWS,
    ),
    Case(
        "scan",
        ("scan",),
        lambda tf, x: (
            tf.scan(lambda a, r: a * 0.5 + r, x),
            tf.scan(lambda a, r: tf.sin(a) * r, x, tf.ones([2]), reverse=True),
        ),
        (_ROWS,),
        _OTHER_ROWS,
    ),
    Case(
        "folds",
        ("foldl", "foldr"),
        lambda tf, x: (
            tf.foldl(lambda a, r: a * 0.5 + r, x),
            tf.foldr(lambda a, r: tf.sin(a) * r, x, tf.ones([2])),
        ),
        (_ROWS,),
        _OTHER_ROWS,
    ),
)
