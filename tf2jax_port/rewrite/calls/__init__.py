"""Rewrite calls of TensorFlow operators as calls of JAX or `shims`."""
