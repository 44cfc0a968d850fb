"""Replace optimizers and learning-rate schedules by those of Optax."""
