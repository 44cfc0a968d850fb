"""Give JAX's keys to random draws."""
