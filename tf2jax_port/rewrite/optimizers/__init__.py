"""Optimizers that become those of Optax."""
