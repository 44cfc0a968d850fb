"""Classify sets of measurements: a module with attention over those that were really made."""

import tensorflow as tf

WIDTH = 8
CLASSES = 3


class Dense(tf.Module):
    """A layer of a network."""

    def __init__(self, inputs, outputs, seed, name=None):
        super().__init__(name=name)
        start = tf.random.stateless_uniform([inputs, outputs], [seed, 0], -0.5, 0.5)
        self.kernel = tf.Variable(start, name="kernel")
        self.bias = tf.Variable(tf.zeros([outputs]), name="bias")

    def __call__(self, x):
        return tf.tensordot(x, self.kernel, 1) + self.bias


class Norm(tf.Module):
    """A normalization of the last axis."""

    def __init__(self, size, name=None):
        super().__init__(name=name)
        self.scale = tf.Variable(tf.ones([size]), name="scale")
        self.offset = tf.Variable(tf.zeros([size]), name="offset")

    def __call__(self, x):
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, self.offset, self.scale, 1e-3)


class Classifier(tf.Module):
    """Scores of classes for each set; -inf stands for a measurement that was not made."""

    def __init__(self):
        super().__init__()
        self.embed = Dense(4, WIDTH, 1)
        self.norm = Norm(WIDTH)
        self.query = Dense(WIDTH, 1, 2)
        self.scores = Dense(WIDTH, CLASSES, 3)

    def __call__(self, sets, made):
        x = self.norm(tf.nn.gelu(self.embed(sets), approximate=False))
        weight = tf.squeeze(self.query(x), axis=-1)
        weight = tf.nn.softmax(tf.where(made, weight, weight.dtype.min), axis=1)
        return self.scores(tf.reduce_sum(x * weight[:, :, tf.newaxis], axis=1))


def loss_of(scores, labels):
    """Return the mean loss of the sets with a label; -1 stands for none."""
    known = labels >= 0
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.boolean_mask(labels, known), logits=tf.boolean_mask(scores, known)
    )
    return tf.reduce_mean(losses)


model = Classifier()


def loss(sets, made, labels):
    """Return the mean loss of a batch."""
    return loss_of(model(sets, made), labels)


def train(batches):
    """Train the model, and return the loss of every step."""
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    losses = []
    for batch in batches:
        with tf.GradientTape() as tape:
            value = loss(*batch)
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        losses.append(float(value))
    return losses
