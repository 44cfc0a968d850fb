"""Provide `tf.summary` of TensorFlow 1: summary operations and event files for TensorBoard."""
