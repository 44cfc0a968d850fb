"""Two hidden layers, dropout, weight decay, a decaying learning rate, summaries and checkpoints.

Half-way the values are saved, spoiled, and restored, as a run that was interrupted would do. All
random numbers come from the seed of the graph alone.
"""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

PIXELS, HIDDEN, CLASSES, BATCH = 49, 24, 10, 16


def make_pictures(rng, examples):
    """Noisy copies of ten prototypes, and which one each is."""
    prototypes = rng.uniform(0.0, 1.0, [CLASSES, PIXELS])
    labels = rng.randint(CLASSES, size=examples)
    pictures = prototypes[labels] + 0.3 * rng.randn(examples, PIXELS)
    return pictures.astype(np.float32), labels.astype(np.int64)


def layer(inputs, size_in, size_out, name, activation=tf.nn.relu):
    """A fully connected layer whose weights are drawn and penalized here."""
    with tf.name_scope(name):
        weights = tf.Variable(
            tf.truncated_normal([size_in, size_out], stddev=1.0 / np.sqrt(size_in)), name="weights"
        )
        biases = tf.Variable(tf.zeros([size_out]), name="biases")
        tf.add_to_collection("decay", tf.nn.l2_loss(weights))
        tf.summary.histogram("weights", weights)
        return activation(tf.matmul(inputs, weights) + biases)


def network(x, keep_prob):
    hidden = layer(x, PIXELS, HIDDEN, "hidden1")
    hidden = tf.nn.dropout(hidden, keep_prob)
    hidden = layer(hidden, HIDDEN, HIDDEN, "hidden2")
    hidden = tf.nn.dropout(hidden, keep_prob)
    return layer(hidden, HIDDEN, CLASSES, "softmax_linear", activation=tf.identity)


def training(logits, labels):
    """The loss, and one step of momentum at a rate that falls in stairs."""
    with tf.name_scope("loss"):
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(entropy) + 1e-3 * tf.add_n(tf.get_collection("decay"))
    global_step = tf.Variable(0, trainable=False, name="global_step")
    rate = tf.train.exponential_decay(0.1, global_step, 20, 0.8, staircase=True)
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("learning_rate", rate)
    train = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True).minimize(
        loss, global_step=global_step
    )
    return loss, train, global_step


def save_and_restore(sess, saver, folder, global_step):
    """Write a checkpoint, lose all values, and come back."""
    path = saver.save(sess, folder + "/model.ckpt", global_step=global_step)
    sess.run(tf.global_variables_initializer())
    assert path == tf.train.latest_checkpoint(folder)
    saver.restore(sess, path)


def main(steps=50):
    """Train; returns the losses and the variables by name."""
    tf.reset_default_graph()
    tf.set_random_seed(1234)
    rng = np.random.RandomState(2)
    pictures, classes = make_pictures(rng, 160)

    x = tf.placeholder(tf.float32, shape=(None, PIXELS), name="x")
    labels = tf.placeholder(tf.int64, shape=(None,), name="labels")
    keep_prob = tf.placeholder_with_default(1.0, shape=(), name="keep_prob")
    logits = network(x, keep_prob)
    loss, train, global_step = training(logits, labels)
    correct = tf.nn.in_top_k(logits, labels, 1)
    accuracy = tf.reduce_mean(tf.to_float(correct))
    summaries = tf.summary.merge_all()
    saver = tf.train.Saver(max_to_keep=2)

    losses = []
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        writer = tf.summary.FileWriter(folder, sess.graph)
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            pick = rng.choice(len(pictures), BATCH, replace=False)
            feed = {x: pictures[pick], labels: classes[pick], keep_prob: 0.8}
            _, value = sess.run([train, loss], feed_dict=feed)
            losses.append(value)
            if step % 10 == 0:
                writer.add_summary(sess.run(summaries, feed_dict={**feed, keep_prob: 1.0}), step)
                print(f"step {step}: loss {value:.4f}")
            if step == steps // 2:
                save_and_restore(sess, saver, folder, global_step)
        writer.close()
        print("accuracy", sess.run(accuracy, {x: pictures, labels: classes}))
        variables = tf.global_variables()
        values = sess.run(variables)
    return losses, {v.name: value for v, value in zip(variables, values)}


if __name__ == "__main__":
    main()
