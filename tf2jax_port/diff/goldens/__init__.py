"""Record the results of an original in a file, and compare ports with it without TensorFlow."""
