"""Feature columns, and what TensorFlow makes of them: names, numbers, three training steps.

The answers, of TensorFlow 1.15.5, are in `column_answers.json`. Written anew by
`python -m tests.v1.column_programs`.
"""

import json
import os
import pathlib

import numpy as np

ANSWERS = pathlib.Path(__file__).with_name("column_answers.json")


def _features(tf):
    """Return features of all kinds: constants, as columns get them from a dataset or a feed."""
    sparse = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], ["cat", "emu", "dog"], [3, 3])
    weights = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [0.5, 2.0, 1.5], [3, 3])
    return {
        "age": tf.constant([1.0, 25.0, 18.0]),
        "wide": tf.constant([[1.5, 2.0], [3.0, 0.1], [float("inf"), float("nan")]]),
        "kind": tf.constant(["cat", "", "bird"]),
        "words": tf.constant([["dog", "cat"], ["cat", "cat"], ["", "what"]]),
        "number": tf.constant([[3], [-1], [12]], tf.int64),
        "place": tf.constant([[1, 2], [0, -1], [2, 2]]),
        "tags": sparse,
        "importance": weights,
    }


def numeric(tf):
    """Numbers, normalized numbers and buckets."""
    c = tf.feature_column
    age = c.numeric_column("age", normalizer_fn=lambda x: x / 10.0)
    buckets = c.bucketized_column(c.numeric_column("age"), [2.0, 18.0, 25.0])
    wide = c.bucketized_column(c.numeric_column("wide", 2), [0.1, 2.0])
    return [age, buckets, wide], [age, buckets, wide]


def categories(tf):
    """Hashes, vocabularies, integers, and their one-hot vectors and embeddings."""
    c = tf.feature_column
    words = c.categorical_column_with_vocabulary_list("words", ["cat", "dog"])
    kind = c.categorical_column_with_vocabulary_list("kind", ["dog", "cat"], num_oov_buckets=3)
    hashed = c.categorical_column_with_hash_bucket("tags", 7)
    number = c.categorical_column_with_hash_bucket("number", 5, tf.int64)
    place = c.categorical_column_with_identity("place", 3)
    dense = [
        c.indicator_column(words),
        c.embedding_column(kind, 3),
        c.embedding_column(hashed, 2, combiner="sqrtn", max_norm=0.5),
        c.indicator_column(number),
        c.embedding_column(place, 2, "sum", tf.ones_initializer(), trainable=False),
    ]
    return dense, [words, kind, hashed, number, place]


def combined(tf):
    """Crosses, weights, and embeddings with one variable."""
    c = tf.feature_column
    tags = c.categorical_column_with_vocabulary_list("tags", ["dog", "cat", "emu"])
    weighted = c.weighted_categorical_column(tags, "importance")
    age = c.bucketized_column(c.numeric_column("age"), [2.0, 20.0])
    cross = c.crossed_column(["kind", "words"], 50)
    deeper = c.crossed_column([cross, age, "number"], 30, hash_key=5)
    mixed = c.crossed_column(["tags", age], 20)
    out = c.categorical_column_with_identity("number", 9, default_value=0)
    one = c.categorical_column_with_vocabulary_list("kind", ["cat", "bird", "dog"])
    shared = c.shared_embedding_columns([tags, one], 2)
    dense = [c.indicator_column(weighted), c.embedding_column(weighted, 2), *shared]
    crosses = [cross, deeper, mixed]
    return [*dense, *(c.embedding_column(x, 2) for x in crosses)], [weighted, *crosses, out]


PROGRAMS = {f.__name__: f for f in (numeric, categories, combined)}


def answers(tf, program):
    """Return names, first numbers, losses and last numbers of a program, as lists."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(3)
        dense, linear = program(tf)
        found = {}
        inputs = tf.feature_column.input_layer(_features(tf), dense, cols_to_vars=found)
        sums = tf.feature_column.linear_model(_features(tf), linear, units=2)
        again = tf.feature_column.linear_model(_features(tf), linear, sparse_combiner="mean")
        finite = tf.where(tf.is_finite(inputs), inputs, tf.zeros_like(inputs))
        aim = tf.reduce_mean(tf.square(finite - 0.3)) + tf.reduce_mean(
            tf.square(sums - [1.0, -2.0])
        )
        parts = list(tf.global_variables())
        values = [tf.where(tf.is_finite(x), x, tf.ones_like(x)) for x in (inputs, sums, again)]
        return _run(tf, parts, aim, values)


def _run(tf, variables, aim, values):
    train = tf.train.GradientDescentOptimizer(0.1)
    pairs = [(g, v) for g, v in train.compute_gradients(aim) if g is not None]
    kept = []
    for g, v in pairs:
        dense = tf.convert_to_tensor(g)
        kept.append((tf.where(tf.is_finite(dense), dense, tf.zeros_like(dense)), v))
    step = train.apply_gradients(kept)
    drawn = {v.name: _numbers(v.shape.as_list(), v.name) for v in variables}
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        session.run([tf.assign(v, drawn[v.name]) for v in variables])
        first = session.run(values)
        losses = [session.run([aim, step])[0] for _ in range(3)]
        last = session.run(variables)
    return {
        "names": [[v.name, v.shape.as_list()] for v in variables],
        "model": [v.name for v in tf.model_variables()],
        "trained": [v.name for v in tf.trainable_variables()],
        "first": [x.tolist() for x in first],
        "losses": [float(x) for x in losses],
        "last": {v.name: x.tolist() for v, x in zip(variables, last)},
    }


def _numbers(shape, name):
    draw = np.random.RandomState(sum(name.encode()) % 1000)
    return draw.uniform(-1.0, 1.0, shape).astype(np.float32)


def main():
    """Write the answers of TensorFlow."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    found = {name: answers(tf, program) for name, program in PROGRAMS.items()}
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
