"""Provide `tf.summary`: event files for TensorBoard, written without TensorFlow."""
