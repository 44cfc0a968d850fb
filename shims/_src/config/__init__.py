"""Provide TensorFlow's settings of devices and execution on top of JAX's."""
