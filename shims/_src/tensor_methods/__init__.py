"""Give JAX arrays the methods that TensorFlow's tensors have, on request."""
