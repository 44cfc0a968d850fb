"""Gradients inside of loops and branches, of which gradients are taken again, as meta learning does."""

import numpy as np
import pytest

import shims.compat.v1 as ours

SHAPES = {"known": [3, 4], "a dimension unknown": [None, 4], "nothing known": None}
ROWS = np.random.RandomState(0).randn(3, 4).astype(np.float32)
START = np.random.RandomState(1).randn(4).astype(np.float32)


def _adapted(tf, x, w, steps=2):
    """Return the loss of weights after some steps of gradient descent on one row."""
    loss = lambda w: tf.reduce_mean(tf.square(tf.tanh(x * w) - tf.nn.relu(w)))
    for _ in range(steps):
        w = w - 0.3 * tf.gradients(loss(w), w)[0]
    return loss(w)


def mapped(tf, rows, w):
    return tf.map_fn(lambda x: _adapted(tf, x, w), rows)


def scanned(tf, rows, w):
    step = lambda kept, x: 0.5 * kept + _adapted(tf, x, w)
    return tf.scan(step, rows, tf.constant(0.0))


def looped(tf, rows, w):
    def body(i, kept):
        return i + 1, kept - 0.1 * tf.gradients(_adapted(tf, rows[i], kept, 1), kept)[0]

    return tf.while_loop(lambda i, _: i < 3, body, [0, w * 1.0])[1]


def branched(tf, rows, w):
    return tf.cond(
        rows[0, 0] > 0, lambda: _adapted(tf, rows[0], w), lambda: _adapted(tf, rows[1], w)
    )


def _values(tf, build, shape):
    """Return the results of a program in graphs, and their gradients, twice."""
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.placeholder(tf.float32, shape)
        w = tf.Variable(START)
        total = tf.reduce_sum(build(tf, rows, w))
        (first,) = tf.gradients(total, w)
        second = tf.gradients(tf.reduce_sum(first**2), [w, rows]) if build is not looped else []
        session.run(tf.global_variables_initializer())
        return session.run([total, first, *second], {rows: ROWS})


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("build", [mapped, scanned, looped, branched])
def test_they_are_tensorflows(build, shape):
    tf1 = pytest.importorskip("tensorflow").compat.v1
    want = _values(tf1, build, SHAPES[shape])
    got = _values(ours, build, SHAPES[shape])
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
