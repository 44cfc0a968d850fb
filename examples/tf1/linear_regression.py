"""Linear regression: a line by gradient descent, then a plane with a ridge penalty.

The placeholders have no fixed length, so the same graph takes single examples, batches and the
whole data set.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

LEARNING_RATE = 0.1
RIDGE = 0.01
BATCH = 16


def make_data(rng, examples=120):
    """House prices in disguise: area, age and distance to the next town, and noise."""
    features = rng.uniform(-1.0, 1.0, [examples, 3]).astype(np.float32)
    prices = features.dot([1.5, -0.8, -0.4]) + 0.3 + 0.05 * rng.randn(examples)
    return features, prices.astype(np.float32)


def line(x, y, rng):
    """One feature, one weight, one bias, and the sum of squares written out."""
    weight = tf.Variable(rng.randn(), name="weight")
    bias = tf.Variable(rng.randn(), name="bias")
    prediction = tf.add(tf.multiply(x, weight), bias)
    count = tf.cast(tf.shape(x)[0], tf.float32)
    cost = tf.reduce_sum(tf.pow(prediction - y, 2)) / (2 * count)
    return cost, tf.train.GradientDescentOptimizer(LEARNING_RATE).minimize(cost)


def plane(x, y):
    """All features; the penalty goes through the collection of regularization losses."""
    with tf.variable_scope("plane", regularizer=lambda w: RIDGE * tf.nn.l2_loss(w)):
        weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
        bias = tf.get_variable(
            "bias", [1], initializer=tf.constant_initializer(0.1), regularizer=None
        )
    prediction = tf.squeeze(tf.matmul(x, weights) + bias, axis=1, name="prediction")
    cost = tf.reduce_mean(tf.square(prediction - y))
    cost += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    return prediction, cost, tf.train.MomentumOptimizer(LEARNING_RATE, 0.5).minimize(cost)


def main(steps=50):
    """Train; returns the losses and the variables by name."""
    tf.reset_default_graph()
    rng = np.random.RandomState(0)
    features, prices = make_data(rng)

    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    print("features", x.shape, "prices", y.get_shape().as_list())
    line_cost, line_step = line(x[:, 0], y, rng)
    prediction, plane_cost, plane_step = plane(x, y)
    total = tf.reduce_sum(tf.square(y - tf.reduce_mean(y)))
    explained = 1.0 - tf.reduce_sum(tf.square(y - prediction)) / total

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            for one, price in zip(features[:5], prices[:5]):
                sess.run(line_step, feed_dict={x: [one], y: [price]})
            start = step * BATCH % len(features)
            batch = {x: features[start : start + BATCH], y: prices[start : start + BATCH]}
            _, first, second = sess.run([plane_step, line_cost, plane_cost], feed_dict=batch)
            losses.append(first + second)
            if step % 10 == 0:
                print(f"step {step}: line {first:.4f}, plane {second:.4f}")
        print("R^2", sess.run(explained, {x: features, y: prices}))
        variables = tf.global_variables()
        values = sess.run(variables)
    return losses, {v.name: value for v, value in zip(variables, values)}


if __name__ == "__main__":
    main()
