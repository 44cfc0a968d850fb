"""Provide `tf.data` of TensorFlow 1: datasets of graph tensors, and iterators that sessions advance."""
