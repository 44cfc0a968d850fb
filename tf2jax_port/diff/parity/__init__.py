"""Compare TensorFlow's graphs, TensorFlow's XLA and JAX, operator by operator from the table."""
