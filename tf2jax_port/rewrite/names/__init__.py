"""Lists of names of TensorFlow and Keras."""
