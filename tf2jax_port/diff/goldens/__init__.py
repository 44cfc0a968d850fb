"""Goldens: what an original gave, in one file, to be replayed where TensorFlow is not."""
