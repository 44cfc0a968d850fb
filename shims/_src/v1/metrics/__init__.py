"""`tf.metrics` of TensorFlow 1: values over many batches, kept in local variables."""
