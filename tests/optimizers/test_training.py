"""The example of a training step follows TensorFlow, and its values survive a file.

What is compared exactly is copied, or is one program compiled twice by one XLA, on any processor.
"""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness.compare import EXACT, Dtypes, assert_same
from tests.meta import tree

pytest.importorskip("optax", reason="Optax is not installed")

FOLDER = tree.ROOT / "examples" / "training"


def names_of(file):
    source = FOLDER / file
    names = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    return names


EXAMPLE, RECIPES = names_of("train_step.py"), names_of("optimizers.py")
RNG = np.random.default_rng(1)
BATCHES = [
    (x, x @ np.float32([[1], [-2], [0.5]]) + 0.25)
    for x in (RNG.normal(size=(n, 3)).astype(np.float32) for n in [4, 7, 1, 5, 9, 6, 3, 8] * 3)
]


def tensorflow_steps():
    """Losses and final values of the same program in TensorFlow."""
    w, b = tf.Variable(tf.ones([3, 1]) / 3), tf.Variable(tf.zeros([1]))
    optimizer = tf.keras.optimizers.Adam(0.05)
    losses = []
    for x, y in BATCHES:
        with tf.GradientTape() as tape:
            error = tf.boolean_mask(x @ w + b - y, tf.reduce_any(x > 0, axis=1))
            loss = tf.reduce_mean(error * error)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        losses.append(float(loss))
    return losses, w.numpy(), b.numpy()


def test_more_than_twenty_steps_are_tensorflows(tmp_path):
    model = EXAMPLE["Linear"](3)
    step, state = EXAMPLE["make_step"](model, RECIPES["adam"](0.05))
    losses = []
    for x, y in BATCHES:
        loss, state = step(x, y, state)
        losses.append(float(loss))
    wanted, w, b = tensorflow_steps()
    assert len(losses) == int(model.steps) == 24
    np.testing.assert_allclose(losses, wanted, rtol=1e-4)
    np.testing.assert_allclose(model.w.numpy(), w, rtol=1e-4)
    np.testing.assert_allclose(model.b.numpy(), b, rtol=1e-4, atol=1e-6)

    EXAMPLE["save"](tmp_path / "model.npz", model)
    other = EXAMPLE["Linear"](3)
    EXAMPLE["load"](tmp_path / "model.npz", other)
    for mine, theirs in zip(other.variables, model.variables, strict=True):
        assert_same(mine.numpy(), theirs.numpy(), EXACT, Dtypes.SAME)
    continued, _ = EXAMPLE["make_step"](other, RECIPES["adam"](0.05))
    np.testing.assert_array_equal(continued(*BATCHES[0], state)[0], step(*BATCHES[0], state)[0])
