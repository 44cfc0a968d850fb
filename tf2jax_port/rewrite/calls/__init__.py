"""Rewrite calls of TensorFlow as calls of JAX."""
