"""Sequences of different lengths through an LSTM: is it a walk or is it noise?

The last output of each sequence is picked by its length; gradients are cut by their global norm.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

MAX_LENGTH, HIDDEN, BATCH = 10, 12, 16


def make_sequences(rng, examples):
    """Padded sequences of 1 feature: even ones climb steadily, odd ones jump about."""
    sequences = np.zeros([examples, MAX_LENGTH, 1], np.float32)
    lengths = rng.randint(3, MAX_LENGTH + 1, size=examples).astype(np.int32)
    labels = np.arange(examples) % 2
    for sequence, length, label in zip(sequences, lengths, labels):
        steady = rng.uniform(-0.5, 0.5) + 0.2 * np.arange(length)
        sequence[:length, 0] = rng.uniform(-1.0, 1.0, length) if label else steady
    return sequences, lengths, np.eye(2, dtype=np.float32)[labels]


def last_outputs(outputs, lengths):
    """Row `length - 1` of each sequence, by one gather from the flattened outputs."""
    batch = tf.shape(outputs)[0]
    steps = tf.shape(outputs)[1]
    index = tf.range(0, batch) * steps + (lengths - 1)
    return tf.gather(tf.reshape(outputs, [-1, HIDDEN]), index)


def classify(x, lengths):
    """Logits of two classes, and the state in which each sequence ended."""
    initializer = tf.random_uniform_initializer(-0.4, 0.4, seed=11)
    with tf.variable_scope("model", initializer=initializer):
        cell = tf.nn.rnn_cell.LSTMCell(HIDDEN, forget_bias=1.0, use_peepholes=True)
        outputs, state = tf.nn.dynamic_rnn(
            cell, x, dtype=tf.float32, sequence_length=lengths, scope="lstm"
        )
        weights = tf.get_variable("weights", [HIDDEN, 2])
        biases = tf.get_variable("biases", [2], initializer=tf.zeros_initializer())
        print("outputs", outputs.shape, "state", state.c.shape)
        return tf.nn.bias_add(tf.matmul(last_outputs(outputs, lengths), weights), biases), state


def clipped_step(loss, rate):
    """A step of RMSProp along the gradients, cut to a global norm of 1."""
    variables = tf.trainable_variables()
    gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
    optimizer = tf.train.RMSPropOptimizer(rate, decay=0.9, momentum=0.5, epsilon=1e-3)
    return optimizer.apply_gradients(zip(gradients, variables)), norm


def main(steps=50):
    """Train; returns the losses, the variables by name and one batch of final states."""
    tf.reset_default_graph()
    rng = np.random.RandomState(4)
    sequences, all_lengths, classes = make_sequences(rng, 96)

    x = tf.placeholder(tf.float32, [None, None, 1], name="sequences")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    y = tf.placeholder(tf.float32, [None, 2], name="classes")
    logits, state = classify(x, lengths)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
    rate = tf.placeholder(tf.float32, [], name="rate")
    train, norm = clipped_step(loss, rate)
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            pick = rng.randint(len(sequences), size=BATCH)
            # No batch is longer than its longest sequence.
            longest = all_lengths[pick].max()
            feed = {x: sequences[pick, :longest], lengths: all_lengths[pick], y: classes[pick]}
            feed[rate] = 0.03 * 0.98**step
            _, value, size = sess.run([train, loss, norm], feed_dict=feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}, norm of the gradients {size:.3f}")
        everything = {x: sequences, lengths: all_lengths, y: classes}
        last, share = sess.run((state, accuracy), everything)
        print("accuracy", share)
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results.update(state_c=last.c[:4], state_h=last.h[:4])
    return losses, results


if __name__ == "__main__":
    main()
