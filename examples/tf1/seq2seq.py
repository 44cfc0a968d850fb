"""Sequence to sequence: learn to reverse digits; decode greedily in a loop whose result grows.

Training feeds the right digits into the decoder. Decoding feeds what it said itself, for as many
steps as the slowest sequence of the batch needs, so the output has a length of its own.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

PAD, START, END, SYMBOLS = 0, 1, 2, 8
EMBEDDING, HIDDEN, BATCH, MAX_DECODED = 6, 16, 16, 8


def make_batch(rng, size):
    """Sequences of 2 to 4 digits and the same from back to front, padded."""
    lengths = rng.randint(2, 5, size=size).astype(np.int32)
    source = np.full([size, lengths.max()], PAD, np.int32)
    target = np.full([size, lengths.max() + 1], PAD, np.int32)
    for row, length in enumerate(lengths):
        digits = rng.randint(3, SYMBOLS, size=length)
        source[row, :length] = digits
        target[row, : length + 1] = [*digits[::-1], END]
    return source, lengths, target


class Reverser:
    """An encoder and a decoder that share one table of embeddings."""

    def __init__(self):
        self.source = tf.placeholder(tf.int32, [None, None], name="source")
        self.lengths = tf.placeholder(tf.int32, [None], name="lengths")
        self.target = tf.placeholder(tf.int32, [None, None], name="target")
        with tf.variable_scope("seq2seq", initializer=tf.glorot_normal_initializer(seed=31)):
            self.table = tf.get_variable("embedding", [SYMBOLS, EMBEDDING])
            self.cell = tf.nn.rnn_cell.GRUCell(HIDDEN, name="decoder_cell")
            self.output = tf.layers.Dense(SYMBOLS, name="output")
            self.state = self.encode()
            self.loss = self.training_loss()
            self.decoded = self.greedy()

    def encode(self):
        """The state after the last valid digit: [batch, hidden]."""
        with tf.variable_scope("encoder"):
            inputs = tf.nn.embedding_lookup(self.table, self.source)
            _, state = tf.nn.dynamic_rnn(
                tf.nn.rnn_cell.GRUCell(HIDDEN), inputs, self.lengths, dtype=tf.float32
            )
            return state

    def training_loss(self):
        """The mean cross-entropy over all digits that are not padding."""
        starts = tf.fill([tf.shape(self.target)[0], 1], START)
        fed = tf.concat([starts, self.target[:, :-1]], axis=1)
        inputs = tf.nn.embedding_lookup(self.table, fed)
        with tf.variable_scope("decoder"):
            outputs, _ = tf.nn.dynamic_rnn(self.cell, inputs, initial_state=self.state)
        logits = self.output(outputs)
        weights = tf.to_float(tf.not_equal(self.target, PAD))
        return tf.losses.sparse_softmax_cross_entropy(self.target, logits, weights=weights)

    def greedy(self):
        """The likeliest digit, again and again, until every sequence has ended."""
        batch = tf.shape(self.source)[0]

        def unfinished(step, finished, *_):
            return tf.logical_and(step < MAX_DECODED, tf.logical_not(tf.reduce_all(finished)))

        def one_step(step, finished, last, state, said):
            output, state = self.cell(tf.nn.embedding_lookup(self.table, last), state)
            best = tf.argmax(self.output(output), axis=-1, output_type=tf.int32)
            best = tf.where(finished, tf.fill([batch], PAD), best)
            said = tf.concat([said, tf.expand_dims(best, 1)], axis=1)
            return step + 1, tf.logical_or(finished, tf.equal(best, END)), best, state, said

        start = (
            tf.constant(0),
            tf.zeros([batch], tf.bool),
            tf.fill([batch], START),
            self.state,
            tf.zeros([batch, 0], tf.int32),
        )
        invariants = (
            tf.TensorShape([]),
            tf.TensorShape([None]),
            tf.TensorShape([None]),
            tf.TensorShape([None, HIDDEN]),
            tf.TensorShape([None, None]),
        )
        with tf.variable_scope("decoder/rnn", reuse=tf.AUTO_REUSE):
            results = tf.while_loop(unfinished, one_step, start, shape_invariants=invariants)
        return results[-1]


def main(steps=50):
    """Train; returns the losses, the variables by name and what one batch is decoded to."""
    tf.reset_default_graph()
    rng = np.random.RandomState(6)
    model = Reverser()
    print("decoded", model.decoded.shape)
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(0.03, global_step, decay_steps=40, end_learning_rate=0.01)
    optimizer = tf.train.AdamOptimizer(rate)
    gradients, variables = zip(*optimizer.compute_gradients(model.loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 2.0)
    train = optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            source, lengths, target = make_batch(rng, BATCH)
            feed = {model.source: source, model.lengths: lengths, model.target: target}
            _, value = sess.run([train, model.loss], feed_dict=feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}")
        source, lengths, _ = make_batch(rng, 5)
        decoded = sess.run(model.decoded, {model.source: source, model.lengths: lengths})
        for digits, answer in zip(source, decoded):
            print(digits, "->", answer)
        variables = tf.global_variables()
        results = {v.name: value for v, value in zip(variables, sess.run(variables))}
    results["decoded"] = decoded
    return losses, results


if __name__ == "__main__":
    main()
