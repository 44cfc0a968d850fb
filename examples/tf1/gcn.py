"""A graph convolutional network for nodes of which only a few have a known class.

Features and the normalized adjacency are sparse placeholders; loss and accuracy are masked means,
and the weights of the first layer are kept small.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

NODES, FEATURES, HIDDEN, CLASSES = 48, 20, 8, 3
WEIGHT_DECAY = 5e-3


def make_graph(rng):
    """Edges mostly within classes, sparse features that hint at the class, a mask for training."""
    labels = rng.randint(CLASSES, size=NODES)
    same = labels[:, None] == labels[None, :]
    edges = rng.rand(NODES, NODES) < np.where(same, 0.2, 0.02)
    adjacency = (edges | edges.T | np.eye(NODES, dtype=bool)).astype(np.float32)
    scale = 1.0 / np.sqrt(adjacency.sum(1))
    adjacency *= scale[:, None] * scale[None, :]
    hint = (np.arange(FEATURES) % CLASSES)[None, :] == labels[:, None]
    features = (rng.rand(NODES, FEATURES) < np.where(hint, 0.35, 0.1)).astype(np.float32)
    features[:, 0] += 0.1
    return adjacency, features, np.eye(CLASSES)[labels], rng.rand(NODES) < 0.4


def sparse_tuple(matrix):
    """What a sparse placeholder is fed with: indices, values and the dense shape."""
    indices = np.argwhere(matrix)
    return indices, matrix[tuple(indices.T)], matrix.shape


def glorot(shape, seed, name):
    bound = np.sqrt(6.0 / sum(shape))
    initial = tf.random_uniform(shape, minval=-bound, maxval=bound, dtype=tf.float32, seed=seed)
    return tf.Variable(initial, name=name)


def sparse_dropout(x, keep_prob, count):
    """Keep each stored value with a probability, and scale what is kept."""
    kept = tf.floor(keep_prob + tf.random_uniform(count, seed=63))
    retained = tf.sparse_retain(x, tf.cast(kept, dtype=tf.bool))
    return retained * (1.0 / keep_prob)


class GraphConvolution:
    """`activation(support . (x . weights))`, where `x` may be sparse."""

    def __init__(self, size_in, size_out, seed, name, activation=None):
        self.activation = activation
        with tf.variable_scope(name + "_vars"):
            self.weights = glorot([size_in, size_out], seed, "weights")

    def __call__(self, x, support):
        if isinstance(x, tf.SparseTensor):
            net = tf.sparse_tensor_dense_matmul(x, self.weights)
        else:
            net = tf.matmul(x, self.weights)
        net = tf.sparse_tensor_dense_matmul(support, net)
        return net if self.activation is None else self.activation(net)


def masked_mean(values, mask):
    mask = tf.cast(mask, dtype=tf.float32)
    mask /= tf.reduce_mean(mask)
    return tf.reduce_mean(values * mask)


def main(steps=50):
    """Train; returns the losses, the variables by name and the classes that were predicted."""
    tf.reset_default_graph()
    rng = np.random.RandomState(11)
    adjacency, inputs, classes, train_mask = make_graph(rng)

    support = tf.sparse_placeholder(tf.float32, name="support")
    features = tf.sparse_placeholder(tf.float32, shape=[NODES, FEATURES], name="features")
    stored = tf.placeholder(tf.int32, [None], name="stored")
    labels = tf.placeholder(tf.float32, [None, CLASSES], name="labels")
    mask = tf.placeholder(tf.int32, name="mask")
    keep_prob = tf.placeholder_with_default(1.0, shape=(), name="keep_prob")

    first = GraphConvolution(FEATURES, HIDDEN, 61, "graphconvolution_1", tf.nn.relu)
    second = GraphConvolution(HIDDEN, CLASSES, 62, "graphconvolution_2")
    hidden = first(sparse_dropout(features, keep_prob, stored), support)
    outputs = second(hidden, support)
    entropy = tf.nn.softmax_cross_entropy_with_logits_v2(logits=outputs, labels=labels)
    loss = WEIGHT_DECAY * tf.nn.l2_loss(first.weights) + masked_mean(entropy, mask)
    train = tf.train.AdamOptimizer(learning_rate=0.03).minimize(loss)
    predicted = tf.argmax(outputs, 1)
    hits = tf.cast(tf.equal(predicted, tf.argmax(labels, 1)), tf.float32)
    accuracy = masked_mean(hits, mask)

    sparse_features = sparse_tuple(inputs)
    feed = {support: sparse_tuple(adjacency), features: tf.SparseTensorValue(*sparse_features)}
    feed.update({labels: classes, stored: [len(sparse_features[1])]})
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            training = {**feed, mask: train_mask, keep_prob: 0.7}
            _, value = sess.run([train, loss], feed_dict=training)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}")
        guess, share = sess.run([predicted, accuracy], feed_dict={**feed, mask: ~train_mask})
        print("accuracy of the other nodes", share)
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results["predicted"] = guess
    return losses, results


if __name__ == "__main__":
    main()
