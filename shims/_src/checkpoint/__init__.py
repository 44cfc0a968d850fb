"""TensorFlow's checkpoint files, read and written without TensorFlow."""
