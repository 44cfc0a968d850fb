"""Rewrite calls of TensorFlow operators as JAX calls or `shims`."""
