"""TensorFlow 1: graphs of operations that a session runs."""
