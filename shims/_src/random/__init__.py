"""TensorFlow's random numbers: streams, distributions, generators and what is built on them."""
