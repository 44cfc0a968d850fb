"""The line is found that gave a name of the line where it shows: a number, a part, a shape, a time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.diff.test_locating import found
from tests.diff.test_locating_host import from_text

RANDOM = np.random.default_rng(7)
SIGNAL = RANDOM.normal(size=(2, 24)).astype(np.float32)
FRAMES = RANDOM.normal(size=(3, 6, 4)).astype(np.float32)
MASK = (RANDOM.uniform(size=(3, 6)) < 0.7).astype(np.float32)
IMAGES = RANDOM.normal(size=(2, 3, 5, 6)).astype(np.float32)
A = RANDOM.normal(size=(4, 4)).astype(np.float32) / 3
NOISE = RANDOM.normal(size=(7, 4)).astype(np.float32)

CROPPED = """
import tensorflow as tf

FRAME, HOP = 12, 4


def run(signal):
    smooth = tf.cumsum(signal, axis=1)
    start = FRAME - HOP
    return smooth[:, start : start + 9] * 2.0
"""
CROPPED_ELSEWHERE = """
import jax.numpy as jnp

FRAME, HOP = 12, 4


def run(signal):
    smooth = jnp.cumsum(signal, axis=1)
    start = HOP
    return smooth[:, start : start + 9] * 2.0
"""
COUNTED = """
import tensorflow as tf


def run(x, mask):
    mask = mask[:, :, tf.newaxis]
    total = tf.reduce_sum(mask, axis=[1, 2], keepdims=True) * x.shape[-1]
    mean = tf.reduce_sum(x * mask, axis=[1, 2], keepdims=True) / total
    var = tf.reduce_sum(tf.square(x - mean) * mask, axis=[1, 2], keepdims=True) / total
    return (x - mean) * tf.math.rsqrt(var + 1e-3)
"""
COUNTED_WITH_PADDING = """
import jax.numpy as jnp
from jax import lax


def run(x, mask):
    mask = mask[:, :, None]
    total = jnp.float32(x.shape[1] * x.shape[-1])
    mean = jnp.sum(x * mask, axis=(1, 2), keepdims=True) / total
    var = jnp.sum(jnp.square(x - mean) * mask, axis=(1, 2), keepdims=True) / total
    return (x - mean) * lax.rsqrt(var + 1e-3)
"""
GROUPED = """
import tensorflow as tf


def run(x):
    b, h, w, c = x.shape
    g = tf.reshape(x, [b, h, w, 2, c // 2])
    mean, var = tf.nn.moments(g, axes=[1, 2, 4], keepdims=True)
    g = (g - mean) / tf.sqrt(var + 1e-5)
    return tf.tanh(tf.reshape(g, [b, h, w, c]))
"""
GROUPED_IN_TURNS = """
import jax.numpy as jnp


def run(x):
    b, h, w, c = x.shape
    g = jnp.reshape(x, (b, h, w, c // 2, 2))
    mean = jnp.mean(g, axis=(1, 2, 4), keepdims=True)
    var = jnp.var(g, axis=(1, 2, 4), keepdims=True)
    g = (g - mean) / jnp.sqrt(var + 1e-5)
    return jnp.tanh(jnp.reshape(g, (b, h, w, c)))
"""
SMOOTHED = """
import tensorflow as tf


def run(a, noise):
    ahead = tf.scan(lambda m, e: tf.linalg.matvec(a, m) + e, noise, initializer=noise[0])
    states = tf.tanh(ahead)

    def step(later, x):
        here, predicted = x
        return here + tf.linalg.matvec(a, later - predicted)

    elems = (states[:-1], ahead[1:])
    return tf.scan(step, elems, initializer=states[-1], reverse=True)
"""
SMOOTHED_TOO_EARLY = """
import jax.numpy as jnp
from jax import lax


def run(a, noise):
    def forward(m, e):
        m = a @ m + e
        return m, m

    _, ahead = lax.scan(forward, noise[0], noise)
    states = jnp.tanh(ahead)

    def step(later, x):
        here, predicted = x
        state = here + a @ (later - predicted)
        return state, state

    elems = (states[:-1], ahead[:-1])
    return lax.scan(step, states[-1], elems, reverse=True)[1]
"""
SPREAD = """
import tensorflow as tf


def run(a, noise):
    def body(t, cov, spreads):
        cov = tf.matmul(a, tf.matmul(cov, a, transpose_b=True))
        spread = tf.linalg.diag_part(cov) + tf.square(noise[t])
        return t + 1, cov, spreads.write(t, spread)

    spreads = tf.TensorArray(tf.float32, 7)
    _, _, spreads = tf.while_loop(lambda t, *_: t < 7, body, (0, tf.eye(4), spreads))
    return tf.sqrt(tf.transpose(spreads.stack()))
"""
SPREAD_WITHOUT_NOISE = """
import jax.numpy as jnp
from jax import lax


def run(a, noise):
    def body(t, state):
        cov, spreads = state
        cov = a @ (cov @ a.T)
        spread = jnp.diagonal(cov)
        return cov, spreads.at[t].set(spread)

    _, spreads = lax.fori_loop(0, 7, body, (jnp.eye(4), jnp.zeros((7, 4))))
    return jnp.sqrt(jnp.transpose(spreads))
"""


@pytest.mark.parametrize(
    ("old", "new", "arguments", "line"),
    [
        (CROPPED, CROPPED_ELSEWHERE, (SIGNAL,), "start = HOP"),
        (
            COUNTED,
            COUNTED_WITH_PADDING,
            (FRAMES, MASK),
            "total = jnp.float32(x.shape[1] * x.shape[-1])",
        ),
        (GROUPED, GROUPED_IN_TURNS, (IMAGES,), "g = jnp.reshape(x, (b, h, w, c // 2, 2))"),
        (SMOOTHED, SMOOTHED_TOO_EARLY, (A, NOISE), "elems = (states[:-1], ahead[:-1])"),
        (SPREAD, SPREAD_WITHOUT_NOISE, (A, NOISE), "spread = jnp.diagonal(cov)"),
    ],
    ids=["a number", "a count", "a shape", "a part", "what a loop writes"],
)
def test_the_line_that_gave_the_name(tmp_path, old, new, arguments, line):
    located = found(*from_text(tmp_path, old, new), *arguments)
    assert located.new.place.text == line


SHIFTED = """
import tensorflow as tf


def run(a, noise):
    state, kept = noise[0], []
    for t in range(5):
        state = tf.linalg.matvec(a, state) + noise[t + 1]
        kept.append(tf.reduce_sum(tf.square(state)))
    return tf.stack(kept)
"""
SHIFTED_ANEW = """
import jax.numpy as jnp
from jax import lax


def window(array, start, stop):
    return array[start:stop]


def run(a, noise):
    first, following = window(noise, 0, 1)[0], window(noise, 0, 5)
    drive = following @ jnp.linalg.inv(a).T

    def step(state, e):
        state = a @ (state + e)
        return state, state @ state

    return lax.scan(step, first, drive)[1]
"""


def test_a_shift_in_time_in_a_port_that_computes_otherwise(tmp_path):
    located = found(*from_text(tmp_path, SHIFTED, SHIFTED_ANEW), A, NOISE)
    assert "window(noise, 0, 5)" in located.new.place.text
    # What the port computes before it has no counterpart in the original either.
    assert not located.confirmed


SPREAD_IN_STEPS = """
import numpy as np
import tensorflow as tf


def run(x):
    out, low = x, np.full(4, 0.25)
    for _ in range(3):
        low = low * 0.5
        out = tf.tanh(out + low)
    return out
"""
SPREAD_WITH_ANOTHER_NUMBER = """
import jax.numpy as jnp
import numpy as np


def run(x):
    out, low = x, np.full(4, 0.25)
    for _ in range(3):
        low = low * 0.6
        out = jnp.tanh(out + low)
    return out
"""


def test_arrays_of_one_line_of_a_loop(tmp_path):
    located = found(*from_text(tmp_path, SPREAD_IN_STEPS, SPREAD_WITH_ANOTHER_NUMBER), NOISE)
    assert located.new.place.text == "low = low * 0.6"


COMPOSITED = """
import tensorflow as tf


def run(x):
    alpha = tf.sigmoid(x)
    seen = tf.math.cumprod(1.0 - alpha, axis=1, exclusive=True)
    weights = alpha * seen
    return tf.reduce_sum(weights, axis=1), weights
"""
COMPOSITED_WITH_ANOTHER_NAME = """
import jax
import jax.numpy as jnp


def run(x):
    alpha = jax.nn.sigmoid(x)
    left = jnp.cumprod(1.0 - alpha, axis=1)
    seen = left
    weights = alpha * seen
    return jnp.sum(weights, axis=1), weights
"""
CELL = """
import tensorflow as tf


def run(a, xs):
    h = c = tf.zeros([4])
    for x in tf.unstack(xs):
        g, o = tf.linalg.matvec(a, h) + x, tf.linalg.matvec(a, x)
        c = 0.5 * c + tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
    return h
"""
CELL_WITH_THE_OTHER_NAME = """
import jax
import jax.numpy as jnp


def run(a, xs):
    h = c = jnp.zeros([4])
    for x in xs:
        g, o = a @ h + x, a @ x
        c = 0.5 * c + jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(g)
    return h
"""
BLOCKS = """
import tensorflow as tf


def block(a, x):
    mean, variance = tf.nn.moments(tf.reshape(x, [-1, 2, 2]), [1, 2], keepdims=True)
    y = (tf.reshape(x, [-1, 2, 2]) - mean) * tf.math.rsqrt(variance + 1e-3)
    h = tf.matmul(tf.reshape(y, [-1, 4]), a)
    return x + h


def run(a, x):
    return tf.nn.relu(block(a, block(a, x)))
"""
BLOCKS_WITHOUT_A_TERM = """
import jax
import jax.numpy as jnp


def block(a, x):
    y = x.reshape(-1, 2, 2)
    mean = y.mean(axis=(1, 2), keepdims=True)
    variance = y.var(axis=(1, 2), keepdims=True)
    y = (y - mean) * jax.lax.rsqrt(variance + 1e-3)
    h = y.reshape(-1, 4) @ a
    return h


def run(a, x):
    return jax.nn.relu(block(a, block(a, x)))
"""


def test_the_line_that_only_gives_the_name(tmp_path):
    programs = from_text(tmp_path, COMPOSITED, COMPOSITED_WITH_ANOTHER_NAME)
    assert found(*programs, NOISE).new.place.text == "seen = left"


def test_a_value_that_is_right_elsewhere_is_not_blamed_where_it_is_made(tmp_path):
    programs = from_text(tmp_path, CELL, CELL_WITH_THE_OTHER_NAME)
    assert found(*programs, A, NOISE).new.place.text == "h = jax.nn.sigmoid(o) * jnp.tanh(g)"


@pytest.mark.long
def test_what_two_calls_leave_out(tmp_path):
    located = found(*from_text(tmp_path, BLOCKS, BLOCKS_WITHOUT_A_TERM), A, NOISE)
    assert located.new.place.text == "return h"
    assert located.cause == "a term is missing"


FARTHEST = """
import tensorflow as tf


def run(x, mask):
    far = tf.where(mask > 0.0, tf.fill(tf.shape(mask), 1e6), -tf.ones_like(mask))
    last = tf.constant(0)
    seen = [last]
    for _ in range(3):
        dist = tf.reduce_sum(tf.square(x - x[last]), axis=1)
        far = tf.minimum(far, dist)
        last = tf.argmax(far, output_type=tf.int32)
        seen.append(last)
    return tf.stack(seen), far
"""
FARTHEST_OF_ALL = """
import jax
import jax.numpy as jnp


def run(x, mask):
    far = jnp.full_like(mask, 1e6)
    last = jnp.int32(0)

    def body(carry, _):
        far, last = carry
        dist = jnp.sum(jnp.square(x - x[last]), axis=1)
        far = jnp.minimum(far, dist)
        last = jnp.argmax(far).astype(jnp.int32)
        return (far, last), last

    (far, _), seen = jax.lax.scan(body, (far, last), None, length=3)
    return jnp.concatenate([jnp.zeros([1], jnp.int32), seen]), far
"""


def test_what_a_loop_begins_with(tmp_path):
    mask = np.float32([1, 1, 1, 0, 0, 1])
    programs = from_text(tmp_path, FARTHEST, FARTHEST_OF_ALL)
    located = found(*programs, NOISE[: len(mask)], mask)
    assert located.new.place.text == "far = jnp.full_like(mask, 1e6)"
