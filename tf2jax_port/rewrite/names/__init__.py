"""Load the generated lists of TensorFlow and Keras names."""
