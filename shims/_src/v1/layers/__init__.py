"""`tf.layers`: layers that make their variables when they are first called."""
