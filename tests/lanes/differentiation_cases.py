"""Tapes, gradients that callers write, values beside their derivatives."""

from __future__ import annotations

import functools

import numpy as np

from .case import Case

_X = np.float32([1.5, -2.0, 3.0])
_OTHERS = ((np.float32([-1.0]),), (np.float32([0.5, 0.25, -4.0, 1.0]),))


def _tape(tf, x):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x) * x)
        slope = inner.gradient(y, x)
    return y, slope, outer.gradient(slope, x)


@functools.cache
def _slopes(tf):
    """TensorFlow has `gradients` and `hessians` inside of functions only."""

    def run(x):
        y = tf.reduce_sum(x**3) + tf.reduce_prod(x)
        (slope,) = tf.gradients(y, x)
        return slope, *tf.gradients([x * 2.0, slope], [x], grad_ys=[x, None]), tf.hessians(y, x)

    return tf.function(run, autograph=False, reduce_retracing=True)


def _accumulated(tf, x):
    with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
        y = tf.sin(x) * x
        total = tf.reduce_sum(y)
    return y, accumulator.jvp(y), accumulator.jvp(total)


def _custom(tf, x):
    @tf.custom_gradient
    def bounded(v):
        return v * v, lambda upstream: upstream * tf.clip_by_value(v, -1.0, 1.0)

    return bounded(x), bounded(tf.sin(x))


def _passed_through(tf, x):
    return tf.grad_pass_through(tf.round)(x * 1.25)


def _sliced(tf, x):
    """Rows by their positions, made by hand and found by a tape."""
    at = tf.range(tf.shape(x)[0])
    made = tf.IndexedSlices(x * 2.0, at, dense_shape=tf.shape(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.gather(x, at) ** 2)
    found = tape.gradient(y, x)
    return made, tf.convert_to_tensor(made), tf.convert_to_tensor(found)


CASES = (
    Case("gradient-tape", ("GradientTape",), _tape, (_X,), _OTHERS),
    Case(
        "gradients",
        ("gradients", "hessians"),
        lambda tf, x: _slopes(tf)(x),
        (_X,),
        _OTHERS,
        away={"gradient": "the program has derivatives of derivatives itself"},
    ),
    Case("forward-accumulator", ("autodiff.ForwardAccumulator",), _accumulated, (_X,), _OTHERS),
    Case("custom-gradient", ("custom_gradient",), _custom, (_X,), _OTHERS),
    Case(
        "recompute-grad",
        ("recompute_grad",),
        lambda tf, x: tf.recompute_grad(lambda v: tf.sin(v) * v)(x),
        (_X,),
        _OTHERS,
    ),
    Case("grad-pass-through", ("grad_pass_through",), _passed_through, (_X,), _OTHERS),
    Case("indexed-slices", ("IndexedSlices",), _sliced, (_X,), _OTHERS),
)
