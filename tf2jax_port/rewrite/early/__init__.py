"""Turn calls of TensorFlow 0.x into those of version 1, where the arguments decide what they mean."""
