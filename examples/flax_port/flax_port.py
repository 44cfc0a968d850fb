"""Classify sets of measurements: a module with attention over those that were really made."""

import jax.numpy as jnp
import optax
from flax import nnx

WIDTH = 8
CLASSES = 3


class Classifier(nnx.Module):
    """Scores of classes for each set."""

    def __init__(self, rngs):
        self.embed = nnx.Linear(4, WIDTH, rngs=rngs)
        self.norm = nnx.LayerNorm(WIDTH, epsilon=1e-3, use_fast_variance=False, rngs=rngs)
        self.query = nnx.Linear(WIDTH, 1, rngs=rngs)
        self.scores = nnx.Linear(WIDTH, CLASSES, rngs=rngs)

    def __call__(self, sets, made):
        x = self.norm(nnx.gelu(self.embed(sets), approximate=False))
        weight = nnx.softmax(self.query(x)[:, :, 0], axis=1, where=made)
        return self.scores(jnp.sum(x * weight[:, :, None], axis=1))


def loss_of(scores, labels):
    """Return the mean loss of the sets with a label; -1 stands for none."""
    losses = optax.softmax_cross_entropy_with_integer_labels(scores, jnp.maximum(labels, 0))
    return jnp.mean(losses, where=labels >= 0)


model = Classifier(nnx.Rngs(0))


def weights():
    """Return the weights of the model as a dictionary of dictionaries."""
    return nnx.to_pure_dict(nnx.state(model, nnx.Param))


def loss(given, sets, made, labels):
    """Return the mean loss of a batch, with the given weights."""
    graph, state = nnx.split(model)
    nnx.replace_by_pure_dict(state, given)
    return loss_of(nnx.merge(graph, state)(sets, made), labels)


@nnx.jit
def step(trained, optimizer, batch):
    """Make one step of training, and return the loss."""
    sets, made, labels = batch
    value, gradients = nnx.value_and_grad(lambda m: loss_of(m(sets, made), labels))(trained)
    optimizer.update(trained, gradients)
    return value


def train(batches):
    """Train the model, and return the loss of every step."""
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    return [float(step(model, optimizer, batch)) for batch in batches]
