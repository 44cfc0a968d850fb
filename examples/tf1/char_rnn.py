"""Characters one after the other: two layers of LSTM whose state is carried from batch to batch.

The state comes back from one run and is fed into the next, as a nested tuple; the learning rate is
a variable that the loop assigns. A second, unrolled graph over the same variables writes text.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

TEXT = "the cat sat on the mat and the rat sat on the hat of the cat "
LAYERS, HIDDEN, BATCH, STEPS = 2, 16, 4, 8


def make_batches(text):
    """Text as numbers, cut so that row `i` of a batch goes on in row `i` of the next."""
    characters = sorted(set(text))
    numbers = np.array([characters.index(c) for c in text * 4], np.int32)
    count = (len(numbers) - 1) // (BATCH * STEPS)
    used = count * BATCH * STEPS
    x = numbers[:used].reshape(BATCH, count * STEPS)
    y = numbers[1 : used + 1].reshape(BATCH, count * STEPS)
    batches = list(zip(np.split(x, count, axis=1), np.split(y, count, axis=1)))
    return characters, batches


class Model:
    """Embedding, `static_rnn`, softmax; built for training and once more for writing."""

    def __init__(self, symbols, batch, steps, training):
        self.inputs = tf.placeholder(tf.int32, [batch, steps])
        self.targets = tf.placeholder(tf.int32, [batch, steps])
        cell = tf.nn.rnn_cell.MultiRNNCell(
            [tf.nn.rnn_cell.BasicLSTMCell(HIDDEN, forget_bias=0.5) for _ in range(LAYERS)]
        )
        self.initial_state = cell.zero_state(batch, tf.float32)
        table = tf.get_variable("embedding", [symbols, HIDDEN])
        embedded = tf.nn.embedding_lookup(table, self.inputs)
        parts = [tf.squeeze(part, [1]) for part in tf.split(embedded, steps, axis=1)]
        outputs, self.final_state = tf.nn.static_rnn(cell, parts, self.initial_state)
        output = tf.reshape(tf.concat(outputs, axis=1), [-1, HIDDEN])
        with tf.variable_scope("softmax"):
            w = tf.get_variable("w", [HIDDEN, symbols])
            b = tf.get_variable("b", [symbols], initializer=tf.zeros_initializer())
        logits = tf.matmul(output, w) + b
        self.probabilities = tf.nn.softmax(logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.reshape(self.targets, [-1]), logits=logits
        )
        self.cost = tf.reduce_sum(losses) / (batch * steps)
        if training:
            self.add_training()

    def add_training(self):
        self.rate = tf.Variable(0.0, trainable=False, name="rate")
        variables = tf.trainable_variables()
        gradients, _ = tf.clip_by_global_norm(tf.gradients(self.cost, variables), 5.0)
        optimizer = tf.train.AdamOptimizer(self.rate)
        self.train = optimizer.apply_gradients(zip(gradients, variables))


def write(sess, model, characters, first, count):
    """The likeliest text that begins with `first`."""
    state, text = sess.run(model.initial_state), first
    for _ in range(count):
        feed = {model.inputs: [[characters.index(text[-1])]], model.initial_state: state}
        odds, state = sess.run([model.probabilities, model.final_state], feed)
        text += characters[int(np.argmax(odds[0]))]
    return text


def main(steps=50):
    """Train; returns the losses, the variables by name and the last state."""
    tf.reset_default_graph()
    characters, batches = make_batches(TEXT)
    initializer = tf.random_uniform_initializer(-0.3, 0.3, seed=111)
    with tf.variable_scope("model", initializer=initializer):
        model = Model(len(characters), BATCH, STEPS, training=True)
    with tf.variable_scope("model", reuse=True):
        writer = Model(len(characters), 1, 1, training=False)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        state = None
        for step in range(steps):
            number = step % len(batches)
            if number == 0:
                sess.run(tf.assign(model.rate, 0.03 * 0.9 ** (step // len(batches))))
                state = sess.run(model.initial_state)
            feed = {model.inputs: batches[number][0], model.targets: batches[number][1]}
            for (c, h), value in zip(model.initial_state, state):
                feed[c], feed[h] = value.c, value.h
            cost, state, _ = sess.run([model.cost, model.final_state, model.train], feed)
            losses.append(cost)
            if step % 10 == 0:
                print(f"step {step}: loss {cost:.4f}, rate {sess.run(model.rate):.4f}")
        print(repr(write(sess, writer, characters, "the ", 30)))
        variables = tf.global_variables()
        results = {v.name: value for v, value in zip(variables, sess.run(variables))}
    results.update(state_c=state[-1].c, state_h=state[-1].h)
    return losses, results


if __name__ == "__main__":
    main()
