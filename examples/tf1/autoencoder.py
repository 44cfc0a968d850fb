"""A variational autoencoder: codes are drawn inside the graph, and the decoder is used twice.

The second use shares the variables of the first and turns given codes into pictures. All random
numbers, initial values and codes alike, come from the seed of the graph.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

PIXELS, HIDDEN, CODE, BATCH = 36, 20, 2, 16


def make_pictures(rng, examples):
    """Soft spots at random places of a 6 x 6 picture."""
    ys, xs = np.mgrid[:6, :6]
    centers = rng.uniform(1.0, 4.0, [examples, 2, 1, 1])
    squares = (ys - centers[:, 0]) ** 2 + (xs - centers[:, 1]) ** 2
    return np.exp(-squares / 3.0).reshape(examples, PIXELS).astype(np.float32)


def dense(inputs, units, name, activation=None):
    """A fully connected layer out of `get_variable`, so that it can be used again."""
    with tf.variable_scope(name):
        size = inputs.get_shape().as_list()[-1]
        bound = np.sqrt(6.0 / (size + units))
        kernel = tf.get_variable(
            "kernel", [size, units], initializer=tf.random_uniform_initializer(-bound, bound)
        )
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer)
        outputs = tf.matmul(inputs, kernel) + bias
        return outputs if activation is None else activation(outputs)


def encoder(pictures):
    """Mean and logarithm of the variance of each picture's code."""
    with tf.variable_scope("encoder"):
        hidden = dense(pictures, HIDDEN, "hidden", tf.nn.tanh)
        mean, log_variance = tf.split(dense(hidden, 2 * CODE, "code"), 2, axis=1)
        return mean, log_variance


def decoder(codes, reuse=None):
    """The logits of each pixel."""
    with tf.variable_scope("decoder", reuse=reuse):
        hidden = dense(codes, HIDDEN, "hidden", tf.nn.tanh)
        return dense(hidden, PIXELS, "pixels")


def build(pictures):
    """The negative lower bound, its two parts and the training step."""
    mean, log_variance = encoder(pictures)
    noise = tf.random_normal(tf.shape(mean), dtype=tf.float32)
    codes = tf.add(mean, tf.exp(log_variance / 2) * noise, name="codes")
    logits = decoder(codes)
    pixels = tf.nn.sigmoid_cross_entropy_with_logits(labels=pictures, logits=logits)
    reconstruction = tf.reduce_mean(tf.reduce_sum(pixels, axis=1))
    divergence = -0.5 * tf.reduce_sum(
        1 + log_variance - tf.square(mean) - tf.exp(log_variance), axis=1
    )
    latent = tf.reduce_mean(divergence)
    loss = reconstruction + latent
    train = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss)
    return loss, (reconstruction, latent), train


def main(steps=50):
    """Train; returns the losses, the variables by name and pictures of a grid of codes."""
    tf.reset_default_graph()
    tf.set_random_seed(77)
    rng = np.random.RandomState(8)
    all_pictures = make_pictures(rng, 128)

    pictures = tf.placeholder(tf.float32, [None, PIXELS], name="pictures")
    loss, parts, train = build(pictures)
    given = tf.placeholder(tf.float32, [None, CODE], name="given")
    painted = tf.nn.sigmoid(decoder(given, reuse=True), name="painted")

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            start = step * BATCH % len(all_pictures)
            feed = {"pictures:0": all_pictures[start : start + BATCH]}
            _, value, (first, second) = sess.run([train, loss, parts], feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: {first:.4f} for the pixels, {second:.4f} for the codes")
        grid = np.array([[a, b] for a in (-1.0, 0.0, 1.0) for b in (-1.0, 0.0, 1.0)])
        images = sess.run(painted, {given: grid})
        names = [v.name for v in tf.global_variables()]
        results = dict(zip(names, sess.run(names)))
    results["painted"] = images
    return losses, results


if __name__ == "__main__":
    main()
