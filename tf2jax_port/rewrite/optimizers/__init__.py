"""Turn optimizers into those of Optax."""
