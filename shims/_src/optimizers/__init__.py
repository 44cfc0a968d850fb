"""Provide TensorFlow's optimizers and schedules as Optax transformations, named by `shims.optax`."""
