"""Provide `tf.saved_model`: modules with variables and compiled functions, in a folder."""
