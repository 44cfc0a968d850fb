"""The greedy decoder of frames of scores, against TensorFlow's; losses over unknown sizes."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Tolerance, assert_same

RNG = np.random.default_rng(7)
SCORES = RNG.normal(size=(6, 3, 4)).astype(np.float32)
SCORES[1] = SCORES[0]  # the same class twice in a row
SCORES[2, :, 2] = SCORES[2, :, 1] = 9.0  # ties
LENGTH = np.asarray([6, 4, 0], np.int32)
OPTIONS = {
    "default": {},
    "not-merged": {"merge_repeated": False},
    "first-blank": {"blank_index": 0},
    "blank-from-the-end": {"blank_index": -2},
}


def as_arrays(result):
    (decoded,), sums = result
    return [np.asarray(a) for a in (decoded.indices, decoded.values, decoded.dense_shape, sums)]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_greedy_decoder(options):
    wanted = as_arrays(tf.nn.ctc_greedy_decoder(SCORES, LENGTH, **options))
    eager = as_arrays(shims.nn.ctc_greedy_decoder(SCORES, LENGTH, **options))
    signature = [shims.TensorSpec([None, None, 4]), shims.TensorSpec([None], shims.int32)]
    run = shims.function(
        lambda x, n: shims.nn.ctc_greedy_decoder(x, n, **options), input_signature=signature
    )
    for found in (eager, as_arrays(run(SCORES, LENGTH))):
        for a, b in zip(found, wanted, strict=True):
            assert_same(a, b, Tolerance(relative=1e-6))


def test_nothing_is_decoded():
    length = np.zeros(3, np.int32)
    wanted = as_arrays(tf.nn.ctc_greedy_decoder(SCORES, length))
    found = as_arrays(shims.nn.ctc_greedy_decoder(SCORES, length))
    assert [a.tolist() for a in found] == [b.tolist() for b in wanted]


@pytest.mark.parametrize(
    ("length", "blank", "text"),
    [
        (np.asarray([7, 1, 1], np.int32), None, "a sequence is longer than the number of frames"),
        (LENGTH, 4, "`blank_index` is out of range"),
    ],
    ids=["frames", "blank"],
)
def test_what_the_decoder_refuses(length, blank, text):
    kind = "InvalidArgumentError" if blank else "FailedPreconditionError"
    with pytest.raises(getattr(tf.errors, kind)):
        tf.nn.ctc_greedy_decoder(SCORES, length, blank_index=blank)
    with pytest.raises(getattr(shims.errors, kind), match=text):
        shims.nn.ctc_greedy_decoder(SCORES, length, blank_index=blank)


@pytest.mark.parametrize(
    ("width", "count"), [(100, 3), (4, 2), (2, 2), (1, 1)], ids=["all", "four", "two", "one"]
)
def test_beam_search(width, count):
    wanted, likely = tf.nn.ctc_beam_search_decoder(SCORES, [6, 4, 3], width, count)
    found, sums = shims.nn.ctc_beam_search_decoder(SCORES, [6, 4, 3], width, count)
    np.testing.assert_allclose(sums, likely, rtol=1e-5)
    for a, b in zip(found, wanted, strict=True):
        assert a.indices.tolist() == b.indices.numpy().tolist()
        assert a.values.tolist() == b.values.numpy().tolist()
        assert a.dense_shape.tolist() == b.dense_shape.numpy().tolist()


@pytest.mark.parametrize(
    ("length", "width", "count", "text"),
    [
        ([0, 1, 1], 9, 2, "fewer sequences were found than the number of `top_paths`"),
        ([1, 1, 1], 1, 2, "the arguments do not match"),
        ([7, 1, 1], 1, 1, "a sequence is longer than the number of frames"),
    ],
    ids=["few", "width", "frames"],
)
def test_what_a_beam_search_refuses(length, width, count, text):
    kind = "FailedPreconditionError" if length[0] == 7 else "InvalidArgumentError"
    length = np.asarray(length, np.int32)
    with pytest.raises(getattr(tf.errors, kind)):
        tf.nn.ctc_beam_search_decoder(SCORES, length, width, count)
    with pytest.raises(getattr(shims.errors, kind), match=text):
        shims.nn.ctc_beam_search_decoder(SCORES, length, width, count)


def test_a_beam_search_that_finds_too_little_inside_a_function():
    signature = [shims.TensorSpec([None, None, 4]), shims.TensorSpec([None], shims.int32)]
    search = lambda x, n: shims.nn.ctc_beam_search_decoder(x, n, 9, 2)[1]
    with pytest.raises(shims.InvalidArgumentError, match="fewer sequences were found"):
        shims.function(search, signature)(SCORES, np.asarray([0, 1, 1], np.int32))


LABELS = np.asarray([[1, 2, 2], [3, 1, 0], [2, 0, 0]], np.int32)
LABEL_LENGTH = np.asarray([3, 2, 1], np.int32)
FRAMES = np.asarray([6, 5, 3], np.int32)


def losses(tf_like, logits, labels, label_length, frames):
    return tf_like.nn.ctc_loss(labels, logits, label_length, frames, blank_index=0)


def weighted(tf_like, *given):
    """A sum in which every sequence counts otherwise, and the losses."""
    loss = losses(tf_like, *given)
    weights = 1.0 - tf_like.cast(tf_like.range(tf_like.size(loss)), tf_like.float32)
    return tf_like.reduce_sum(loss * weights), loss


def slope_in_tensorflow(logits):
    x = tf.constant(logits)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total, loss = weighted(tf, x, LABELS, LABEL_LENGTH, FRAMES)
    return tape.gradient(total, x).numpy(), loss.numpy()


def test_loss_and_gradient_over_unknown_sizes():
    slope, wanted = slope_in_tensorflow(SCORES)
    ints = shims.TensorSpec([None], shims.int32)
    signature = [
        *(shims.TensorSpec([None, None, 4]), shims.TensorSpec([None, None], shims.int32)),
        *(ints, ints),
    ]
    of_ours = jax.grad(lambda *given: weighted(shims, *given), has_aux=True)
    run = shims.function(of_ours, input_signature=signature, on_specialize="raise")
    found, loss = run(SCORES, LABELS, LABEL_LENGTH, FRAMES)
    np.testing.assert_allclose(loss, wanted, rtol=1e-5)
    np.testing.assert_allclose(found, slope, atol=2e-6)


def test_curvature_of_the_loss():
    """TensorFlow's is NaN; the difference of its gradients is not."""
    direction = np.cos(np.arange(72, dtype=np.float32)).reshape(6, 3, 4)
    step = 1e-2 * direction
    wanted = slope_in_tensorflow(SCORES + step)[0] - slope_in_tensorflow(SCORES - step)[0]
    slope_of = jax.grad(lambda v: weighted(shims, v, LABELS, LABEL_LENGTH, FRAMES)[0])
    _, found = jax.jvp(slope_of, (SCORES,), (direction,))
    np.testing.assert_allclose(found, wanted / 2e-2, atol=2e-4)
