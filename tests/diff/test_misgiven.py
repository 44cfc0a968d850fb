"""Of a call on several lines the line of the wrong argument is named."""

from __future__ import annotations

import json

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from jax import lax

from tests.diff.test_locating import found
from tf2jax_port.diff.locate.result.showing import to_data
from tf2jax_port.diff.locate.watch.reading import last_line

RANDOM = np.random.default_rng(1)
IMAGES = RANDOM.normal(size=(2, 8, 8, 3)).astype(np.float32)
KERNEL = RANDOM.normal(size=(3, 3, 3, 3)).astype(np.float32)
SPEC = ("NHWC", "HWIO", "NHWC")


def convolved(x, w):
    return tf.tanh(tf.nn.conv2d(x, w, 2, "SAME"))


def padded_otherwise(x, w):
    y = lax.conv_general_dilated(
        x,
        w,
        window_strides=(2, 2),
        padding=[(1, 1), (1, 1)],
        dimension_numbers=SPEC,
    )
    return jnp.tanh(y)


def padded_by_place(x, w):
    y = lax.conv_general_dilated(
        x,
        w,
        (2, 2),
        [(1, 0), (1, 0)],
        dimension_numbers=SPEC,
    )
    return jnp.tanh(y)


def rows_for_columns(x, w):
    y = lax.conv_general_dilated(
        x,
        w.swapaxes(0, 1),
        window_strides=(2, 2),
        padding="SAME",
        dimension_numbers=SPEC,
    )
    return jnp.tanh(y)


def spread(x, w):
    return tf.tanh(tf.nn.conv2d_transpose(x, w, [2, 16, 16, 3], 2, "SAME"))


def not_turned(x, w):
    y = lax.conv_general_dilated(
        x,
        w.swapaxes(2, 3),
        window_strides=(1, 1),
        padding=[(2, 1), (2, 1)],
        lhs_dilation=(2, 2),
        dimension_numbers=SPEC,
    )
    return jnp.tanh(y)


def pooled(x, w):
    return tf.tanh(tf.nn.max_pool2d(x, 3, 2, "SAME") * tf.reduce_sum(w))


def pooled_otherwise(x, w):
    largest = lax.reduce_window(
        x,
        -jnp.inf,
        lax.max,
        window_dimensions=(1, 3, 3, 1),
        window_strides=(1, 2, 2, 1),
        padding=((0, 0), (1, 0), (1, 0), (0, 0)),
    )
    return jnp.tanh(largest * w.sum())


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (convolved, padded_otherwise, "padding=[(1, 1), (1, 1)],"),
        (convolved, padded_by_place, "[(1, 0), (1, 0)],"),
        (spread, not_turned, "w.swapaxes(2, 3),"),
        (pooled, pooled_otherwise, "padding=((0, 0), (1, 0), (1, 0), (0, 0)),"),
    ],
)
def test_the_line_of_the_argument(old, new, line):
    assert found(old, new, IMAGES, KERNEL).new.place.text == line


def test_what_is_wrong_with_a_kernel():
    located = found(spread, not_turned, IMAGES, KERNEL)
    assert located.cause == "the kernel is flipped"


def test_an_argument_that_is_computed_on_its_line():
    located = found(convolved, rows_for_columns, IMAGES, KERNEL)
    assert located.new.place.text == "w.swapaxes(0, 1),"


def shifted(x, w):
    return tf.maximum(x + 1.0, tf.reduce_mean(w))


def shifted_otherwise(x, w):
    return jnp.maximum(
        x + 1.0,
        jnp.sum(w),
    )


def test_the_end_of_a_call_is_told():
    located = found(shifted, shifted_otherwise, IMAGES, KERNEL)
    told = json.loads(json.dumps(to_data(located)))["new"]
    assert told["end_line"] == last_line(located.new.place) >= told["line"] > 0
