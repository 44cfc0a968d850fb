"""Read and write TensorFlow checkpoint files without TensorFlow."""
