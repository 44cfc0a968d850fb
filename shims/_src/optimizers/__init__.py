"""TensorFlow's optimisers and schedules as transformations of Optax; `shims.optax` names them."""
