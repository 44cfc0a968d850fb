"""Running a function: in TensorFlow, in JAX, with gradients."""
