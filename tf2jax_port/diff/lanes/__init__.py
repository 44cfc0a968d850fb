"""Run a function in TensorFlow or in JAX, with gradients."""
