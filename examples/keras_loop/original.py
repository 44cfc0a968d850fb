"""Train a tagger of sensor readings with a loop of its own; readings without a label count nowhere."""

import tensorflow as tf
from tensorflow import keras

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
    known = tf.not_equal(tags, UNKNOWN)
    scores, tags = tf.boolean_mask(scores, known), tf.boolean_mask(tags, known)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tags, logits=scores)
    right = tf.equal(tf.argmax(scores, axis=1, output_type=tf.int32), tags)
    return tf.reduce_mean(losses), tf.reduce_mean(tf.cast(right, tf.float32))


class Trainer:
    """A model, its optimizer, and one step of training."""

    def __init__(self, model):
        self.model = model
        rate = keras.optimizers.schedules.ExponentialDecay(0.05, decay_steps=4, decay_rate=0.5)
        self.optimizer = keras.optimizers.Adam(rate)
        self.optimizer.build(model.trainable_variables)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, 3], tf.float32),
            tf.TensorSpec([None, None], tf.int32),
        ]
    )
    def step(self, readings, tags):
        """Make one step, and return the loss and the share that is right."""
        weights = self.model.trainable_variables
        with tf.GradientTape() as tape:
            loss, right = masked_loss(self.model(readings, training=True), tags)
            total = loss + tf.add_n(self.model.losses)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(total, weights), 1.0)
        self.optimizer.apply_gradients(zip(gradients, weights))
        return loss, right


def train(model, batches):
    """Train the model, and return the loss of every step."""
    trainer = Trainer(model)
    return [float(trainer.step(readings, tags)[0]) for readings, tags in batches]
