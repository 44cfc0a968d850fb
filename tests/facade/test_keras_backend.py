"""The functions of `tf.keras.backend` that Keras 3 lacks: the tests are in `keras_backend_cases.py`."""

from tests.harness import keras_on_jax


def test_they_compute_what_tensorflow_computes():
    keras_on_jax.passes("tests/facade/keras_backend_cases.py")
