"""What a file that uses Keras needs as a whole."""
