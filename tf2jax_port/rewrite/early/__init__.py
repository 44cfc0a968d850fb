"""Turn calls of TensorFlow 0.x into calls of version 1, if the arguments show the meaning of the calls."""
