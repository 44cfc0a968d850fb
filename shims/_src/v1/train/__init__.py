"""Provide `tf.train` of TensorFlow 1: optimizers, averages, hooks, monitored sessions."""
