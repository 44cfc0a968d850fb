"""The line is found where the port is built otherwise than the original."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tests.diff.test_locating import found
from tf2jax_port.diff.values.arguments import bind

RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(4, 5)).astype(np.float32)
W = RANDOM.normal(size=(5, 5)).astype(np.float32)
LENGTHS = np.array([5, 2, 3, 4], np.int32)
IMAGES = RANDOM.normal(size=(2, 6, 4, 3)).astype(np.float32)
KERNEL = RANDOM.normal(size=(3, 3, 3, 2)).astype(np.float32)


def text_of(old, new, *arguments) -> str:
    """The line of the port that is named."""
    located = found(old, new, *arguments)
    assert located.new is not None
    return located.new.place.text


def long(x):
    y = tf.tanh(x) * 3.0
    z = y
    for _ in range(600):
        z = tf.sin(z) * 1.01 + 0.1 * x
    return {"short": y + 1.0, "long": z}


def long_port(x):
    y = jnp.tanh(x) * 2.0
    z = y
    for _ in range(600):
        z = jnp.sin(z) * 1.01 + 0.1 * x
    return {"short": y + 1.0, "long": z}


@pytest.mark.long
def test_a_large_program_is_searched_for_its_smallest_output_first():
    located = found(long, long_port, X)
    assert located.new.place.text == "y = jnp.tanh(x) * 2.0"
    assert located.confirmed


def reversed_rows(x, lengths):
    y = tf.reverse_sequence(x, lengths, seq_axis=1)
    state = tf.zeros_like(y[:, 0])
    for t in range(5):
        state = tf.tanh(y[:, t] + 0.5 * state)
    return state


def reversed_rows_port(x, lengths):
    t = jnp.arange(x.shape[1])[None]
    index = jnp.broadcast_to(x.shape[1] - 1 - t, x.shape)
    y = jnp.take_along_axis(x, index, axis=1)
    state = jnp.zeros_like(y[:, 0])
    for step in range(5):
        state = jnp.tanh(y[:, step] + 0.5 * state)
    return state


def test_places_that_only_the_port_computes():
    line = "index = jnp.broadcast_to(x.shape[1] - 1 - t, x.shape)"
    assert text_of(reversed_rows, reversed_rows_port, X, LENGTHS) == line


def attending(x, w, lengths):
    bias = (1.0 - tf.sequence_mask(lengths, 5, x.dtype)) * -1e9
    scores = tf.matmul(x, w) + bias
    return tf.nn.softmax(scores)


def masked_too_late(x, w, lengths):
    allowed = jnp.arange(5)[None] < lengths[:, None]
    scores = x @ w
    weights = jax.nn.softmax(scores)
    return jnp.where(allowed, weights, 0.0)


def test_a_mask_that_is_applied_too_late():
    line = "return jnp.where(allowed, weights, 0.0)"
    assert text_of(attending, masked_too_late, X, W, LENGTHS) == line


def in_buckets(places, table):
    distance = tf.abs(places)
    half = tf.cast(tf.cast(distance, tf.float32) / 2.0, tf.int32) + 2
    return tf.gather(table, tf.where(distance < 4, distance, half))


def in_other_buckets(places, table):
    distance = jnp.abs(places)
    return table[bucket(distance)]


def bucket(distance):
    half = (distance / 2.0).astype(jnp.int32) + 2
    return jnp.where(distance < 6, distance, half)


def test_what_is_done_again_and_changes_nothing_then_is_not_called_left_out():
    places = np.arange(-7, 8, dtype=np.int32).reshape(3, 5)
    table = RANDOM.normal(size=(8, 2)).astype(np.float32)
    line = "return jnp.where(distance < 6, distance, half)"
    assert text_of(in_buckets, in_other_buckets, places, table) == line


def with_a_target(x, w):
    guess = tf.matmul(x, w)
    target = tf.tanh(tf.matmul(guess, w))
    target = tf.stop_gradient(target)
    return tf.reduce_sum((guess - target) ** 2)


def with_a_target_port(x, w):
    guess = x @ w
    target = jnp.tanh(guess @ w)
    target = jnp.asarray(target)
    return jnp.sum((guess - target) ** 2)


def test_the_line_on_which_a_gradient_should_have_been_stopped():
    assert text_of(with_a_target, with_a_target_port, X, W) == "target = jnp.asarray(target)"


def relaxing(x, w):
    state = x
    for _ in range(3):
        pressure = tf.zeros_like(x)
        for _ in range(4):
            pressure = tf.tanh(tf.matmul(pressure, w) + state)
        state = state - 0.1 * tf.sin(pressure)
    return state


def relaxing_less(x, w):
    state = x
    for _ in range(3):
        pressure = jnp.zeros_like(x)
        for _ in range(3):
            pressure = jnp.tanh(pressure @ w + state)
        state = state - 0.1 * jnp.sin(pressure)
    return state


def test_an_inner_loop_that_ends_too_early():
    located = found(relaxing, relaxing_less, X, W)
    assert not located.confirmed  # the loop, or the line that uses its result, could be at fault
    text = located.new.place.text
    assert text in (
        "pressure = jnp.tanh(pressure @ w + state)",
        "state = state - 0.1 * jnp.sin(pressure)",
    )


def until_all_are_done(x, steps):
    state, done = tf.zeros_like(x), tf.zeros(tf.shape(x), tf.bool)
    t = 0
    while t < 8 and not bool(tf.reduce_all(done)):
        fresh = tf.where(done, state, state + tf.abs(x) + 0.3)
        state, done, t = fresh, fresh > steps, t + 1
    return state


def all_steps(x, steps):
    state, done = jnp.zeros_like(x), jnp.zeros(x.shape, bool)
    for _ in range(8):
        fresh = jnp.where(done, state, state + jnp.abs(x) + 0.4)
        state, done = fresh, fresh > steps
    return state


def test_a_loop_that_only_the_original_leaves_early():
    line = "fresh = jnp.where(done, state, state + jnp.abs(x) + 0.4)"
    assert text_of(until_all_are_done, all_steps, X, np.float32(1.0)) == line


def image(x, kernel):
    y = tf.nn.gelu(tf.nn.conv2d(x, kernel, 1, "SAME"), approximate=True)
    return tf.reduce_mean(y, [1, 2]), y[:, 0]


def image_of_channels_first(x, kernel):
    layout = ("NCHW", "HWIO", "NCHW")
    y = jax.lax.conv_general_dilated(
        x.transpose(0, 3, 1, 2), kernel, (1, 1), "SAME", dimension_numbers=layout
    )
    y = jax.nn.gelu(y, approximate=False)
    return jnp.mean(y, axis=(2, 3)), y[:, :, 0].transpose(0, 2, 1)


def test_images_with_their_channels_first():
    line = "y = jax.nn.gelu(y, approximate=False)"
    assert text_of(image, image_of_channels_first, IMAGES, KERNEL) == line


def loud(x):
    power = tf.abs(tf.signal.rfft(x)) ** 2
    share = power / tf.stop_gradient(tf.reduce_max(power, axis=-1, keepdims=True))
    return tf.reduce_sum(share * tf.cos(share), axis=-1)


def louder(x):
    power = jnp.abs(jnp.fft.rfft(x)) ** 2
    share = power / jnp.max(power, axis=-1, keepdims=True)
    return jnp.sum(share * jnp.cos(share), axis=-1)


def test_a_gradient_that_goes_on_through_complex_numbers():
    line = "share = power / jnp.max(power, axis=-1, keepdims=True)"
    assert text_of(loud, louder, X) == line


def smoothed(x):
    rows = tf.reshape(x, [1, 4, 5, 1])
    return tf.nn.conv2d(
        rows, tf.reshape(tf.constant([1.0, 2.0, 1.0], x.dtype), [3, 1, 1, 1]), 1, "VALID"
    )


def smoothed_on_its_own_way(x):
    between = three(x)
    return between[None, :, :, None]


def three(x):
    return x[:-2] + x[1:-1] + x[2:]


def with_a_margin(x, w):
    cosine = tf.tanh(tf.matmul(x, w))
    angle = tf.acos(cosine) + 0.3
    return tf.cos(angle)


def with_a_margin_on_its_own_way(x, w):
    cosine = jnp.tanh(x @ w)
    near = cosine * np.cos(0.3)
    far = jnp.sqrt(1.0 - cosine**2) * np.sin(0.3)
    both = near + far
    return both


@pytest.mark.parametrize(
    ("old", "new", "arguments", "line"),
    [
        (smoothed, smoothed_on_its_own_way, (X,), "return x[:-2] + x[1:-1] + x[2:]"),
        (with_a_margin, with_a_margin_on_its_own_way, (X, W), "both = near + far"),
    ],
)
def test_the_operation_that_mends_the_port_by_being_another(old, new, arguments, line):
    assert text_of(old, new, *arguments) == line


def looked_up(x):
    table = np.zeros((4, 2), np.float32)
    table[:, 1] = [1.0, 2.0, 4.0, 8.0]
    return tf.gather(tf.constant(table), tf.constant([1, 3, 2, 0])) * x[:, :2]


def looked_up_in_rows(x):
    table = np.zeros((4, 2), np.float32)
    table[:, 1] = [1.0, 2.0, 4.0, 8.0]

    def row(place, one):
        return jnp.asarray(table)[place] - one[:2]

    start = jnp.asarray(table).at[0].add(0.0)  # what NumPy's arrays cannot do
    return jax.vmap(row)(jnp.array([1, 3, 2, 0]), x) + 0.0 * start


def test_constants_of_numpy_are_arrays_of_jax():
    line = "return jnp.asarray(table)[place] - one[:2]"
    assert text_of(looked_up, looked_up_in_rows, X) == line


def penalized(x):
    hidden = tf.cast(x > 0.0, tf.float32)
    scores = tf.where(x > 0.5, x, tf.fill(tf.shape(x), -1e9))
    weights = tf.nn.softmax(scores) * tf.constant([0.1, 0.2, 0.3, 0.4, 0.5], tf.float32)
    return weights + hidden * tf.linspace(0.0, 1.0, 5)


def penalized_port(x):
    hidden = (x > 0.0).astype(jnp.float32)
    scores = jnp.where(x > 0.5, x, 0.0)
    weights = jax.nn.softmax(scores) * jnp.array([0.1, 0.2, 0.3, 0.4, 0.5])
    return weights + hidden * jnp.linspace(0.0, 1.0, 5)


def test_an_original_that_says_float32_runs_in_double_precision():
    from tf2jax_port.diff.locate.watch.places import Stack
    from tf2jax_port.diff.locate.watch.watch_tensorflow import watch_tensorflow
    from tf2jax_port.diff.values.precision import widened

    with jax.enable_x64(True):
        trail = watch_tensorflow(penalized, bind(0, (X,), penalized).map(widened), 0, Stack())
    assert trail.error is None
    assert trail.array(trail.outputs["output"]).dtype == np.float64
    assert tf.constant(0.1).dtype == tf.float32  # and nothing is left behind
    assert text_of(penalized, penalized_port, X) == "scores = jnp.where(x > 0.5, x, 0.0)"


def corrected(x, w):
    logits = tf.matmul(x, w) - w[0][None, :]
    return tf.nn.log_softmax(logits), logits[0]


def corrected_port(x, w):
    logits = x @ w
    logits = logits - w[:4, 0][:, None]
    return jax.nn.log_softmax(logits), logits[0]


def test_what_is_done_in_another_way_is_not_left_out():
    assert text_of(corrected, corrected_port, X, W) == "logits = logits - w[:4, 0][:, None]"


def shrunk_twice(x):
    a, b = x, tf.sin(x)
    total = 0.0
    for _ in range(2):
        a, b = tf.nn.avg_pool2d(a, 2, 2, "VALID"), tf.nn.avg_pool2d(b, 2, 2, "VALID")
        total += tf.reduce_mean(tf.abs(a - b))
    return total


def shrink(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def shrunk_twice_port(x):
    a, b = x, jnp.sin(x)
    total = 0.0
    for _ in range(2):
        a, b = shrink(a), shrink(b)
        total += jnp.mean(jnp.abs(a - b))
    return total


def test_what_is_called_twice_on_a_line_belongs_together():
    line = 'return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")'
    images = RANDOM.normal(size=(2, 8, 8, 3)).astype(np.float32)
    assert text_of(shrunk_twice, shrunk_twice_port, images) == line


def augmented(x, w):
    return tf.tanh(tf.matmul(x, w))


def judged(x, w):
    return tf.reduce_sum(tf.sin(tf.matmul(x, w)), axis=-1)


def two_losses(x, w):
    made = augmented(x, w)
    judge = judged(tf.stop_gradient(made), w)
    maker = judged(made, w)
    return tf.reduce_sum(judge**2) - tf.reduce_sum(maker)


def augmented_port(x, w):
    return jnp.tanh(x @ w)


def judged_port(x, w):
    return jnp.sum(jnp.sin(x @ w), axis=-1)


def two_losses_port(x, w):
    made = augmented_port(x, w)
    judge = judged_port(made, w)
    maker = judged_port(made, w)
    return jnp.sum(judge**2) - jnp.sum(maker)


def test_the_call_that_should_have_been_given_a_stopped_gradient():
    assert text_of(two_losses, two_losses_port, X, W) == "judge = judged_port(made, w)"


def rate(x):
    return tf.stop_gradient(tf.math.log(x / (1.0 - x)))


def rates(x, w):
    return tf.concat([tf.sigmoid(x), rate(tf.sigmoid(tf.matmul(x, w)))[:, :2]], axis=1) ** 2


def rate_port(x):
    return jnp.log(x / (1.0 - x))


def rates_port(x, w):
    return (
        jnp.concatenate([jax.nn.sigmoid(x), rate_port(jax.nn.sigmoid(x @ w))[:, :2]], axis=1) ** 2
    )


def test_the_line_that_should_have_stopped_what_it_returns():
    assert text_of(rates, rates_port, X, W) == "return jnp.log(x / (1.0 - x))"


def scaled(x, w):
    count = tf.reduce_sum(tf.abs(w))
    mean = tf.math.divide_no_nan(tf.reduce_sum(x), count)
    squares = tf.reduce_sum(tf.square(x - mean))
    scale = tf.reduce_sum(tf.square(x - mean) * 2.0) / tf.maximum(count - 1.0, 1.0)
    return scale + squares


def ratio(a, b):
    return jnp.where(b == 0.0, 0.0, a / jnp.where(b == 0.0, 1.0, b))


def scaled_port(x, w):
    count = jnp.sum(jnp.abs(w))
    mean = ratio(jnp.sum(x), count)
    squares = jnp.sum((x - mean) ** 2)
    return 2.0 * squares / jnp.maximum(count, 1.0) + squares


def test_a_term_is_missing_on_the_line_that_uses_what_it_makes():
    line = "return 2.0 * squares / jnp.maximum(count, 1.0) + squares"
    assert text_of(scaled, scaled_port, X, W) == line
