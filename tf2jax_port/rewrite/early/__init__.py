"""Turn TensorFlow 0.x calls into calls of version 1, if the arguments show the meaning of the calls."""
