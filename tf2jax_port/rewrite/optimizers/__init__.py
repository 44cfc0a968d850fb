"""Replace optimizers and learning-rate schedules by Optax's."""
