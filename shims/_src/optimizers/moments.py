"""Implement Keras' Adam family, which keeps moving averages of gradients and their squares."""

from __future__ import annotations

from typing import Unpack

import jax.numpy as jnp

from shims._src.numeric import adam as adam_steps
from shims._src.optimizers.recipe import Clips, Common, Design, Recipe, make

_MOMENTS = {"momentum": 0.0, "velocity": 0.0}


def adam(
    learning_rate=0.001,
    beta_1=0.9,
    beta_2=0.999,
    epsilon=1e-7,
    amsgrad=False,
    **common: Unpack[Common],
) -> Recipe:
    """Implement `tf.keras.optimizers.Adam` as an Optax transformation.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      beta_1: the decay rate of the average of gradients.
      beta_2: the decay rate of the average of squares.
      epsilon: a constant added to the square root of the average of squares.
      amsgrad: whether to use the maximum of the averages of squares so far.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.adam` adds `epsilon` after bias correction: with a
      gradient of 1e-7 its first step is 300 times as long.

    Example:
      >>> recipe = adam(0.5)
      >>> change, state = recipe.update(jnp.ones(1), recipe.init(jnp.ones(1)))
      >>> round(change.item(), 4)
      -0.5

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Adam
    """

    def step(gradient, parameter, slots, now):
        m, v = _update_averages(gradient, slots, beta_1, beta_2)
        after = {"momentum": m, "velocity": v}
        powers = (jnp.power(jnp.asarray(b, m.dtype), now.number) for b in (beta_1, beta_2))
        if amsgrad:
            v = after["largest"] = jnp.maximum(slots["largest"], v)
        return -adam_steps.compute_step(
            m, v, adam_steps.correct_rate(now.rate, *powers), epsilon
        ), after

    slots = {**_MOMENTS, "largest": 0.0} if amsgrad else _MOMENTS
    return make(Design(step, slots), learning_rate, **common)


def adamw(
    learning_rate=0.001,
    weight_decay=0.004,
    beta_1=0.9,
    beta_2=0.999,
    epsilon=1e-7,
    amsgrad=False,
    **clips: Unpack[Clips],
) -> Recipe:
    """Implement `tf.keras.optimizers.AdamW`: `adam` with weight decay before each step.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      weight_decay: each step subtracts this fraction of a weight, times the learning rate.
      beta_1: the decay rate of the average of gradients.
      beta_2: the decay rate of the average of squares.
      epsilon: a constant added to the square root of the average of squares.
      amsgrad: whether to use the maximum of the averages of squares so far.
      clips: `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: `weight_decay` is `None`, or more than one clipping argument is given.

    Differs from Optax:
      See `adam`; the default weight decay differs too.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/AdamW
    """
    if weight_decay is None:
        raise ValueError("Argument `weight_decay` must be a float.\n  Received: None")
    return adam(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **clips)


def adamax(
    learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **common: Unpack[Common]
) -> Recipe:
    """Implement `tf.keras.optimizers.Adamax`, which divides by the running maximum of the gradients.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      beta_1: the decay rate of the average.
      beta_2: the decay rate of the maximum.
      epsilon: a constant added to the maximum.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.adamax` adds `epsilon` to the gradient before it takes the maximum.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Adamax
    """

    def step(gradient, parameter, slots, now):
        m = slots["momentum"] + (gradient.whole - slots["momentum"]) * (1 - beta_1)
        u = jnp.maximum(beta_2 * slots["norm"], gradient.size)
        power = jnp.power(jnp.asarray(beta_1, m.dtype), now.number)
        change = -(now.rate * m / ((1 - power) * (u + epsilon)))
        return change, {"momentum": m, "norm": u}

    return make(Design(step, {"momentum": 0.0, "norm": 0.0}), learning_rate, **common)


def nadam(
    learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **common: Unpack[Common]
) -> Recipe:
    """Implement `tf.keras.optimizers.Nadam`, whose momentum follows its own schedule.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      beta_1: the limit of the growing momentum.
      beta_2: the decay rate of the average of squares.
      epsilon: a constant added to the square root of the average of squares.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.nadam` has the same momentum at every step.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Nadam
    """

    def grown(number, dtype):
        power = jnp.power(jnp.asarray(0.96, dtype), number.astype(dtype))
        return jnp.asarray(beta_1, dtype) * (1.0 - 0.5 * power)

    def advance(shared, number):
        product = shared["product"] * grown(number, shared["product"].dtype)
        return {"product": product}, {"product": product}

    def step(gradient, parameter, slots, now):
        dtype = gradient.whole.dtype
        first, second = (jnp.asarray(b, dtype) for b in (beta_1, beta_2))
        here, ahead = grown(now.number, dtype), grown(now.number + 1, dtype)
        product = now.shared["product"]
        m, v = _update_averages(gradient, slots, first, second)
        direction = ahead * m / (1 - product * ahead) + (1 - here) * gradient.whole / (1 - product)
        corrected = v / (1 - jnp.power(second, now.number))
        change = -(direction * now.rate / (jnp.sqrt(corrected) + epsilon))
        return change, {"momentum": m, "velocity": v}

    design = Design(step, _MOMENTS, shared={"product": 1.0}, advance=advance)
    return make(design, learning_rate, **common)


def lamb(
    learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **common: Unpack[Common]
) -> Recipe:
    """Implement `tf.keras.optimizers.Lamb`, which scales each step by the norm of its parameter.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      beta_1: the decay rate of the average of gradients.
      beta_2: the decay rate of the average of squares.
      epsilon: a constant added to the square root of the average of squares.
      common: `weight_decay`, `clipnorm`, `clipvalue` and `global_clipnorm`, as in Keras.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: more than one clipping argument is given.

    Differs from Optax:
      `optax.lamb` has an `epsilon` of 1e-6.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Lamb
    """

    def step(gradient, parameter, slots, now):
        m, v = _update_averages(gradient, slots, beta_1, beta_2)
        powers = (jnp.power(jnp.asarray(b, m.dtype), now.number) for b in (beta_1, beta_2))
        first, second = (1 - power for power in powers)
        update = (m / first) / (jnp.sqrt(v / second) + epsilon)
        weight, size = (jnp.sqrt(jnp.sum(jnp.square(x))) for x in (parameter, update))
        ratio = jnp.where((weight > 0) & (size > 0), weight / jnp.where(size > 0, size, 1), 1.0)
        return -(ratio * now.rate * update), {"momentum": m, "velocity": v}

    return make(Design(step, _MOMENTS, needs_parameters=True), learning_rate, **common)


def _update_averages(gradient, slots, beta_1, beta_2):
    """Update the averages of the gradient and of its square."""
    m, v = slots["momentum"], slots["velocity"]
    return adam_steps.update_averages(m, v, gradient.whole, gradient.square, beta_1, beta_2)
