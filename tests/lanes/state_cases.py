"""Variables, modules, functions, functions of Python, structures."""

from __future__ import annotations

import functools

import numpy as np

from .case import Case

_X = np.float32([1.5, -2.0, 3.0])
_OTHERS = ((np.float32([-1.0]),), (np.float32([0.5, 0.25, -4.0, 1.0]),))


@functools.cache
def _weight(tf):
    with tf.init_scope():
        return tf.Variable(2.5, name="weight")


def _variable(tf, x):
    """A variable is read, and differentiated."""
    weight = _weight(tf)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(weight * x * x)
    return weight * x, tape.gradient(y, weight)


@functools.cache
def _layer(tf):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__(name="layer")
            self.inner = {"scale": tf.Variable(0.5)}
            self.shift = tf.Variable(-1.0, trainable=False)

        @tf.Module.with_name_scope
        def __call__(self, x):
            return self.inner["scale"] * tf.sin(x) + self.shift

    with tf.init_scope():
        return Layer()


def _module(tf, x):
    layer = _layer(tf)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(x) ** 2)
    return layer(x), tape.gradient(y, layer.trainable_variables), tf.add_n(layer.variables)


@functools.cache
def _function(tf):
    run = lambda x, y: (tf.reduce_sum(x * y), tf.sin(x) - y)
    return tf.function(run, autograph=False, reduce_retracing=True)


def _like(tf, x):
    """A result as either library takes it: a program of JAX knows the shape beforehand."""
    return tf.TensorSpec(x.shape, tf.float32) if hasattr(tf, "bounded") else tf.float32


def _of_python(tf, x):
    return tf.py_function(lambda v: tf.sin(v) * v, [x], _like(tf, x))


def _of_numpy(tf, x):
    return tf.numpy_function(np.sin, [x], _like(tf, x))


def _structure(tf, x):
    structure = {"b": x * 2.0, "a": [tf.sin(x), (x,)]}
    flat = tf.nest.flatten(structure)
    again = tf.nest.pack_sequence_as(structure, flat[::-1])
    tf.nest.assert_same_structure(structure, again)
    asked = float(tf.nest.is_nested(structure)) - 2.0 * float(tf.nest.is_nested(x))
    return flat, again, tf.nest.map_structure(lambda u, v: u * v * asked, structure, again)


CASES = (
    Case("variable", ("Variable",), _variable, (_X,), _OTHERS),
    Case("module", ("Module",), _module, (_X,), _OTHERS),
    Case("function", ("function",), lambda tf, x: _function(tf)(x, x * 2.0), (_X,), _OTHERS),
    Case(
        "py-function",
        ("py_function",),
        _of_python,
        (_X,),
        _OTHERS,
        xla="unsupported: no kernel for EagerPyFunc",
    ),
    Case(
        "numpy-function",
        ("numpy_function",),
        _of_numpy,
        (_X,),
        _OTHERS,
        xla="unsupported: no kernel for PyFunc",
    ),
    Case(
        "nest",
        (
            *("nest.flatten", "nest.map_structure", "nest.pack_sequence_as"),
            *("nest.assert_same_structure", "nest.is_nested"),
        ),
        _structure,
        (_X,),
        _OTHERS,
    ),
    Case(
        "do-not-convert",
        ("autograph.experimental.do_not_convert",),
        lambda tf, x: tf.autograph.experimental.do_not_convert(lambda v: tf.sin(v) * v)(x),
        (_X,),
        _OTHERS,
    ),
    Case("tuple", ("tuple",), lambda tf, x: tf.tuple([x, tf.sin(x)]), (_X,), _OTHERS),
)
