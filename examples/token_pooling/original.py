"""Turn sentences of different lengths into vectors: ragged tokens, pooled by mean, maximum and attention."""

import tensorflow as tf


def attention(rows, scores):
    """Return the mean of each row's tokens, weighted by a softmax over the row."""
    weights = tf.exp(scores - tf.reduce_max(scores, axis=1)[:, None])
    weights = weights / tf.reduce_sum(weights, axis=1)[:, None]
    return tf.reduce_sum(rows * tf.expand_dims(weights, 2), axis=1)


@tf.function(
    input_signature=[
        tf.TensorSpec([None, None], tf.float32),
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([None], tf.float32),
    ]
)
def pool(tokens, lengths, query):
    """Return one vector per sentence, of length 1.

    Args:
      tokens: the tokens of all sentences, one after the other.
      lengths: how many of them each sentence has.
      query: what the attention looks for.
    """
    rows = tf.RaggedTensor.from_row_lengths(tokens, lengths)
    scores = tf.RaggedTensor.from_row_lengths(tf.linalg.matvec(tokens, query), lengths)
    mean = tf.reduce_mean(rows, axis=1)
    largest = tf.reduce_max(rows, axis=1)
    pooled = tf.concat([mean, largest, attention(rows, scores)], axis=1)
    return tf.math.l2_normalize(pooled, axis=1)
