"""The optimizers of TensorFlow 1, used eagerly.

A gradient of rows changes these rows only, except by `adam_v1`, and rows with one index are added
before they are squared. Numbers are rounded to float32 before anything is computed of them.
"""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.numeric import adam
from shims._src.optimizers import squares
from shims._src.optimizers.recipe import Design, Recipe, make


def gradient_descent_v1(learning_rate) -> Recipe:
    """`tf.compat.v1.train.GradientDescentOptimizer`.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.

    Returns:
      A transformation of Optax.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/GradientDescentOptimizer
    """

    def step(gradient, parameter, slots, now):
        return -(gradient.whole * now.rate), {}

    return make(Design(step, version_1=True), learning_rate)


def momentum_v1(learning_rate, momentum, use_nesterov=False) -> Recipe:
    """`tf.compat.v1.train.MomentumOptimizer`: as `optax.sgd` with a momentum.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      momentum: which part of the sum of gradients stays.
      use_nesterov: look ahead by the momentum.

    Returns:
      A transformation of Optax.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MomentumOptimizer
    """

    def step(gradient, parameter, slots, now):
        kept = _rounded(momentum, gradient.whole)
        total = slots["momentum"] * kept + gradient.whole
        change = now.rate * total
        if use_nesterov:
            change = gradient.whole * now.rate + total * kept * now.rate
        return -change, {"momentum": total}

    return make(Design(step, {"momentum": 0.0}, touched_rows=True, version_1=True), learning_rate)


def adam_v1(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8) -> Recipe:
    """`tf.compat.v1.train.AdamOptimizer`.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      beta1: which part of the average of gradients stays.
      beta2: which part of the average of squares stays.
      epsilon: is added to the root of the average of squares.

    Returns:
      A transformation of Optax.

    Differs from Optax:
      `optax.adam` adds `epsilon` before the averages are corrected for their start at zero.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdamOptimizer
    """

    def advance(shared, number):
        first, second = (jnp.asarray(b, jnp.float32) for b in (beta1, beta2))
        after = {"beta1_power": shared["beta1_power"] * first}
        after["beta2_power"] = shared["beta2_power"] * second
        return shared, after

    def step(gradient, parameter, slots, now):
        g, m, v = gradient.whole, slots["m"], slots["v"]
        first, second, added = (_rounded(x, g) for x in (beta1, beta2, epsilon))
        m, v = adam.update_averages(m, v, g, gradient.square, first, second)
        powers = (now.shared["beta1_power"], now.shared["beta2_power"])
        change = adam.compute_step(m, v, adam.correct_rate(now.rate, *powers), added)
        return -change, {"m": m, "v": v}

    shared = {"beta1_power": beta1, "beta2_power": beta2}
    design = Design(step, {"m": 0.0, "v": 0.0}, shared=shared, advance=advance, version_1=True)
    return make(design, learning_rate)


def rmsprop_v1(learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, centered=False) -> Recipe:
    """`tf.compat.v1.train.RMSPropOptimizer`: its average of squares begins with 1.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      decay: which part of the average of squares stays.
      momentum: which part of the last change is made again.
      epsilon: is added to the average, inside of the root.
      centered: divide by the deviation from the average gradient.

    Returns:
      A transformation of Optax.

    Differs from Optax:
      `optax.rmsprop` begins with 0, which makes its first step three times as long.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/RMSPropOptimizer
    """

    def step(gradient, parameter, slots, now):
        g = gradient.whole
        rho, kept, added = (_rounded(x, g) for x in (decay, momentum, epsilon))
        rms = slots["rms"] + (gradient.square - slots["rms"]) * (1 - rho)
        after, below = {"rms": rms}, rms + added
        if centered:
            mean = after["mean"] = slots["mean"] + (g - slots["mean"]) * (1 - rho)
            below = rms - jnp.square(mean) + added
        after["momentum"] = slots["momentum"] * kept + now.rate * g / jnp.sqrt(below)
        return -after["momentum"], after

    slots = {"rms": 1.0, "momentum": 0.0, **({"mean": 0.0} if centered else {})}
    return make(Design(step, slots, touched_rows=True, version_1=True), learning_rate)


def adagrad_v1(learning_rate, initial_accumulator_value=0.1) -> Recipe:
    """`tf.compat.v1.train.AdagradOptimizer`.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      initial_accumulator_value: what the sum of squares begins with, above 0.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: that number is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdagradOptimizer
    """
    if initial_accumulator_value <= 0.0:
        raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")

    def step(gradient, parameter, slots, now):
        total = slots["accumulator"] + gradient.square
        return -(now.rate * gradient.whole / jnp.sqrt(total)), {"accumulator": total}

    slots = {"accumulator": initial_accumulator_value}
    return make(Design(step, slots, touched_rows=True, version_1=True), learning_rate)


def adadelta_v1(learning_rate=0.001, rho=0.95, epsilon=1e-8) -> Recipe:
    """`tf.compat.v1.train.AdadeltaOptimizer`.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      rho: which part of the averages stays.
      epsilon: is added to the averages, inside of the roots.

    Returns:
      A transformation of Optax.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdadeltaOptimizer
    """

    def step(gradient, parameter, slots, now):
        kept, added = (_rounded(x, gradient.whole) for x in (rho, epsilon))
        total = slots["squares"] * kept + gradient.square * (1 - kept)
        change = jnp.sqrt(slots["changes"] + added) / jnp.sqrt(total + added) * gradient.whole
        changes = slots["changes"] * kept + jnp.square(change) * (1 - kept)
        return -(change * now.rate), {"squares": total, "changes": changes}

    slots = {"squares": 0.0, "changes": 0.0}
    return make(Design(step, slots, touched_rows=True, version_1=True), learning_rate)


def ftrl_v1(
    learning_rate,
    learning_rate_power=-0.5,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    l2_shrinkage_regularization_strength=0.0,
    beta=None,
) -> Recipe:
    """`tf.compat.v1.train.FtrlOptimizer`; it sets the parameters anew, whatever they were.

    Args:
      learning_rate: a number, or a function of the count of steps or of nothing.
      learning_rate_power: how the sum of squares slows the steps down, at most 0.
      initial_accumulator_value: what that sum begins with.
      l1_regularization_strength: penalty of absolute values.
      l2_regularization_strength: penalty of squares.
      l2_shrinkage_regularization_strength: penalty of squares that counts as gradient.
      beta: more of the penalty of squares, the smaller the learning rate is.

    Returns:
      A transformation of Optax.

    Raises:
      ValueError: a number has the wrong sign.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/FtrlOptimizer
    """
    design = squares.ftrl_design(
        learning_rate_power,
        initial_accumulator_value,
        l1_regularization_strength,
        l2_regularization_strength,
        l2_shrinkage_regularization_strength,
        beta or 0.0,
    )
    return make(design._replace(touched_rows=True, version_1=True), learning_rate)


def _rounded(number, like):
    """A number as TensorFlow 1 has it, in the dtype of a parameter."""
    return jnp.asarray(number, jnp.float32).astype(like.dtype)
