"""Implement Keras' optimizers `sgd` and `lion`, which keep no averages of squared gradients."""

from __future__ import annotations

from typing import Unpack

import jax.numpy as jnp

from shims._src.optimizers.recipe import Common, Design, Recipe, make


def sgd(learning_rate=0.01, momentum=0.0, nesterov=False, **common: Unpack[Common]) -> Recipe:
    """Implement `tf.keras.optimizers.SGD` as an Optax transformation.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      momentum: the fraction of the previous update that is applied again, a float from 0 to 1.
      nesterov: whether to use Nesterov momentum.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: `momentum` is not a float from 0 to 1, or more than one clipping argument is given.

    Differs from Optax:
      `optax.sgd` multiplies the whole momentum by the current learning rate; here each gradient
      keeps the learning rate of its own step.

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
    """Implement `tf.keras.optimizers.Lion`, which steps by the sign of a moving average.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      beta_1: the weight of the average in a step, above 0 and at most 1.
      beta_2: the decay rate of the average.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: `beta_1` is out of range, or more than one clipping argument is given.

    Differs from Optax:
      `optax.lion` applies weight decay by default.

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
