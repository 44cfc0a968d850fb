"""Rewrite the parts of a file that concern Keras as a whole."""
