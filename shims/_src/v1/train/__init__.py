"""TensorFlow 1's training: optimisers, averages, loops around a session."""
