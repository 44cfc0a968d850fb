"""Functions of `contrib` over sequences, against sums over all sequences and formulas in NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import shims.compat.v1 as tf

_NUMBERS = np.random.RandomState(0)
_INPUTS = _NUMBERS.randn(4, 4, 3).astype(np.float32)
_TAGS = _NUMBERS.randint(0, 3, (4, 4))
_LENGTHS = [4, 2, 1, 0]
_TRANSITIONS = _NUMBERS.randn(3, 3).astype(np.float32)


def _score(inputs, tags):
    steps = sum(_TRANSITIONS[a, b] for a, b in itertools.pairwise(tags))
    return sum(row[tag] for row, tag in zip(inputs, tags, strict=True)) + steps


def _run(fetches, unknown: bool):
    shape = [None, None, 3] if unknown else [4, 4, 3]
    inputs = tf.placeholder(tf.float32, shape)
    tags, lengths = tf.placeholder(tf.int32, shape[:2]), tf.placeholder(tf.int32, shape[:1])
    with tf.Session() as session:
        feed = {inputs: _INPUTS, tags: _TAGS, lengths: _LENGTHS}
        return session.run(fetches(inputs, tags, lengths), feed)


@pytest.mark.parametrize("unknown", [False, True])
def test_the_likelihood_is_that_of_all_sequences(unknown):
    found, gradient = _run(
        lambda x, tags, n: (
            likelihood := tf.contrib.crf.crf_log_likelihood(x, tags, n, _TRANSITIONS)[0],
            tf.gradients(likelihood, x)[0],
        ),
        unknown,
    )
    for x, tags, n, likelihood in zip(_INPUTS, _TAGS, _LENGTHS, found, strict=True):
        scores = [_score(x[:n], path) for path in itertools.product(range(3), repeat=n)]
        expected = _score(x[:n], tags[:n]) - (np.logaddexp.reduce(scores) if n else 0.0)
        assert likelihood == pytest.approx(expected, abs=1e-5)
    # Each row of the gradient is a one-hot vector minus probabilities.
    assert np.abs(gradient.sum(-1)).max() < 1e-5
    assert np.abs(gradient[1, 2:]).max() == 0.0 < np.abs(gradient[1, :2]).max()


@pytest.mark.parametrize("unknown", [False, True])
def test_the_decoded_sequence_is_the_best_of_all(unknown):
    tags, scores = _run(lambda x, tags, n: tf.contrib.crf.crf_decode(x, _TRANSITIONS, n), unknown)
    assert (tags.dtype, scores.dtype) == (np.int32, np.float32)
    for x, n, found, score in zip(_INPUTS, _LENGTHS, tags, scores, strict=True):
        if not n:
            assert score == 0.0
            continue
        best = max(itertools.product(range(3), repeat=n), key=lambda path: _score(x[:n], path))
        assert (found[:n].tolist(), found[n:].tolist()) == ([*best], [0] * (4 - n))
        assert score == pytest.approx(_score(x[:n], best), abs=1e-5)
        path, number = tf.contrib.crf.viterbi_decode(x[:n], _TRANSITIONS)
        assert ([*map(int, path)], number) == ([*best], pytest.approx(score, abs=1e-5))


def test_a_new_crf_has_the_variable_transitions():
    _, transitions = tf.contrib.crf.crf_log_likelihood(tf.zeros([1, 2, 3]), [[0, 1]], [2])
    assert (transitions.name, transitions.shape.as_list()) == ("transitions:0", [3, 3])


@pytest.mark.parametrize("averages", [(True, True), (True, False), (False, True), (False, False)])
def test_the_loss_of_a_sequence_is_weighted(averages):
    weights = (np.arange(4) < np.array(_LENGTHS)[:, None]).astype(np.float32)
    found = _run(lambda x, t, n: tf.contrib.seq2seq.sequence_loss(x, t, weights, *averages), True)
    logs = _INPUTS - np.log(np.exp(_INPUTS).sum(-1, keepdims=True))
    losses = -np.take_along_axis(logs, _TAGS[..., None], -1)[..., 0] * weights
    axes = tuple(axis for axis, averaged in zip((1, 0), averages, strict=True) if averaged)
    expected = losses.sum(axes) / (weights.sum(axes) + 1e-12) if axes else losses
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_the_loss_of_a_sequence_takes_another_loss():
    loss = tf.contrib.seq2seq.sequence_loss(
        tf.zeros([1, 2, 3]),
        [[0, 1]],
        tf.ones([1, 2]),
        softmax_loss_function=lambda labels, logits: tf.cast(labels, tf.float32) + 2.0,
    )
    with tf.Session() as session:
        assert session.run(loss) == 2.5
    with pytest.raises(ValueError, match="Targets must be"):
        tf.contrib.seq2seq.sequence_loss(tf.zeros([1, 2, 3]), [0, 1], tf.ones([1, 2]))


def test_examples_are_repeated_next_to_each_other():
    x = tf.placeholder(tf.float32, [None, 2])
    with tf.Session() as session:
        tiled = tf.contrib.seq2seq.tile_batch((x, {"b": tf.constant([7, 8])}), 2)
        found = session.run(tiled, {x: [[1.0, 2.0], [3.0, 4.0]]})
    assert found[0].tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
    assert found[1]["b"].tolist() == [7, 7, 8, 8]
    assert tiled[0].shape.as_list() == [None, 2]


def _trained(make, steps: int = 2):
    with tf.Graph().as_default():
        tf.train.create_global_step()
        w = tf.get_variable("w", initializer=[1.0, -2.0])
        b = tf.get_variable("b", initializer=0.5)
        train = make(tf.reduce_sum(tf.square(w * 3.0 + b)), w, b)
        summaries = [t.op.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run(train) for _ in range(steps)]
            return losses, session.run([w, b, tf.train.get_global_step()]), summaries


def test_optimize_loss_clips_multiplies_and_counts():
    def whole(loss, w, b):
        return tf.contrib.layers.optimize_loss(
            loss, None, 0.1, "Adam", clip_gradients=1.0, gradient_multipliers={"b:0": 0.5}
        )

    def by_hand(loss, w, b):
        optimizer = tf.train.AdamOptimizer(0.1)
        (dw, _), (db, _) = optimizer.compute_gradients(loss)
        clipped, _ = tf.clip_by_global_norm([dw, db * 0.5], 1.0)
        step = optimizer.apply_gradients(zip(clipped, [w, b]), tf.train.get_global_step())
        with tf.control_dependencies([step]):
            return tf.identity(loss)

    losses, values, summaries = _trained(whole)
    expected_losses, expected, _ = _trained(by_hand)
    assert losses == expected_losses
    for found, value in zip(values, expected, strict=True):
        np.testing.assert_array_equal(found, value)
    start = "OptimizeLoss"
    assert summaries == [
        f"{start}/global_norm/gradient_norm",
        f"{start}/loss",
        f"{start}/global_norm/clipped_gradient_norm",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, "Adam"), "Learning rate is None"),
        ((0.1, "Adamm"), "Optimizer name should be one of"),
        ((-0.1, "Adam"), "Invalid learning_rate"),
        ((1, "Adam"), "should be 0d Tensor or float"),
        ((0.1, 7), "Unrecognized optimizer"),
    ],
)
def test_optimize_loss_refuses_what_tensorflow_refuses(arguments, message):
    loss = tf.reduce_sum(tf.get_variable("w", [2]))
    with pytest.raises(ValueError, match=message):
        tf.contrib.layers.optimize_loss(loss, None, *arguments)


def test_lists_of_steps_are_decoded_and_weighted():
    cell = tf.nn.rnn_cell.BasicRNNCell(2)
    legacy = tf.contrib.legacy_seq2seq
    inputs = [tf.constant([[0.1 * i, 1.0]]) for i in range(3)]
    start = cell.zero_state(1, tf.float32)
    outputs, state = legacy.rnn_decoder(inputs, start, cell, scope="lm")
    with tf.variable_scope("fed", reuse=tf.AUTO_REUSE):
        fed, _ = legacy.rnn_decoder(inputs, start, cell, lambda last, i: last, scope="lm")
    expected, expected_state = tf.nn.static_rnn(cell, inputs, start)
    weights = [tf.constant([1.0]), tf.constant([0.5]), tf.constant([0.0])]
    targets = [tf.constant([0]), tf.constant([1]), tf.constant([1])]
    by_example = legacy.sequence_loss_by_example(outputs, targets, weights)
    whole = legacy.sequence_loss(outputs, targets, weights)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([outputs, expected, state, expected_state, by_example, whole, fed])
    names = [v.name for v in tf.global_variables()]
    assert names == ["lm/basic_rnn_cell/kernel:0", "lm/basic_rnn_cell/bias:0"]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    np.testing.assert_allclose(found[2], found[3], rtol=1e-6)
    logs = [x[0] - np.log(np.exp(x[0]).sum()) for x in found[0]]
    loss = -(logs[0][0] + 0.5 * logs[1][1]) / 1.5
    np.testing.assert_allclose(found[4], [loss], rtol=1e-5)
    np.testing.assert_allclose(found[5], loss, rtol=1e-5)
    assert np.abs(np.subtract(found[6][2], found[0][2])).max() > 1e-3
    with pytest.raises(ValueError, match="must be the same"):
        legacy.sequence_loss_by_example(outputs, targets[:1], weights)


def test_the_edit_distance_takes_sparse_placeholders_of_texts():
    words, truth = (tf.sparse_placeholder(tf.string) for _ in range(2))
    found = tf.edit_distance(words, truth, normalize=False)

    def fed(*texts):
        places = [[i, 0, k] for i, text in enumerate(texts) for k in range(len(text))]
        return tf.SparseTensorValue(places, list("".join(texts)), [len(texts), 1, 8])

    with tf.Session() as session:
        given = {words: fed("bear", "cat"), truth: fed("beer", "catch")}
        assert session.run(found, given).tolist() == [[1.0], [2.0]]
