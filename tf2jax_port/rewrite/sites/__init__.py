"""Decide the outcome of each TensorFlow reference."""
