"""Look up names of TensorFlow and Keras: table rows, signatures and removed names."""
