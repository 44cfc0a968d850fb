"""Keras' optimizers of Adam's family: steps by averages of gradients and of their squares."""

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
    """`tf.keras.optimizers.Adam`.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      beta_1: which part of the average of gradients stays.
      beta_2: which part of the average of squares stays.
      epsilon: is added to the root of the average of squares.
      amsgrad: take the largest average of squares so far.
      common: `weight_decay`, `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: two ways to clip are asked for.

    Differs from Optax:
      `optax.adam` adds `epsilon` before the averages are corrected for their start at zero: with a
      gradient of 1e-7 its first step is 300 times as long.

    Example:
      >>> recipe = adam(0.5)
      >>> change, state = recipe.update(jnp.ones(1), recipe.init(jnp.ones(1)))
      >>> round(change.item(), 4)
      -0.5

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Adam
    """

    def step(gradient, parameter, slots, now):
        m, v = _averaged(gradient, slots, beta_1, beta_2)
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
    """`tf.keras.optimizers.AdamW`: `adam`, and weights decay before each step.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      weight_decay: which part of a weight, times the learning rate, is taken away.
      beta_1: which part of the average of gradients stays.
      beta_2: which part of the average of squares stays.
      epsilon: is added to the root of the average of squares.
      amsgrad: take the largest average of squares so far.
      clips: `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: there is no `weight_decay`, or two ways to clip are asked for.

    Differs from Optax:
      As `adam`; the default of the decay is another one.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/AdamW
    """
    if weight_decay is None:
        raise ValueError("Argument `weight_decay` must be a float.\n  Received: None")
    return adam(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **clips)


def adamax(
    learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **common: Unpack[Common]
) -> Recipe:
    """`tf.keras.optimizers.Adamax`: steps by the average and the largest of the gradients.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      beta_1: which part of the average stays.
      beta_2: which part of the maximum stays.
      epsilon: is added to the maximum.
      common: `weight_decay`, `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: two ways to clip are asked for.

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
    """`tf.keras.optimizers.Nadam`, whose momentum grows by a schedule of its own.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      beta_1: towards which the momentum grows.
      beta_2: which part of the average of squares stays.
      epsilon: is added to the root of the average of squares.
      common: `weight_decay`, `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: two ways to clip are asked for.

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
        m, v = _averaged(gradient, slots, first, second)
        direction = ahead * m / (1 - product * ahead) + (1 - here) * gradient.whole / (1 - product)
        corrected = v / (1 - jnp.power(second, now.number))
        change = -(direction * now.rate / (jnp.sqrt(corrected) + epsilon))
        return change, {"momentum": m, "velocity": v}

    design = Design(step, _MOMENTS, shared={"product": 1.0}, advance=advance)
    return make(design, learning_rate, **common)


def lamb(
    learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **common: Unpack[Common]
) -> Recipe:
    """`tf.keras.optimizers.Lamb`: a step is as long as its parameter is large.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      beta_1: which part of the average of gradients stays.
      beta_2: which part of the average of squares stays.
      epsilon: is added to the root of the average of squares.
      common: `weight_decay`, `clipnorm`, `clipvalue`, `global_clipnorm` of Keras.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: two ways to clip are asked for.

    Differs from Optax:
      `optax.lamb` has an `epsilon` of 1e-6.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/Lamb
    """

    def step(gradient, parameter, slots, now):
        m, v = _averaged(gradient, slots, beta_1, beta_2)
        powers = (jnp.power(jnp.asarray(b, m.dtype), now.number) for b in (beta_1, beta_2))
        first, second = (1 - power for power in powers)
        update = (m / first) / (jnp.sqrt(v / second) + epsilon)
        weight, size = (jnp.sqrt(jnp.sum(jnp.square(x))) for x in (parameter, update))
        ratio = jnp.where((weight > 0) & (size > 0), weight / jnp.where(size > 0, size, 1), 1.0)
        return -(ratio * now.rate * update), {"momentum": m, "velocity": v}

    return make(Design(step, _MOMENTS, needs_parameters=True), learning_rate, **common)


def _averaged(gradient, slots, beta_1, beta_2):
    """The averages of gradients and of their squares after a step."""
    m, v = slots["momentum"], slots["velocity"]
    return adam_steps.update_averages(m, v, gradient.whole, gradient.square, beta_1, beta_2)
