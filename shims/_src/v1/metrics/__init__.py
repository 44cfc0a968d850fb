"""Provide `tf.metrics` of TensorFlow 1: streaming metrics kept in local variables."""
