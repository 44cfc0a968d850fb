"""Provide `tf.metrics` of TensorFlow 1: metrics that accumulate batches in local variables."""
