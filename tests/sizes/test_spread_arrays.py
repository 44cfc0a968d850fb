"""What is spread over an axis that data size is counted as often as the axis is long, and no more.

The padding of a spread array holds what its slots hold, not the zeros of the array that was spread: a
rule that believes otherwise adds it up.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.float32([3, 0.5, 2])
SIZES = (0, 1, 5, 6, 8)


def _broadcast(tf, x, y):
    return tf.broadcast_to(x[:, None], [tf.size(x), tf.size(y)])


def _beside(tf, x, y):
    return tf.broadcast_to(x[None], [tf.size(y), tf.size(x)])


def _tiled(tf, x, y):
    return tf.tile(x[None], [tf.size(y), 1])


def _in_a_line(tf, x, y):
    return tf.tile(x, [tf.size(y)])[None]


def _repeated(tf, x, y):
    return tf.repeat(x, tf.size(y))[None]


def _grid(tf, x, y):
    return tf.meshgrid(y, x)[1]


def _joined_below(tf, x, y):
    return tf.concat([_beside(tf, x, y), y[:, None] * x[None]], 0)


def _joined_beside(tf, x, y):
    return tf.concat([_beside(tf, x, y), y[:, None]], 1)


def _added(tf, x, y):
    return x[:, None] + tf.zeros_like(y)


SPREADS = (
    *(_broadcast, _beside, _tiled, _in_a_line, _repeated),
    *(_grid, _joined_below, _joined_beside, _added),
)


def _answers(tf, spread, x, y):
    found = spread(tf, x, y)
    # Sums add 0 for padding, as it is there at first; the others take it for something else.
    return [
        tf.reduce_sum(found),
        *(tf.reduce_sum(found, axis) for axis in (0, 1)),
        tf.reduce_mean(found * 2 - 1),
        tf.reduce_max(found, 1),
        tf.cumsum(found, 1, reverse=True),
        tf.matmul(found, found, transpose_b=True),
        tf.matmul(found, found, transpose_a=True),
        tf.math.count_nonzero(found),
        tf.reduce_logsumexp(found),
    ]


@pytest.mark.parametrize("spread", SPREADS, ids=lambda f: f.__name__.strip("_"))
def test_counts_as_often_as_in_tensorflow(spread):
    signature = [shims.TensorSpec([None], shims.float32)] * 2

    @shims.function(input_signature=signature, autograph=False)
    def run(x, y):
        slopes = jax.grad(lambda x: shims.reduce_sum(spread(shims, x, y) ** 2))(x)
        return [*_answers(shims, spread, x, y), slopes]

    for size in SIZES:
        y = np.linspace(-1, 1, size).astype(np.float32)
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(spread(tf, x, tf.constant(y)) ** 2)
        want = [*_answers(tf, spread, x, tf.constant(y)), tape.gradient(total, x)]
        for i, (ours, theirs) in enumerate(zip(run(X, y), want, strict=True)):
            np.testing.assert_allclose(ours, theirs, 1e-5, 1e-6, err_msg=f"size {size}, answer {i}")
