"""A convolutional network with batch normalization, whose averages are updated beside the step.

`tf.layers` makes the variables; the updates of the moving averages wait in a collection, and a
control dependency ties them to the optimizer. All random numbers come from the seed of the graph.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SIDE, CLASSES, BATCH = 12, 4, 12


def make_pictures(rng, examples):
    """Bars: horizontal, vertical and the two diagonals, anywhere in a noisy picture."""
    pictures = 0.2 * rng.randn(examples, SIDE, SIDE, 1)
    labels = rng.randint(CLASSES, size=examples)
    for picture, label in zip(pictures, labels):
        row, column = rng.randint(2, SIDE - 6, size=2)
        for i in range(5):
            down, right = ((0, 1), (1, 0), (1, 1), (1, -1))[label]
            picture[row + down * i, (column + (4 if right < 0 else 0) + right * i), 0] += 1.0
    return pictures.astype(np.float32), labels.astype(np.int32)


def l2(weights):
    return 1e-3 * tf.nn.l2_loss(weights)


def block(inputs, filters, training, name):
    """Convolution, normalization, rectifier, pooling."""
    with tf.variable_scope(name):
        net = tf.layers.conv2d(
            inputs, filters, 3, padding="same", use_bias=False, kernel_regularizer=l2
        )
        net = tf.layers.batch_normalization(net, momentum=0.9, training=training)
        net = tf.nn.relu(net)
        return tf.layers.max_pooling2d(net, pool_size=2, strides=2)


def model(images, training):
    net = block(images, 6, training, "block1")
    net = block(net, 8, training, "block2")
    net = tf.layers.flatten(net)
    net = tf.layers.dense(net, 16, activation=tf.nn.relu, kernel_regularizer=l2, name="fc")
    net = tf.layers.dropout(net, rate=0.2, training=training)
    return tf.layers.dense(net, CLASSES, name="logits")


def train_operation(labels, logits):
    """The sum of all losses, and a step of Adam that takes the averages along."""
    tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    loss = tf.losses.get_total_loss()
    global_step = tf.train.get_or_create_global_step()
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
        train = tf.train.AdamOptimizer(0.01, epsilon=1e-3).minimize(loss, global_step=global_step)
    return loss, train


def main(steps=50):
    """Train; returns the losses, the variables by name and how many pictures were recognized."""
    tf.reset_default_graph()
    tf.set_random_seed(42)
    rng = np.random.RandomState(3)
    pictures, classes = make_pictures(rng, 120)

    images = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1], name="images")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    training = tf.placeholder(tf.bool, [], name="training")
    logits = model(images, training)
    loss, train = train_operation(labels, logits)
    predictions = tf.argmax(logits, axis=1, output_type=tf.int32)
    correct = tf.reduce_sum(tf.cast(tf.equal(predictions, labels), tf.int32))

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            pick = rng.choice(len(pictures), BATCH, replace=False)
            feed = {images: pictures[pick], labels: classes[pick], training: True}
            _, value = sess.run([train, loss], feed_dict=feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}")
        # The averages of the batches replace their own moments.
        recognized = sess.run(correct, {images: pictures, labels: classes, training: False})
        print(f"{recognized} of {len(pictures)} recognized")
        variables = tf.global_variables()
        results = {v.name: value for v, value in zip(variables, sess.run(variables))}
    results["recognized"] = recognized
    return losses, results


if __name__ == "__main__":
    main()
