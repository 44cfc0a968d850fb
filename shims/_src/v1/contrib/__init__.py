"""What public programs use of `tf.contrib`: layers, `slim`, `arg_scope`."""
