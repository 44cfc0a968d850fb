"""Save and restore Keras models, in a process for each back end, of which Keras has one per process.

Run as a program with `theirs FOLDER`, it saves models with TensorFlow; with `ours FOLDER` it restores them
here, built before and after that, and writes them again.
"""

import os
import sys

import numpy as np


def objects(tf, keras, built=True):
    """Build layers, models and optimizers; a call without `built` leaves out what the first call makes."""

    class Net(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.norm = keras.layers.Dense(5), keras.layers.BatchNormalization()
            self.drop, self.scale = keras.layers.Dropout(0.5), tf.Variable(1.0)

        def call(self, x):
            return self.drop(self.norm(self.first(x)))

    given = keras.Input((3,))
    functional = keras.Model(given, keras.layers.Dense(2)(keras.layers.Dense(4)(given)))
    found = {
        "net": Net(),
        "sequential": keras.Sequential([keras.layers.Dense(2), keras.layers.Dropout(0.5)]),
        "functional": functional,
        "recurrent": keras.Sequential(
            [keras.layers.Embedding(7, 3), keras.layers.Bidirectional(keras.layers.LSTM(2))]
        ),
        "adam": keras.optimizers.Adam(0.1),
        "sgd": keras.optimizers.SGD(
            keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5), momentum=0.9
        ),
    }
    if built:
        build(found)
    return found


def build(found):
    """Create the variables of all objects."""
    found["net"](np.ones((1, 3), np.float32))
    found["sequential"].build((None, 3))
    found["recurrent"](np.ones((1, 4), np.int32))
    found["adam"].build(found["net"].trainable_variables)
    found["sgd"].build(found["functional"].trainable_variables)


def fill(found):
    """Give each variable a value of its own."""
    numbers = np.random.default_rng(0)
    for owner in found.values():
        for variable in owner.variables:
            variable.assign((numbers.random(variable.shape) * 9).astype(variable.dtype))


def save_theirs(folder):
    """Save objects with TensorFlow."""
    os.environ["KERAS_BACKEND"] = "tensorflow"
    import tensorflow as tf

    made = objects(tf, tf.keras)
    fill(made)
    tf.train.Checkpoint(**made).save(f"{folder}/theirs")


def restore_here(folder):
    """Restore the objects that TensorFlow saved, and write them again."""
    import shims

    for built in (True, False):
        found = objects(shims, shims.keras, built)
        checkpoint = shims.train.Checkpoint(**found)
        status = checkpoint.restore(f"{folder}/theirs-1")
        if not built:
            build(found)
        status.assert_consumed()
        checkpoint.write(f"{folder}/built_{'before' if built else 'after'}")
    fit_builds_the_model(shims, folder)


def fit_builds_the_model(shims, folder):
    """Restore a model whose variables `fit` creates."""

    def model():
        made = shims.keras.Sequential([shims.keras.layers.Dense(2), shims.keras.layers.Dense(1)])
        made.compile(shims.keras.optimizers.SGD(0.0), "mse")
        return made

    x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)
    first, second = model(), model()
    first.fit(x, y, verbose=0)
    path = shims.train.Checkpoint(model=first).save(f"{folder}/fit")
    status = shims.train.Checkpoint(model=second).restore(path).expect_partial()
    second.fit(x, y, verbose=0)
    status.assert_existing_objects_matched()
    for ours, expected in zip(second.get_weights(), first.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, expected)


if __name__ == "__main__":
    {"theirs": save_theirs, "ours": restore_here}[sys.argv[1]](sys.argv[2])
