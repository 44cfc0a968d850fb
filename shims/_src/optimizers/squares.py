"""Implement Keras' optimizers that scale by accumulated squared gradients."""

from __future__ import annotations

from typing import Unpack

import jax.numpy as jnp

from shims._src.optimizers.recipe import Common, Design, Recipe, make


def rmsprop(
    learning_rate=0.001,
    rho=0.9,
    momentum=0.0,
    epsilon=1e-7,
    centered=False,
    **common: Unpack[Common],
) -> Recipe:
    """Implement `tf.keras.optimizers.RMSprop` as an Optax transformation.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      rho: the decay rate of the average of squares.
      momentum: the fraction of the previous update that is applied again.
      epsilon: a constant added to the average, inside the square root.
      centered: whether to normalize by the estimated standard deviation of the gradient.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.rmsprop` has an `epsilon` of 1e-8.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/RMSprop
    """

    def step(gradient, parameter, slots, now):
        after = {"velocity": rho * slots["velocity"] + (1 - rho) * gradient.square}
        below = after["velocity"] + epsilon
        if centered:
            average = rho * slots["average"] + (1 - rho) * gradient.whole
            after["average"] = average
            below = after["velocity"] - jnp.square(average) + epsilon
        change = now.rate * gradient.whole / jnp.sqrt(below)
        if momentum > 0:
            change = after["momentum"] = momentum * slots["momentum"] + change
        return -change, after

    slots = ["velocity"] + ["momentum"] * (momentum > 0) + ["average"] * bool(centered)
    return make(Design(step, dict.fromkeys(slots, 0.0)), learning_rate, **common)


def adagrad(
    learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, **common: Unpack[Common]
) -> Recipe:
    """Implement `tf.keras.optimizers.Adagrad` as an Optax transformation.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      initial_accumulator_value: the initial value of the sum of squares.
      epsilon: a constant added to the sum, inside the square root.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.adagrad` takes no step for elements whose sum is zero.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Adagrad
    """

    def step(gradient, parameter, slots, now):
        total = slots["accumulator"] + gradient.square
        return -(now.rate * gradient.whole / jnp.sqrt(total + epsilon)), {"accumulator": total}

    return make(Design(step, {"accumulator": initial_accumulator_value}), learning_rate, **common)


def adadelta(learning_rate=0.001, rho=0.95, epsilon=1e-7, **common: Unpack[Common]) -> Recipe:
    """Implement `tf.keras.optimizers.Adadelta` as an Optax transformation.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      rho: the decay rate of the averages.
      epsilon: a constant added to the averages, inside the square roots.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.adadelta` has other defaults.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Adadelta
    """

    def step(gradient, parameter, slots, now):
        squares = rho * slots["squares"] + (1 - rho) * gradient.square
        factor = jnp.sqrt(slots["changes"] + epsilon) / jnp.sqrt(squares + epsilon)
        # The square of the change; rows with equal indices contribute several parts.
        changes = rho * slots["changes"] + (1 - rho) * (jnp.square(factor) * gradient.square)
        return -(now.rate * (factor * gradient.whole)), {"squares": squares, "changes": changes}

    return make(Design(step, {"squares": 0.0, "changes": 0.0}), learning_rate, **common)


def ftrl(
    learning_rate=0.001,
    learning_rate_power=-0.5,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    l2_shrinkage_regularization_strength=0.0,
    beta=0.0,
    **common: Unpack[Common],
) -> Recipe:
    """Implement `tf.keras.optimizers.Ftrl`; parameters are recomputed, not incremented.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      learning_rate_power: the exponent of the sum of squares in the learning rate, at most 0.
      initial_accumulator_value: the initial value of that sum.
      l1_regularization_strength: the weight of the L1 penalty.
      l2_regularization_strength: the weight of the L2 penalty.
      l2_shrinkage_regularization_strength: the weight of an L2 penalty added to the gradient.
      beta: an additional L2 penalty, inversely proportional to the learning rate.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: a number has the wrong sign, or more than one clipping argument is given.

    Differs from Optax:
      Optax has no such optimizer.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Ftrl
    """
    design = ftrl_design(
        learning_rate_power,
        initial_accumulator_value,
        l1_regularization_strength,
        l2_regularization_strength,
        l2_shrinkage_regularization_strength,
        beta,
    )
    return make(design, learning_rate, **common)


def ftrl_design(power, initial: float, l1: float, l2: float, shrinkage: float, beta) -> Design:
    """Return the `Design` of the optimizer `ftrl`, from its arguments except the learning rate."""
    if power > 0:
        raise ValueError(f"`learning_rate_power` must not be positive.\n  Received: {power}")
    if min(initial, l1, l2, shrinkage) < 0:
        raise ValueError(
            "The initial accumulator value and the strengths of regularization must not be "
            f"negative.\n  Received: {initial}, {l1}, {l2}, {shrinkage}"
        )

    def step(gradient, parameter, slots, now):
        penalty = l2 + beta / (2.0 * now.rate)
        before, total = slots["accumulator"], slots["accumulator"] + gradient.square
        slowed, slows = (jnp.power(x, -power) for x in (before, total))
        shrunk = gradient.whole + 2 * shrinkage * parameter
        linear = slots["linear"] + (shrunk - (slows - slowed) / now.rate * parameter)
        new = (jnp.clip(linear, -l1, l1) - linear) / (slows / now.rate + 2 * penalty)
        return new - parameter, {"accumulator": total, "linear": linear}

    return Design(step, {"accumulator": initial, "linear": 0.0}, needs_parameters=True)
