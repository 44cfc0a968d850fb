"""Load lists of TensorFlow and Keras names."""
