"""A generative adversarial network: two optimizers, each over the variables of its own scope.

The discriminator is built twice over the same variables, for real and for generated points.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

NOISE, HIDDEN, BATCH = 4, 16, 16


def real_points(rng, count):
    """Points near a circle."""
    angle = rng.uniform(0.0, 2 * np.pi, count)
    radius = 1.0 + 0.05 * rng.randn(count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)


def generator(z, is_training, reuse=False):
    with tf.variable_scope("generator", reuse=reuse):
        net = tf.layers.dense(z, HIDDEN, use_bias=False)
        net = tf.nn.relu(tf.layers.batch_normalization(net, training=is_training))
        return tf.layers.dense(net, 2, name="point")


def discriminator(points, reuse=False):
    with tf.variable_scope("discriminator", reuse=reuse):
        net = tf.nn.leaky_relu(tf.layers.dense(points, HIDDEN), alpha=0.1)
        net = tf.nn.leaky_relu(tf.layers.dense(net, HIDDEN), alpha=0.1)
        return tf.layers.dense(net, 1)


def adversarial_losses(real, fake):
    """The losses of the discriminator and of the generator, from both sets of logits."""
    cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits
    for_real = tf.reduce_mean(cross_entropy(logits=real, labels=tf.ones_like(real)))
    for_fake = tf.reduce_mean(cross_entropy(logits=fake, labels=tf.zeros_like(fake)))
    fooled = tf.reduce_mean(cross_entropy(logits=fake, labels=tf.ones_like(fake)))
    return for_real + for_fake, fooled


def training_steps(d_loss, g_loss):
    """One step for each of the two, and nothing that moves the other's variables."""
    d_variables = [v for v in tf.trainable_variables() if v.name.startswith("discriminator")]
    g_variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="generator")
    d_step = tf.train.AdamOptimizer(0.005, beta1=0.5, name="AdamD").minimize(
        d_loss, var_list=d_variables
    )
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope="generator")):
        g_step = tf.train.AdamOptimizer(0.005, beta1=0.5, name="AdamG").minimize(
            g_loss, var_list=g_variables
        )
    return d_step, g_step


def main(steps=50):
    """Train; returns the generator's losses, the variables by name and some generated points."""
    tf.reset_default_graph()
    tf.set_random_seed(5)
    rng = np.random.RandomState(9)

    z = tf.placeholder(tf.float32, [None, NOISE], name="z")
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    generated = generator(z, is_training=True)
    real, fake = discriminator(x), discriminator(generated, reuse=True)
    d_loss, g_loss = adversarial_losses(real, fake)
    d_step, g_step = training_steps(d_loss, g_loss)
    sampled = generator(z, is_training=False, reuse=True)

    losses, d_losses = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            noise = rng.uniform(-1.0, 1.0, [BATCH, NOISE])
            _, d_value = sess.run([d_step, d_loss], {x: real_points(rng, BATCH), z: noise})
            _, g_value = sess.run([g_step, g_loss], {z: noise})
            losses.append(g_value)
            d_losses.append(d_value)
            if step % 10 == 0:
                print(f"step {step}: discriminator {d_value:.4f}, generator {g_value:.4f}")
        points = sess.run(sampled, {z: rng.uniform(-1.0, 1.0, [8, NOISE])})
        print("radii", np.linalg.norm(points, axis=1))
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results.update(points=points, discriminator_losses=np.array(d_losses))
    return losses, results


if __name__ == "__main__":
    main()
