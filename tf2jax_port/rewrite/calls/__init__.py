"""How a call of TensorFlow is written as a call of JAX."""
