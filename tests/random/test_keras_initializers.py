"""Weights drawn by `shims.random` have TensorFlow's numbers wherever Keras makes them, and so have later draws."""

import json
import os
import subprocess
import sys

import numpy as np
import tensorflow as tf

OF_SHIMS = """
import functools, json, keras, numpy as np, shims
X = np.ones((4, 1), np.float32)

class OfLayers(keras.Model):  # no `build` of its own
    def __init__(self, layers):
        super().__init__()
        self.inner = layers[0]

    def call(self, x):
        return self.inner(x) + 0.0 * shims.random.normal(())

class OfVariables(keras.layers.Layer):
    def build(self, shape):
        self.w = shims.Variable(shims.random.normal([1, 3]))
        self.b = shims.Variable(shims.random.normal([3], seed=3))

    def call(self, x):
        return x * self.w + self.b

def variables_drawn():
    shims.random.set_seed(5)
    model = OfLayers([OfVariables()])
    model(X)
    return [np.asarray(model.inner.w).tolist(), np.asarray(model.inner.b).tolist()]

def weights_and_next_draw(kind, use):
    shims.random.set_seed(5)
    again = functools.partial(shims.random.normal, seed=3)
    model = kind([keras.layers.Dense(3, kernel_initializer=shims.random.normal, bias_initializer=again)])
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.0))
    use(model)
    return [w.tolist() for w in (*model.get_weights(), np.asarray(shims.random.normal([2])))]

fit = lambda model: model.fit(X, X, verbose=0)
print(json.dumps({
    "graph": [
        weights_and_next_draw(keras.Sequential, fit),
        weights_and_next_draw(keras.Sequential, lambda model: model.predict(X, verbose=0)),
    ],
    "eager": [
        variables_drawn(),
        weights_and_next_draw(OfLayers, fit),
        weights_and_next_draw(keras.Sequential, lambda model: model(X)),
    ],
}))
"""


def test_weights_and_the_next_draw():
    """`Sequential` draws them in the graph of the step; the draws of a step use no eager seeds up."""
    done = subprocess.run(
        [sys.executable, "-c", OF_SHIMS],
        capture_output=True,
        text=True,
        env={**os.environ, "KERAS_BACKEND": "jax"},
        check=True,
    )
    found = json.loads(done.stdout)
    for kind, made in (("graph", tf.function), ("eager", lambda draw: draw)):
        tf.random.set_seed(5)
        draw = made(lambda: (tf.random.normal([1, 3]), tf.random.normal([3], seed=3)))
        want = [*draw(), tf.random.normal([2])]
        for ours in found[kind]:
            for a, b in zip(ours, want, strict=False):  # variables come without a later draw
                np.testing.assert_allclose(a, b, rtol=1e-6)
