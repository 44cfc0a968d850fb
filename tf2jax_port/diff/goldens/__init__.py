"""Record the results of an original in a file, and replay it where TensorFlow is not installed."""
