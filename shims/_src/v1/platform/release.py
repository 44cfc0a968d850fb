"""Define `tf.__version__`, which some programs check."""

# The release whose `tf.compat.v1` the facade was tested against.
__version__ = "2.21.0"
