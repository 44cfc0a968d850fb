"""The loss of a translator: cross-entropy over the tokens before the end, with smoothed labels."""

import tensorflow as tf

PAD, END = 0, 1
SMOOTHING = 0.1


def token_mask(labels):
    """Return which tokens count: those up to the first END, and no PAD."""
    ended = tf.cumsum(tf.cast(tf.equal(labels, END), tf.int32), axis=1, exclusive=True)
    return tf.logical_and(tf.equal(ended, 0), tf.not_equal(labels, PAD))


def smoothed(labels, size):
    """Return the target distribution of each label."""
    return tf.one_hot(labels, size) * (1.0 - SMOOTHING) + SMOOTHING / tf.cast(size, tf.float32)


@tf.function(
    input_signature=[
        tf.TensorSpec([None, None, None], tf.float32),
        tf.TensorSpec([None, None], tf.int32),
    ]
)
def sequence_loss(logits, labels):
    """Return the mean loss per token, and the share of tokens that are predicted."""
    mask = token_mask(labels)
    kept_logits = tf.boolean_mask(logits, mask)
    kept_labels = tf.boolean_mask(labels, mask)
    targets = smoothed(kept_labels, tf.shape(logits)[2])
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=targets, logits=kept_logits)
    right = tf.equal(tf.argmax(kept_logits, axis=1, output_type=tf.int32), kept_labels)
    count = tf.cast(tf.maximum(tf.size(kept_labels), 1), tf.float32)
    return tf.reduce_sum(losses) / count, tf.reduce_sum(tf.cast(right, tf.float32)) / count
