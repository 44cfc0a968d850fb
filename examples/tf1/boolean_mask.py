"""What is kept depends on the data: a graph with a mask, its shapes and its gradients.

Each example is a set of points of which some are missing (NaN). The mask takes them out, so the
number of rows is known at run time only; a model of the distance to a center is fitted to the rest.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

DIMENSIONS, BATCH = 3, 20


def question():
    """The snippet as people post it: the shape of a masked tensor and what has a gradient."""
    x = tf.placeholder(tf.float32, shape=[None])
    keep = tf.placeholder(tf.bool, shape=[None])
    y = tf.boolean_mask(x, keep)
    print(y.shape)
    gradients = tf.gradients(y, [x, keep])
    print(tuple(g if g is None else "not None" for g in gradients))
    with tf.Session() as sess:
        values, gradient = sess.run(
            [y, gradients[0]],
            feed_dict={x: [1.0, 2.0, 3.0, 4.0, 5.0], keep: [True, False, True, True, False]},
        )
    print(values, gradient)
    return values, gradient


def make_points(rng):
    """Points around a center; one coordinate in ten is missing."""
    points = rng.randn(BATCH, DIMENSIONS) * [1.0, 0.5, 2.0] + [1.0, -1.0, 0.5]
    points[rng.rand(BATCH, DIMENSIONS) < 0.1] = np.nan
    return points.astype(np.float32)


def build(points):
    """The mean negative likelihood of the complete points, and what else is worth to know."""
    complete = tf.reduce_all(tf.logical_not(tf.is_nan(points)), axis=1)
    rows = tf.boolean_mask(points, complete)
    assert rows.shape.as_list() == [None, DIMENSIONS]
    center = tf.get_variable("center", [DIMENSIONS], initializer=tf.zeros_initializer())
    log_scale = tf.get_variable("log_scale", [DIMENSIONS], initializer=tf.ones_initializer())
    distances = tf.square((rows - center) / tf.exp(log_scale))
    likelihood = -0.5 * tf.reduce_sum(distances, 1) - tf.reduce_sum(log_scale)
    loss = tf.negative(tf.reduce_mean(likelihood), name="loss")
    far = tf.where(tf.reduce_sum(distances, axis=1) > 4.0)
    distinct, _ = tf.unique(tf.cast(tf.round(rows[:, 0]), tf.int32))
    return loss, rows, far, distinct


def main(steps=50):
    """Fit; returns the losses, the variables by name and the results of unknown length."""
    tf.reset_default_graph()
    kept, gradient = question()
    rng = np.random.RandomState(13)

    tf.reset_default_graph()
    points = tf.placeholder(tf.float32, [None, DIMENSIONS], name="points")
    loss, rows, far, distinct = build(points)
    optimizer = tf.train.AdadeltaOptimizer(learning_rate=1.0, rho=0.9, epsilon=1e-2)
    gradients = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(gradients)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            feed = {points: make_points(rng)}
            _, value, complete, farthest = sess.run([train, "loss:0", rows, far], feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}, {len(complete)} rows, far {farthest[:, 0]}")
        last = sess.run({"rows": rows, "far": far, "distinct": distinct}, feed)
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results.update(last, kept=kept, gradient=gradient)
    return losses, results


if __name__ == "__main__":
    main()
