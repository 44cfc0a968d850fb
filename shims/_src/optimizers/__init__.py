"""TensorFlow's optimizers and schedules as transformations of Optax; `shims.optax` names them."""
