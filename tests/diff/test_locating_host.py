"""What a port computes with Python and NumPy alone is located too, statement by statement."""

from __future__ import annotations

import runpy
import sys

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tests.diff.test_locating import found

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(4, 7, 6)).astype(np.float32)
IMAGES = RANDOM.normal(size=(2, 6, 9)).astype(np.float32)
DAYS = np.array([0, 5, 6, 2, 5, 1], np.int32)


def waves(length, width):
    rate = 100.0 ** (-np.arange(width) / width)
    angle = (np.arange(length)[:, None] + 1.0) * rate
    return np.sin(angle).astype(np.float32)


def with_waves(x):
    return tf.tanh(x) + waves(x.shape[1], x.shape[2])


def wrong_waves(length, width):
    rate = 100.0 ** (-np.arange(width) / width)
    angle = np.arange(length)[:, None] * rate
    return np.sin(angle).astype(np.float32)


def with_wrong_waves(x):
    return jnp.tanh(x) + wrong_waves(x.shape[1], x.shape[2])


def with_computed_waves(x):
    length, width = x.shape[1], x.shape[2]
    rate = tf.pow(100.0, -tf.cast(tf.range(width), tf.float32) / width)
    angle = (tf.cast(tf.range(length), tf.float32)[:, None] + 1.0) * rate
    return tf.tanh(x) + tf.sin(angle)


def week(days):
    late = tf.cast(days >= 5, tf.float32)
    angle = 2.0 * np.pi * tf.cast(days, tf.float32) / 7.0
    return tf.stack([tf.sin(angle), tf.cos(angle), late], axis=-1)


def week_port(days):
    table = np.zeros((7, 3), np.float32)
    table[:, 0] = np.sin(2.0 * np.pi * np.arange(7) / 7.0)
    table[:, 1] = np.cos(2.0 * np.pi * np.arange(7) / 7.0)
    table[6:, 2] = 1.0
    return jnp.asarray(table)[days]


def week_of_other_waves(days):
    table = np.zeros((7, 3), np.float32)
    table[:, 0] = np.sin(2.0 * np.pi * np.arange(7) / 7.0)
    table[:, 1] = np.cos(np.pi * np.arange(7) / 7.0)
    table[5:, 2] = 1.0
    return jnp.asarray(table)[days]


def right_waves_used_wrongly(x):
    table = waves(x.shape[1], x.shape[2])
    return jnp.tanh(x) - table


ANGLE = "angle = np.arange(length)[:, None] * rate"


@pytest.mark.parametrize(
    ("old", "new", "argument", "line"),
    [
        (with_waves, with_wrong_waves, X, ANGLE),
        (with_computed_waves, with_wrong_waves, X, ANGLE),
        (week, week_port, DAYS, "table[6:, 2] = 1.0"),
        (
            week,
            week_of_other_waves,
            DAYS,
            "table[:, 1] = np.cos(np.pi * np.arange(7) / 7.0)",
        ),
        (with_waves, right_waves_used_wrongly, X, "return jnp.tanh(x) - table"),
    ],
)
def test_the_line_that_computed_a_wrong_constant(old, new, argument, line):
    located = found(old, new, argument)
    assert located.new.place.text == line


MIDDLES = """
import tensorflow as tf

def run(x):
    small = tf.image.resize(x[..., None], [x.shape[1] // 3, x.shape[2] // 3], method="nearest")
    return tf.tanh(small[..., 0])
"""
BEGINNINGS = """
import jax.numpy as jnp

def run(x, ratio=3):
    start = (ratio - 1) // 3
    return jnp.tanh(x[:, start::ratio, start::ratio])
"""


def from_text(folder, *texts):
    """The functions `run` of programs in files of their own: lines of one say nothing of the other's."""
    functions = []
    for i, text in enumerate(texts):
        file = folder / f"program{i}.py"
        file.write_text(text)
        functions.append(runpy.run_path(str(file))["run"])
    return functions


def test_the_line_that_computed_where_a_slice_begins(tmp_path):
    located = found(*from_text(tmp_path, MIDDLES, BEGINNINGS), IMAGES)
    assert located.new.place.text == "start = (ratio - 1) // 3"


GATED = """
import tensorflow as tf

def run(x):
    gate, linear = tf.split(x, 2, axis=-1)
    return tf.nn.silu(gate) * linear
"""
GATED_BY_THE_OTHER = """
import jax
import jax.numpy as jnp

def run(x):
    linear, gate = jnp.split(x, 2, axis=-1)
    return jax.nn.silu(gate) * linear
"""


def test_the_line_that_gives_two_values_each_others_names(tmp_path):
    located = found(*from_text(tmp_path, GATED, GATED_BY_THE_OTHER), X)
    assert located.new.place.text == "linear, gate = jnp.split(x, 2, axis=-1)"


def test_a_debugger_keeps_its_hold():
    def tracer(*_):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        located = found(with_waves, right_waves_used_wrongly, X)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert located.new.place.text == "return jnp.tanh(x) - table"
