"""What depends on numbers that Keras draws from a seed is random, whatever the seed; all else is compared."""

import subprocess
import sys

import pytest

from tf2jax_port.diff.code_bases import prove
from tf2jax_port.diff.code_bases.capture import capture
from tf2jax_port.diff.proofs.judging import judged
from tf2jax_port.diff.proofs.proof import Status

ORIGINAL = """
import tensorflow as tf

class Head(tf.keras.layers.Layer):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
    def call(self, x, training=False):
        return tf.nn.relu(self.layer(x, training=training))

class Noise(tf.keras.layers.Layer):
    def call(self, x):
        return x + tf.keras.random.normal((4, 5), seed=3)

class Weights(tf.keras.layers.Layer):
    def build(self, shape):
        seeded = tf.keras.initializers.GlorotUniform(seed=1)
        self.w = self.add_weight(shape=(shape[-1], 2), initializer=seeded)
    def call(self, x):
        return tf.matmul(x, self.w)

class Still(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dropout = tf.keras.layers.Dropout(0.5, seed=7)
    def call(self, x):
        return self.dropout(x) * 2.0
"""
DRIVER = """
import tensorflow as tf
from package import module as m
layers = tf.keras.layers
x = tf.reshape(tf.range(20.0), (4, 5)) + 1
for seed in (7, None):
    for shape, layer in (
        ((4, 5), layers.Dropout(0.5, seed=seed)),
        ((4, 5), layers.GaussianNoise(1.0, seed=seed)),
        ((1, 4, 5), layers.SpatialDropout1D(0.5, seed=seed)),
        ((4, 5, 1), layers.RandomFlip(seed=seed)),
    ):
        m.Head(layer)(tf.reshape(x, shape), training=True)
m.Noise()(x)
m.Weights()(x)
m.Still()(x)
"""


@pytest.mark.long
def test_numbers_of_seeded_layers_are_random_and_all_else_is_compared(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    module = tmp_path / "package" / "module.py"
    module.write_text(ORIGINAL)
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, str(tmp_path / "driver.py")]
    assert capture(command, ["package"], tmp_path / "calls.npz", 5, 500.0)[1] == 0
    rewriting = "from tf2jax_port.cli import main; main()"
    subprocess.run(
        [sys.executable, "-c", rewriting, "rewrite", "--write", str(module)], check=False
    )

    def rows():
        calls, results = prove.prove(tmp_path / "calls.npz", tmp_path, 120.0)
        found = judged(calls, results, tmp_path).rows
        return {row.function[1]: (row.status, row.why) for row in found}

    found = rows()
    for name in ("Head.call", "Noise.call"):
        assert found[name][0] is Status.LIMITED, found
        assert "random" in found[name][1]
    wrong = {name for name, (status, _) in found.items() if status is Status.DIFFERENT}
    assert not wrong, found
    # A layer whose result does not depend on its seed is compared as ever.
    assert found["Still.call"][0] is Status.PROVED
    module.write_text(module.read_text().replace("* 2.0", "* 3.0"))
    assert rows()["Still.call"][0] is Status.DIFFERENT
