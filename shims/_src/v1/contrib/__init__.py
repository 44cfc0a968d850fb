"""Provide the commonly used part of `tf.contrib`: layers, `slim`, `arg_scope`."""
