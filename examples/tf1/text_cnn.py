"""Sentences through convolutions of several widths, pooled over time; raw operators throughout.

Learning starts from `xavier` weights, an L2 penalty is summed by hand, and evaluation goes through
the same graph with dropout switched off by a feed.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

LENGTH, VOCABULARY, EMBEDDING, FILTERS, CLASSES, BATCH = 12, 30, 8, 6, 2, 16
WIDTHS = (2, 3, 4)


def make_sentences(rng, examples):
    """Random words; in sentences of class 1 the words 3 and 4 follow each other."""
    words = rng.randint(5, VOCABULARY, size=[examples, LENGTH]).astype(np.int32)
    labels = rng.randint(2, size=examples)
    for row, label in enumerate(labels):
        at = rng.randint(LENGTH - 1)
        words[row, at : at + 2] = (3, 4) if label else (4, 3)
    return words, np.eye(CLASSES, dtype=np.float32)[labels]


class TextCNN:
    """Embedding, convolutions and max-pooling, dropout, softmax."""

    def __init__(self, l2_weight=0.01):
        self.words = tf.placeholder(tf.int32, [None, LENGTH], name="input_x")
        self.labels = tf.placeholder(tf.float32, [None, CLASSES], name="input_y")
        self.keep_prob = tf.placeholder(tf.float32, name="dropout_keep_prob")
        with tf.name_scope("embedding"):
            table = tf.Variable(
                tf.random_uniform([VOCABULARY, EMBEDDING], -1.0, 1.0, seed=101), name="W"
            )
            embedded = tf.expand_dims(tf.nn.embedding_lookup(table, self.words), -1)
        pooled = tf.concat([self.convolve(embedded, width) for width in WIDTHS], 3)
        flat = tf.reshape(pooled, [-1, FILTERS * len(WIDTHS)])
        with tf.name_scope("dropout"):
            dropped = tf.nn.dropout(flat, self.keep_prob, seed=103)
        with tf.name_scope("output"):
            w = tf.get_variable(
                "W",
                shape=[FILTERS * len(WIDTHS), CLASSES],
                initializer=tf.glorot_uniform_initializer(seed=104),
            )
            b = tf.Variable(tf.constant(0.1, shape=[CLASSES]), name="b")
            penalty = tf.nn.l2_loss(w) + tf.nn.l2_loss(b)
            self.scores = tf.nn.xw_plus_b(dropped, w, b, name="scores")
        with tf.name_scope("loss"):
            entropy = tf.nn.softmax_cross_entropy_with_logits(
                logits=self.scores, labels=self.labels
            )
            self.loss = tf.reduce_mean(entropy) + l2_weight * penalty
        with tf.name_scope("accuracy"):
            right = tf.equal(tf.argmax(self.scores, 1), tf.argmax(self.labels, 1))
            self.accuracy = tf.reduce_mean(tf.cast(right, "float"), name="accuracy")

    @staticmethod
    def convolve(embedded, width):
        """The largest response of each filter anywhere in the sentence: [batch, 1, 1, filters]."""
        with tf.name_scope(f"conv-maxpool-{width}"):
            shape = [width, EMBEDDING, 1, FILTERS]
            w = tf.Variable(tf.truncated_normal(shape, stddev=0.2, seed=102), name="W")
            b = tf.Variable(tf.constant(0.1, shape=[FILTERS]), name="b")
            conv = tf.nn.conv2d(embedded, w, strides=[1, 1, 1, 1], padding="VALID", name="conv")
            h = tf.nn.relu(tf.nn.bias_add(conv, b), name="relu")
            return tf.nn.max_pool(
                h,
                ksize=[1, LENGTH - width + 1, 1, 1],
                strides=[1, 1, 1, 1],
                padding="VALID",
                name="pool",
            )


def main(steps=50):
    """Train; returns the losses and the variables by name."""
    tf.reset_default_graph()
    rng = np.random.RandomState(15)
    words, labels = make_sentences(rng, 128)
    cnn = TextCNN()
    global_step = tf.Variable(0, name="global_step", trainable=False)
    optimizer = tf.train.AdamOptimizer(0.02)
    grads_and_vars = optimizer.compute_gradients(cnn.loss)
    train = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
    print("sparse", [v.name for g, v in grads_and_vars if isinstance(g, tf.IndexedSlices)])

    losses = []
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    sess = tf.Session(config=config)
    with sess.as_default():
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            pick = rng.randint(len(words), size=BATCH)
            feed = {cnn.words: words[pick], cnn.labels: labels[pick], cnn.keep_prob: 0.8}
            _, _, loss = sess.run([train, global_step, cnn.loss], feed)
            losses.append(loss)
            current = tf.train.global_step(sess, global_step)
            if current % 10 == 0:
                everything = {cnn.words: words, cnn.labels: labels, cnn.keep_prob: 1.0}
                accuracy = sess.run(cnn.accuracy, everything)
                print(f"step {current}: loss {loss:.4f}, accuracy {accuracy:.3f}")
        results = {v.name: v.eval() for v in tf.global_variables()}
    sess.close()
    return losses, results


if __name__ == "__main__":
    main()
