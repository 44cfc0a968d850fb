"""Which TensorFlow this is: programs compare `tf.__version__`."""

# The release whose `tf.compat.v1` the facade has been compared with.
__version__ = "2.21.0"
