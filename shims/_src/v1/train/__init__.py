"""TensorFlow 1's training: optimizers, averages, loops around a session."""
