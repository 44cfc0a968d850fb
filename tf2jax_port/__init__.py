"""Move a TensorFlow program to JAX: the table, the rewriter, the comparison, the command line."""
