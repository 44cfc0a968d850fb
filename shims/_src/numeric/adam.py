"""Compute Adam's update, independent of where an optimizer stores its moving averages."""

from __future__ import annotations

import jax.numpy as jnp


def update_averages(m, v, gradient, square, beta1, beta2):
    """Return the moving averages of gradients and of squared gradients after a step.

    Args:
      m: the average of gradients before the step.
      v: the average of squares before the step.
      gradient: the gradient of the step.
      square: the squares of the gradient. For a gradient of gathered rows the caller decides whether rows
        at equal positions are squared before they are added (Keras) or after (TensorFlow 1).
      beta1: the decay of the average of gradients.
      beta2: the decay of the average of squares.
    """
    return m + (gradient - m) * (1 - beta1), v + (square - v) * (1 - beta2)


def correct_rate(rate, power1, power2):
    """Return the learning rate with Adam's bias correction for averages that start at zero.

    Args:
      rate: the learning rate.
      power1: `beta1` to the power of the number of steps.
      power2: `beta2` to the power of the number of steps.
    """
    return rate * jnp.sqrt(1 - power2) / (1 - power1)


def compute_step(m, v, rate, epsilon):
    """Compute Adam's update, to be subtracted from a parameter.

    Args:
      m: the average of gradients after the step.
      v: the average of squares after the step.
      rate: the bias-corrected learning rate.
      epsilon: a small number that is added to the denominator.
    """
    return m * rate / (jnp.sqrt(v) + epsilon)
