"""Look up names of TensorFlow and Keras: rows, signatures and removed names."""
