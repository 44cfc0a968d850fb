"""Keras' optimizers that follow the gradient itself: `sgd`, `lion`."""

from __future__ import annotations

from typing import Unpack

import jax.numpy as jnp

from shims._src.optimizers.recipe import Common, Design, Recipe, make


def sgd(learning_rate=0.01, momentum=0.0, nesterov=False, **common: Unpack[Common]) -> Recipe:
    """`tf.keras.optimizers.SGD`.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      momentum: which part of the last change is made again, a float from 0 to 1.
      nesterov: look ahead by the momentum.
      common: `weight_decay`, `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: the momentum is no such float, or two ways to clip are asked for.

    Differs from Optax:
      `optax.sgd` takes the learning rate of this step times all momentum; here what is left of
      earlier steps keeps the rate that they had.

    Example:
      >>> recipe = sgd(0.5)
      >>> change, state = recipe.update(jnp.ones(2), recipe.init(jnp.ones(2)))
      >>> change.tolist()
      [-0.5, -0.5]

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/SGD
    """
    if not isinstance(momentum, float) or not 0 <= momentum <= 1:
        raise ValueError(f"`momentum` must be a float between [0, 1].\n  Received: {momentum!r}")

    def step(gradient, parameter, slots, now):
        along = gradient.whole * now.rate
        if not momentum:
            return -along, {}
        moving = slots["momentum"] * momentum - along
        return (moving * momentum - along if nesterov else moving), {"momentum": moving}

    return make(Design(step, {"momentum": 0.0} if momentum else {}), learning_rate, **common)


def lion(learning_rate=0.001, beta_1=0.9, beta_2=0.99, **common: Unpack[Common]) -> Recipe:
    """`tf.keras.optimizers.Lion`: steps by the sign of a running average.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      beta_1: which part of the average counts in a step, above 0 and at most 1.
      beta_2: which part of the average stays.
      common: `weight_decay`, `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: `beta_1` is none of these numbers, or two ways to clip are asked for.

    Differs from Optax:
      `optax.lion` lets weights decay unless it is told not to.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Lion
    """
    if not 0 < beta_1 <= 1:
        raise ValueError(f"`beta_1` must be between ]0, 1].\n  Received: {beta_1!r}")

    def step(gradient, parameter, slots, now):
        average, along = slots["momentum"], gradient.whole
        first, second = (jnp.asarray(b, along.dtype) for b in (beta_1, beta_2))
        change = -(now.rate * jnp.sign(average * first + along * (1.0 - first)))
        return change, {"momentum": average * second + along * (1.0 - second)}

    return make(Design(step, {"momentum": 0.0}), learning_rate, **common)
