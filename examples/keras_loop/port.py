"""Train a tagger of sensor readings with a loop of its own; readings without a label count nowhere."""

import jax.numpy as jnp
import shims
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
    known = jnp.not_equal(tags, UNKNOWN)
    scores, tags = shims.boolean_mask(scores, known), shims.boolean_mask(tags, known)
    losses = shims.nn.sparse_softmax_cross_entropy_with_logits(labels=tags, logits=scores)
    right = jnp.equal(shims.argmax(scores, axis=1, output_type=jnp.int32), tags)
    return jnp.mean(losses), jnp.mean(right.astype(jnp.float32))


class Trainer:
    """A model, its optimizer, and one step of training."""

    def __init__(self, model):
        self.model = model
        rate = keras.optimizers.schedules.ExponentialDecay(0.05, decay_steps=4, decay_rate=0.5)
        self.optimizer = keras.optimizers.Adam(rate)
        self.optimizer.build(model.trainable_variables)

    @shims.function(
        input_signature=[
            shims.TensorSpec([None, None, 3], jnp.float32),
            shims.TensorSpec([None, None], jnp.int32),
        ]
    )
    def step(self, readings, tags):
        """Make one step, and return the loss and the share that is right."""
        weights = self.model.trainable_variables
        with shims.GradientTape() as tape:
            loss, right = masked_loss(self.model(readings, training=True), tags)
            total = loss + shims.add_n(self.model.losses)
        gradients, _ = shims.clip_by_global_norm(tape.gradient(total, weights), 1.0)
        self.optimizer.apply_gradients(zip(gradients, weights))
        return loss, right


def train(model, batches):
    """Train the model, and return the loss of every step."""
    trainer = Trainer(model)
    return [float(trainer.step(readings, tags)[0]) for readings, tags in batches]
