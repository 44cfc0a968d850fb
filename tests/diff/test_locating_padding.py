"""The line is found where one program pads and masks what the other keeps short."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff.locate.match.compact import forms, masks_of
from tf2jax_port.diff.locate.watch.trail import Trail

from .test_locating import found, lines

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(7, 4)).astype(np.float32)
W = RANDOM.normal(size=(4, 4)).astype(np.float32)
KEEP = np.array([True, False, True, True, False, True, True])
LENGTHS = np.array([2, 0, 4, 1], np.int32)


def kept(x, keep, w):
    rows = tf.boolean_mask(x, keep)
    h = tf.nn.softplus(tf.matmul(rows, w)) + rows
    h = h / tf.sqrt(tf.reduce_sum(tf.square(h), 1, keepdims=True) + 1e-6)
    gate = tf.sigmoid(tf.matmul(h, w))
    return tf.reduce_mean(gate * tf.tanh(rows) + h, 0)


def masked(x, keep, w):
    live = keep[:, None].astype(x.dtype)
    h = jax.nn.softplus(x @ w) + x
    h = h / jnp.sqrt(jnp.sum(h**2, axis=1, keepdims=True)) + 1e-6
    gate = jax.nn.sigmoid(h @ w)
    return jnp.sum((gate * jnp.tanh(x) + h) * live, axis=0) / jnp.sum(live)


def gated_wrongly(x, keep, w):
    live = keep[:, None].astype(x.dtype)
    h = jax.nn.softplus(x @ w) + x
    h = h / jnp.sqrt(jnp.sum(h**2, axis=1, keepdims=True) + 1e-6)
    gate = jax.nn.sigmoid(x @ w)
    return jnp.sum((gate * jnp.tanh(x) + h) * live, axis=0) / jnp.sum(live)


def padded(x, lengths, w):
    rows = tf.RaggedTensor.from_row_lengths(x, lengths).to_tensor(shape=[None, None, 4])
    mask = tf.sequence_mask(lengths, tf.shape(rows)[1], rows.dtype)
    h = tf.tanh(tf.tensordot(rows, w, 1) + 0.5)
    h = h + tf.square(rows) * 0.25
    scores = tf.reduce_sum(h * rows, -1) / 2.0
    weights = tf.nn.softmax(tf.where(mask > 0.0, scores, -1e9), 1) * mask
    return tf.reduce_sum(weights[:, :, None] * h, 1)


def flat(x, lengths, w):
    count = lengths.shape[0]
    row = jnp.repeat(jnp.arange(count), lengths, total_repeat_length=x.shape[0])
    h = jnp.tanh(x @ w + 0.5)
    h = h + x**2 * 0.5
    scores = jnp.sum(h * x, axis=1) / 2.0
    top = jax.ops.segment_max(scores, row, count)[row]
    share = jnp.exp(scores - top)
    weights = share / jax.ops.segment_sum(share, row, count)[row]
    return jax.ops.segment_sum(weights[:, None] * h, row, count)


@pytest.mark.parametrize(
    ("old", "new", "arguments", "theirs", "mine"),
    [
        pytest.param(
            kept,
            masked,
            (X, KEEP, W),
            "h = h / tf.sqrt(tf.reduce_sum(tf.square(h), 1, keepdims=True) + 1e-6)",
            "h = h / jnp.sqrt(jnp.sum(h**2, axis=1, keepdims=True)) + 1e-6",
            id="the port masks what is selected",
        ),
        pytest.param(
            kept,
            gated_wrongly,
            (X, KEEP, W),
            "h = h / tf.sqrt(tf.reduce_sum(tf.square(h), 1, keepdims=True) + 1e-6)",
            "gate = jax.nn.sigmoid(x @ w)",
            id="another value is used there",
        ),
        pytest.param(
            padded,
            flat,
            (X, LENGTHS, W),
            "h = h + tf.square(rows) * 0.25",
            "h = h + x**2 * 0.5",
            id="the original pads what is ragged",
        ),
    ],
)
def test_the_line_is_found_through_padding(old, new, arguments, theirs, mine):
    assert lines(found(old, new, *arguments)) == (theirs, mine)


def test_an_array_without_its_padding_and_back():
    trail = Trail()
    trail.value(np.float32([[1, 1, 0], [1, 0, 0]]))
    masks = masks_of(trail)
    whole = np.arange(12.0).reshape(2, 3, 2)
    form, by_column = forms(whole, masks, {6})
    assert form.array.tolist() == [[0, 1], [2, 3], [6, 7]]
    assert by_column.array.tolist() == [[0, 1], [6, 7], [2, 3]]
    assert by_column.restored(by_column.array).tolist() == whole.tolist()
    other = form.restored(np.full(6, -1.0))
    assert other.reshape(-1).tolist() == [-1, -1, -1, -1, 4, 5, -1, -1, 8, 9, 10, 11]
    turned, *_ = forms(whole.swapaxes(0, 1), masks, {6})
    assert np.array_equal(turned.array, form.array)
    assert np.array_equal(turned.restored(np.full(6, -1.0)), other.swapaxes(0, 1))
    assert list(forms(whole, masks, {5})) == []
