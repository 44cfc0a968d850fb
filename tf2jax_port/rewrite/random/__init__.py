"""Rewrite TensorFlow's random operators as calls of `jax.random` with explicit keys."""
