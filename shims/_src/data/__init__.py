"""Feed programs: `tf.data` with NumPy on the host, records, and parsed examples."""
