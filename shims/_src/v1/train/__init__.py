"""Provide `tf.train` of TensorFlow 1: optimizers, moving averages, hooks, monitored sessions."""
