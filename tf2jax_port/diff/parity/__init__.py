"""TensorFlow's graphs, TensorFlow's XLA and JAX side by side, operator by operator from the table."""
