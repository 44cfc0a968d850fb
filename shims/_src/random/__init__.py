"""Reproduce TensorFlow's random numbers: generators, distributions and operators built on them."""
