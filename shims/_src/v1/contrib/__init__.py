"""Provide the most used parts of `tf.contrib`: layers, `slim` and `arg_scope`."""
