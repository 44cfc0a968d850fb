"""Columns of sequences; the numbers are those of `SequenceFeatures` of TensorFlow 2.21 with tf_keras."""

from __future__ import annotations

import numpy as np
import pytest

import shims.compat.v1 as tf

c = tf.feature_column
TABLE = np.arange(12.0).reshape(4, 3) / 4


def features():
    ids = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 0, 1], [2, 2, 0]]
    pairs = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]]
    deep = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 2, 1]]
    return {
        "words": tf.sparse_placeholder(tf.string, [None, None]),
        "ids": tf.SparseTensor(ids, np.array([1, 0, 2, 3, 3], np.int64), [3, 3, 2]),
        "pairs": tf.SparseTensor(pairs, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 6]),
        "deep": tf.SparseTensor(deep, [1.0, 2.0, 3.0, 4.0], [3, 3, 2]),
    }


def ids_column(combiner="mean"):
    ids = c.sequence_categorical_column_with_identity("ids", 4)
    return c.embedding_column(ids, 3, combiner, initializer=tf.constant_initializer(TABLE))


def words_column():
    return c.sequence_categorical_column_with_vocabulary_list("words", ["cat", "dog", "emu"])


def computed(given, *fetches):
    words = np.array([b"dog", b"cat", b"yak", b"emu"], object)
    places = np.array([[0, 0], [0, 1], [2, 0], [2, 2]])
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(
            fetches, {given["words"]: tf.SparseTensorValue(places, words, np.array([3, 3]))}
        )


def test_ids_and_words_of_each_step():
    given = features()
    columns = [ids_column(), c.indicator_column(words_column())]
    layer, lengths = tf.contrib.feature_column.sequence_input_layer(given, columns)
    slope = tf.gradients(tf.reduce_sum(layer**2), tf.trainable_variables())[0]
    assert layer.shape.as_list()[-1] == 6
    assert (
        tf.trainable_variables()[0].name == "sequence_input_layer/ids_embedding/embedding_weights:0"
    )
    numbers, counts, slopes = computed(given, layer, lengths, tf.convert_to_tensor(slope))
    wanted = np.zeros((3, 3, 6))
    wanted[0, 0] = [0.375, 0.625, 0.875, 0, 1, 0]
    wanted[0, 1] = [1.5, 1.75, 2, 1, 0, 0]
    wanted[2, 0, :3] = [2.25, 2.5, 2.75]
    wanted[2, 2] = [2.25, 2.5, 2.75, 0, 0, 1]
    np.testing.assert_array_equal(numbers, wanted)
    assert (counts.tolist(), counts.dtype) == ([2, 0, 3], np.int64)
    rows = [[0.375, 0.625, 0.875]] * 2
    np.testing.assert_array_equal(slopes, [*rows, [3.0, 3.5, 4.0], [9.0, 10.0, 11.0]])


def test_numbers_of_each_step():
    given = features()
    layer = tf.contrib.feature_column.sequence_input_layer
    flat = layer(given, c.sequence_numeric_column("pairs", shape=(2,), default_value=-1.0))
    deep = layer(given, [c.sequence_numeric_column("deep", shape=2, default_value=0.5)])
    found = computed(given, flat, deep)
    none = [-1.0, -1.0]
    rows = [[[1, 2], [3, 4], none], [[5, 6], none, none], [none, none, none]]
    np.testing.assert_array_equal(found[0][0], rows)
    assert found[0][1].tolist() == [2, 1, 0]
    half = [0.5, 0.5]
    rows = [[[1, 2], [3, 0.5], half], [half, half, half], [half, half, [0.5, 4]]]
    np.testing.assert_array_equal(found[1][0], rows)
    assert found[1][1].tolist() == [2, 0, 3]


def test_columns_need_equal_lengths():
    given = features()
    columns = [c.sequence_numeric_column("pairs", shape=2), ids_column()]
    layer = tf.contrib.feature_column.sequence_input_layer(given, columns)
    with pytest.raises(tf.errors.InvalidArgumentError):
        computed(given, layer)


def test_the_layers_take_their_own_columns():
    given = features()
    with pytest.raises(ValueError, match="use sequence_input_layer instead"):
        c.input_layer(given, [c.indicator_column(words_column())])
    with pytest.raises(ValueError, match="Use sequence_input_layer"):
        c.input_layer(given, [c.sequence_numeric_column("pairs")])
    plain = c.indicator_column(c.categorical_column_with_identity("ids", 4))
    with pytest.raises(ValueError, match="must be of type SequenceDenseColumn"):
        tf.contrib.feature_column.sequence_input_layer(given, [plain])
    for wrong, kind in (({"shape": 0}, ValueError), ({"normalizer_fn": 1}, TypeError)):
        with pytest.raises(kind):
            c.sequence_numeric_column("pairs", **wrong)


def test_an_example_is_parsed_for_columns_of_sequences():
    columns = [ids_column(), c.sequence_numeric_column("pairs")]
    spec = c.make_parse_example_spec(columns)
    assert {k: v.dtype.name for k, v in spec.items()} == {"ids": "int64", "pairs": "float32"}
