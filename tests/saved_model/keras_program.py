"""Save models of Keras with the JAX back end, alone and in a module, and compare what is loaded."""

import tempfile

import numpy as np
import pytest

import shims
import shims.keras as keras


def reloaded(obj):
    folder = tempfile.mkdtemp()
    shims.saved_model.save(obj, folder)
    return shims.saved_model.load(folder)


model = keras.Sequential(
    [
        keras.Input((3,)),
        keras.layers.Dense(2),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.5),
    ]
)
x = np.random.default_rng(0).normal(size=[5, 3]).astype(np.float32)
serve = reloaded(model).signatures["serving_default"]
assert list(serve.structured_input_signature[1]) == ["inputs"]
np.testing.assert_allclose(serve(x)["output_0"], model(x), rtol=1e-6)

module = shims.Module()
module.model = model
module.train = shims.function(
    lambda x: model(x, training=True), input_signature=[shims.TensorSpec([None, 3])]
)
loaded = reloaded(module)
for _ in range(2):
    np.testing.assert_allclose(loaded.train(x), module.train(x), rtol=1e-6)

with pytest.raises(ValueError, match="has no inputs of known shape"):
    shims.saved_model.save(keras.layers.Dense(2), tempfile.mkdtemp())
