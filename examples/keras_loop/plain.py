"""Train a tagger of sensor readings with a loop of its own; readings without a label count nowhere."""

import jax
import jax.numpy as jnp
import keras

UNKNOWN = -1
TAGS = 4


def tagger():
    """Return a model that says for each reading what the wearer of the sensor does."""
    readings = keras.Input((None, 3))
    x = keras.layers.Conv1D(8, 3, padding="same", activation="relu")(readings)
    x = keras.layers.BatchNormalization(momentum=0.9)(x)
    scores = keras.layers.Dense(TAGS, kernel_regularizer=keras.regularizers.L2(0.01))(x)
    return keras.Model(readings, scores)


def masked_loss(scores, tags):
    """Return the mean loss of the readings with a tag, and the share that is right."""
    known = tags != UNKNOWN
    picked = jnp.take_along_axis(jax.nn.log_softmax(scores), tags[..., None], axis=-1)[..., 0]
    right = jnp.argmax(scores, axis=-1) == tags
    return -jnp.mean(picked, where=known), jnp.mean(right, where=known)


def clipped(gradients, limit):
    """Return the gradients, scaled so that their common norm is at most the limit."""
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
    return [g * limit / jnp.maximum(norm, limit) for g in gradients]


class Trainer:
    """A model, its optimizer, and one step of training."""

    def __init__(self, model):
        self.model = model
        rate = keras.optimizers.schedules.ExponentialDecay(0.05, decay_steps=4, decay_rate=0.5)
        self.optimizer = keras.optimizers.Adam(rate)
        self.optimizer.build(model.trainable_variables)
        self.update = jax.jit(self.updated)

    def loss(self, weights, others, readings, tags):
        """Return what the gradient is of, and what a step gives beside it."""
        scores, others, penalties = self.model.stateless_call(
            weights, others, readings, training=True, return_losses=True
        )
        loss, right = masked_loss(scores, tags)
        return loss + sum(penalties), (loss, right, others)

    def updated(self, state, readings, tags):
        """Return the values of all variables after a step, and the loss and the share."""
        weights, others, slots = state
        gradients, (loss, right, others) = jax.grad(self.loss, has_aux=True)(
            weights, others, readings, tags
        )
        weights, slots = self.optimizer.stateless_apply(slots, clipped(gradients, 1.0), weights)
        return (weights, others, slots), (loss, right)

    def step(self, readings, tags):
        """Make one step, and return the loss and the share that is right."""
        model, slots = self.model, self.optimizer.variables
        variables = [model.trainable_variables, model.non_trainable_variables, slots]
        state = [[variable.value for variable in group] for group in variables]
        state, result = self.update(state, readings, tags)
        for group, values in zip(variables, state, strict=True):
            for variable, value in zip(group, values, strict=True):
                variable.assign(value)
        return result


def train(model, batches):
    """Train the model, and return the loss of every step."""
    trainer = Trainer(model)
    return [float(trainer.step(readings, tags)[0]) for readings, tags in batches]
