"""Provide `tf.layers`: layers that create their variables at the first call."""
