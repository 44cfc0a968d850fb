"""Define `tf.__version__`, which some programs check."""

# The release of TensorFlow whose names and numbers `shims` has, and was tested against.
__version__ = "2.21.0"
