"""Restore checkpoints that Keras 2 wrote into models of Keras 3, which names some variables differently."""

import os
import re
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


SLOTS = """
import keras, numpy as np, shims

def build_model():
    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])

path = "FOLDER/slots"
PAGE
assert int(model.optimizer.iterations) == 3
np.testing.assert_array_equal(model.get_weights()[0], np.arange(6.0).reshape(3, 2))
for value, slot in zip([2.0, 3.0, 4.0, 5.0], model.optimizer.variables[2:], strict=True):
    np.testing.assert_array_equal(slot, np.full(slot.shape, value))
"""


def test_the_slots_of_an_optimizer(tmp_path):
    """Run the program of the page on a checkpoint with the names that Keras 2 writes for `legacy.Adam`."""
    model = tf.Module()
    layer = tf.Module()
    layer.kernel = tf.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2))
    layer.bias = tf.Variable(np.zeros(2, np.float32))
    setattr(model, "layer_with_weights-0", layer)
    slots = tf.Module()
    slots.m, slots.v = tf.Variable(tf.fill([3, 2], 2.0)), tf.Variable(tf.fill([3, 2], 3.0))
    others = tf.Module()
    others.m, others.v = tf.Variable(tf.fill([2], 4.0)), tf.Variable(tf.fill([2], 5.0))
    optimizer = tf.Module()
    optimizer.iter = tf.Variable(3, dtype=tf.int64)
    written = tf.train.Checkpoint(model=model, optimizer=optimizer, kernel=slots, bias=others)
    path = written.write(str(tmp_path / "made"))
    reader = tf.train.load_checkpoint(path)
    names = list(reader.get_variable_to_shape_map())
    place = "model/layer_with_weights-0/{}/.OPTIMIZER_SLOT/optimizer/{}/"
    as_keras_2 = [
        re.sub(r"^(kernel|bias)/(m|v)/", lambda m: place.format(m[1], m[2]), name) for name in names
    ]
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "slots"),
        tensor_names=as_keras_2,
        shape_and_slices=[""] * len(names),
        tensors=[reader.get_tensor(name) for name in names],
    )
    page = (ROOT / "docs/checkpoints.md").read_text()
    (program,) = re.findall(r"```py\n(END = .*?)```", page, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-c", SLOTS.replace("FOLDER", str(tmp_path)).replace("PAGE", program)],
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stderr
