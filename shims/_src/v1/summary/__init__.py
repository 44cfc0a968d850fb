"""`tf.summary` of TensorFlow 1: what TensorBoard shows, as operations and as files."""
