"""Restore checkpoints that Keras 2 wrote into models of Keras 3, which names some variables differently."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from tests.harness.keras_on_jax import ROOT

KERNELS = [
    np.arange(12.0, dtype=np.float32).reshape(3, 4),
    np.arange(8.0, dtype=np.float32).reshape(4, 2) - 3,
]


def _saved(kernel):
    """Return an object with the names of a `Dense` layer of Keras 2."""
    layer = tf.Module()
    layer.kernel, layer.bias = tf.Variable(kernel), tf.Variable(kernel[0])
    return layer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    subclass, functional = tf.Module(), tf.Module()
    subclass.first, subclass.blocks = _saved(KERNELS[0]), [_saved(KERNELS[1])]
    for at, kernel in enumerate(KERNELS):
        setattr(functional, f"layer_with_weights-{at}", _saved(kernel))
    found = tmp_path_factory.mktemp("keras_2")
    tf.train.Checkpoint(model=subclass).write(str(found / "subclass"))
    tf.train.Checkpoint(model=functional).write(str(found / "functional"))
    return found


PROGRAM = """
import keras, numpy as np, shims

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.blocks = keras.layers.Dense(4), [keras.layers.Dense(2)]

    def call(self, x):
        return self.blocks[0](self.first(x))

given = keras.Input((3,))
functional = keras.Model(given, keras.layers.Dense(2)(keras.layers.ReLU()(keras.layers.Dense(4)(given))))
built, late = Net(), Net()
built(np.ones((1, 3), np.float32))
for name, model in (("subclass", built), ("subclass", late), ("functional", functional)):
    status = shims.train.Checkpoint(model=model).read(f"FOLDER/{name}")
    model(np.ones((1, 3), np.float32))
    status.assert_existing_objects_matched()
    first, bias, second, other = model.get_weights()
    np.testing.assert_array_equal(first, np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(second, np.arange(8.0).reshape(4, 2) - 3)
    np.testing.assert_array_equal(bias, first[0])
    np.testing.assert_array_equal(other, second[0])
"""


def test_models_get_all_weights(folder):
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("FOLDER", str(folder))],
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stderr
