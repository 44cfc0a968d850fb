"""Feed a model with sentences of different lengths: records, buckets by length, padded batches."""

import tensorflow as tf

BOUNDS = [5, 9]
SIZES = [4, 3, 2]  # sentences of a batch, by bucket


def parse(record):
    """Return the tokens of a sentence, and what is to be predicted."""
    features = {
        "tokens": tf.io.VarLenFeature(tf.int64),
        "score": tf.io.FixedLenFeature([], tf.float32),
    }
    example = tf.io.parse_single_example(record, features)
    return tf.cast(tf.sparse.to_dense(example["tokens"]), tf.int32), example["score"]


def long_enough(tokens, score):
    """Return whether a sentence has two tokens or more."""
    return tf.size(tokens) >= 2


def batches(path, epochs, seed=None):
    """Return the batches: tokens, padded with 0, and scores; in a random order if there is a seed."""
    data = tf.data.TFRecordDataset(path).map(parse).filter(long_enough)
    if seed is not None:
        data = data.shuffle(16, seed=seed)
    data = data.repeat(epochs)
    data = data.bucket_by_sequence_length(
        lambda tokens, score: tf.size(tokens), BOUNDS, SIZES, drop_remainder=False
    )
    return data.prefetch(2)


@tf.function(
    input_signature=[
        tf.TensorSpec([None, 3]),
        tf.TensorSpec([None, None], tf.int32),
        tf.TensorSpec([None]),
    ]
)
def loss(table, tokens, scores):
    """Return the mean error of the sentences; a sentence is the mean of its vectors."""
    real = tf.not_equal(tokens, 0)
    rows = tf.repeat(tf.range(tf.shape(tokens)[0]), tf.reduce_sum(tf.cast(real, tf.int32), axis=1))
    vectors = tf.gather(table, tf.boolean_mask(tokens, real))
    sentences = tf.math.segment_mean(vectors, rows)
    return tf.reduce_mean(tf.square(tf.reduce_sum(sentences, axis=1) - scores))


def train(table, data, rate=0.5):
    """Descend along the gradient of every batch, and return the table and the losses."""
    table, losses = tf.Variable(table), []
    for tokens, scores in data:
        with tf.GradientTape() as tape:
            error = loss(table, tokens, scores)
        gradient = tf.convert_to_tensor(tape.gradient(error, table))  # of rows before
        table.assign_sub(rate * gradient)
        losses.append(float(error))
    return table.numpy(), losses
