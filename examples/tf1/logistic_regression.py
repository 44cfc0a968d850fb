"""Softmax regression on small pictures, with the cross-entropy written by hand.

Accuracy is counted twice: as the mean of a batch, and by `tf.metrics` over many batches, whose
totals are local variables.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

PIXELS, CLASSES, BATCH = 64, 10, 16
LEARNING_RATE = 0.5


def make_pictures(rng, examples):
    """Noisy copies of ten prototypes, and which one each is, as one-hot rows."""
    prototypes = rng.uniform(0.0, 1.0, [CLASSES, PIXELS])
    labels = rng.randint(CLASSES, size=examples)
    pictures = prototypes[labels] + 0.2 * rng.randn(examples, PIXELS)
    return np.clip(pictures, 0.0, 1.0).astype(np.float32), np.eye(CLASSES, dtype=np.float32)[labels]


class Batches:
    """Walks over the data, shuffling after each round."""

    def __init__(self, rng, *arrays):
        self.rng, self.arrays, self.at = rng, arrays, 0

    def next(self, count):
        if self.at + count > len(self.arrays[0]):
            order = self.rng.permutation(len(self.arrays[0]))
            self.arrays, self.at = [array[order] for array in self.arrays], 0
        self.at += count
        return [array[self.at - count : self.at] for array in self.arrays]


def evaluate(sess, batches, feeds, accuracy, update):
    """The accuracy over five batches, counted by the metric's own variables."""
    x, y = feeds
    sess.run(tf.local_variables_initializer())
    for _ in range(5):
        pictures, labels = batches.next(BATCH)
        sess.run(update, feed_dict={x: pictures, y: labels})
    return sess.run(accuracy)


def main(steps=50):
    """Train; returns the losses, the variables by name and the counts of the metric."""
    tf.reset_default_graph()
    rng = np.random.RandomState(1)
    batches = Batches(rng, *make_pictures(rng, 200))

    x = tf.placeholder("float", [None, PIXELS])
    y = tf.placeholder("float", [None, CLASSES])
    w = tf.Variable(tf.zeros([PIXELS, CLASSES]))
    b = tf.Variable(tf.zeros([CLASSES]))
    prediction = tf.nn.softmax(tf.matmul(x, w) + b)
    cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(prediction + 1e-8), reduction_indices=1))
    train = tf.train.GradientDescentOptimizer(LEARNING_RATE).minimize(cost)

    correct = tf.equal(tf.argmax(prediction, 1), tf.argmax(y, 1))
    batch_accuracy = tf.reduce_mean(tf.cast(correct, "float"))
    accuracy, update = tf.metrics.accuracy(
        labels=tf.argmax(y, 1), predictions=tf.argmax(prediction, 1), name="accuracy"
    )
    confusion = tf.confusion_matrix(tf.argmax(y, 1), tf.argmax(prediction, 1), CLASSES)

    losses = []
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        for step in range(steps):
            pictures, labels = batches.next(BATCH)
            _, loss = sess.run([train, cost], feed_dict={x: pictures, y: labels})
            losses.append(loss)
            if step % 10 == 0:
                part = batch_accuracy.eval({x: pictures, y: labels})
                print(f"step {step}: loss {loss:.4f}, accuracy of the batch {part:.2f}")
        print("accuracy", evaluate(sess, batches, (x, y), accuracy, update))
        pictures, labels = batches.next(2 * BATCH)
        counts = confusion.eval({x: pictures, y: labels})
        variables = tf.global_variables() + tf.local_variables()
        results = {v.name: v.eval() for v in variables}
    results["confusion"] = counts
    return losses, results


if __name__ == "__main__":
    main()
