"""Generate TensorFlow's random numbers: generators, distributions and operators based on them."""
