"""Classify sets of measurements: a module with attention over those that were really made."""

import jax
import jax.numpy as jnp
import shims

WIDTH = 8
CLASSES = 3


class Dense(shims.Module):
    """A layer of a network."""

    def __init__(self, inputs, outputs, seed, name=None):
        super().__init__(name=name)
        start = shims.random.stateless_uniform([inputs, outputs], [seed, 0], -0.5, 0.5)
        self.kernel = shims.Variable(start, name="kernel")
        self.bias = shims.Variable(jnp.zeros([outputs], dtype=jnp.float32), name="bias")

    def __call__(self, x):
        return jnp.tensordot(x, self.kernel, 1) + self.bias


class Norm(shims.Module):
    """A normalization of the last axis."""

    def __init__(self, size, name=None):
        super().__init__(name=name)
        self.scale = shims.Variable(jnp.ones([size], dtype=jnp.float32), name="scale")
        self.offset = shims.Variable(jnp.zeros([size], dtype=jnp.float32), name="offset")

    def __call__(self, x):
        mean, variance = shims.nn.moments(x, axes=[-1], keepdims=True)
        return shims.nn.batch_normalization(x, mean, variance, self.offset, self.scale, 1e-3)


class Classifier(shims.Module):
    """Scores of classes for each set; -inf stands for a measurement that was not made."""

    def __init__(self):
        super().__init__()
        self.embed = Dense(4, WIDTH, 1)
        self.norm = Norm(WIDTH)
        self.query = Dense(WIDTH, 1, 2)
        self.scores = Dense(WIDTH, CLASSES, 3)

    def __call__(self, sets, made):
        x = self.norm(jax.nn.gelu(self.embed(sets), approximate=False))
        weight = jnp.squeeze(self.query(x), axis=-1)
        weight = jax.nn.softmax(jnp.where(made, weight, jnp.finfo(weight.dtype).min), axis=1)
        return self.scores(jnp.sum(x * weight[:, :, None], axis=1))


def loss_of(scores, labels):
    """Return the mean loss of the sets with a label; -1 stands for none."""
    known = labels >= 0
    losses = shims.nn.sparse_softmax_cross_entropy_with_logits(
        labels=shims.boolean_mask(labels, known), logits=shims.boolean_mask(scores, known)
    )
    return shims.reduce_mean(losses)


model = Classifier()


def loss(sets, made, labels):
    """Return the mean loss of a batch."""
    return loss_of(model(sets, made), labels)


def train(batches):
    """Train the model, and return the loss of every step."""
    optimizer = shims.optax.Optimizer(shims.optax.sgd(0.1, momentum=0.9))
    losses = []
    for batch in batches:
        with shims.GradientTape() as tape:
            value = loss(*batch)
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        losses.append(float(value))
    return losses
