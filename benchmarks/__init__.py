"""Compare run times with TensorFlow and JAX in one process; see `__main__`."""
