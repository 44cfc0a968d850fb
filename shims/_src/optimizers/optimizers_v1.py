"""Implement the TensorFlow 1 optimizers for eager use.

A gradient of `IndexedSlices` changes only its rows, except with `adam_v1`, and rows with equal indices
are summed before they are squared. Numbers are rounded to float32 before any computation.
"""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.numeric import adam
from shims._src.optimizers import squares
from shims._src.optimizers.recipe import Design, Recipe, make


def gradient_descent_v1(learning_rate) -> Recipe:
    """Implement `tf.compat.v1.train.GradientDescentOptimizer`.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.

    Returns:
      An Optax transformation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/GradientDescentOptimizer
    """

    def step(gradient, parameter, slots, now):
        return -(gradient.whole * now.rate), {}

    return make(Design(step, version_1=True), learning_rate)


def momentum_v1(learning_rate, momentum, use_nesterov=False) -> Recipe:
    """Implement `tf.compat.v1.train.MomentumOptimizer`, like `optax.sgd` with momentum.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      momentum: the decay rate of the sum of gradients.
      use_nesterov: whether to use Nesterov momentum.

    Returns:
      An Optax transformation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MomentumOptimizer
    """

    def step(gradient, parameter, slots, now):
        kept = _round_to_float32(momentum, gradient.whole)
        total = slots["momentum"] * kept + gradient.whole
        change = now.rate * total
        if use_nesterov:
            change = gradient.whole * now.rate + total * kept * now.rate
        return -change, {"momentum": total}

    return make(Design(step, {"momentum": 0.0}, touched_rows=True, version_1=True), learning_rate)


def adam_v1(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8) -> Recipe:
    """Implement `tf.compat.v1.train.AdamOptimizer`.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      beta1: the decay rate of the average of gradients.
      beta2: the decay rate of the average of squares.
      epsilon: a constant added to the square root of the average of squares.

    Returns:
      An Optax transformation.

    Differs from Optax:
      `optax.adam` adds `epsilon` after bias correction.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdamOptimizer
    """

    def advance(shared, number):
        first, second = (jnp.asarray(b, jnp.float32) for b in (beta1, beta2))
        after = {"beta1_power": shared["beta1_power"] * first}
        after["beta2_power"] = shared["beta2_power"] * second
        return shared, after

    def step(gradient, parameter, slots, now):
        g, m, v = gradient.whole, slots["m"], slots["v"]
        first, second, added = (_round_to_float32(x, g) for x in (beta1, beta2, epsilon))
        m, v = adam.update_averages(m, v, g, gradient.square, first, second)
        powers = (now.shared["beta1_power"], now.shared["beta2_power"])
        change = adam.compute_step(m, v, adam.correct_rate(now.rate, *powers), added)
        return -change, {"m": m, "v": v}

    shared = {"beta1_power": beta1, "beta2_power": beta2}
    design = Design(step, {"m": 0.0, "v": 0.0}, shared=shared, advance=advance, version_1=True)
    return make(design, learning_rate)


def rmsprop_v1(learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, centered=False) -> Recipe:
    """Implement `tf.compat.v1.train.RMSPropOptimizer`, whose average of squares starts at 1.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      decay: the decay rate of the average of squares.
      momentum: the fraction of the previous update that is applied again.
      epsilon: a constant added to the average, inside the square root.
      centered: whether to normalize by the estimated standard deviation of the gradient.

    Returns:
      An Optax transformation.

    Differs from Optax:
      the average of `optax.rmsprop` starts at 0, so its first step is three times as long.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/RMSPropOptimizer
    """

    def step(gradient, parameter, slots, now):
        g = gradient.whole
        rho, kept, added = (_round_to_float32(x, g) for x in (decay, momentum, epsilon))
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
    """Implement `tf.compat.v1.train.AdagradOptimizer`.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      initial_accumulator_value: the initial value of the sum of squares, above 0.

    Returns:
      An Optax transformation.

    Raises:
      ValueError: `initial_accumulator_value` is not above 0.

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
    """Implement `tf.compat.v1.train.AdadeltaOptimizer`.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      rho: the decay rate of the averages.
      epsilon: a constant added to the averages, inside the square roots.

    Returns:
      An Optax transformation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/AdadeltaOptimizer
    """

    def step(gradient, parameter, slots, now):
        kept, added = (_round_to_float32(x, gradient.whole) for x in (rho, epsilon))
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
    """Implement `tf.compat.v1.train.FtrlOptimizer`; parameters are recomputed, not incremented.

    Args:
      learning_rate: a number, a function of the step count, or a function without arguments.
      learning_rate_power: the exponent of the sum of squares in the learning rate, at most 0.
      initial_accumulator_value: the initial value of that sum.
      l1_regularization_strength: the weight of the L1 penalty.
      l2_regularization_strength: the weight of the L2 penalty.
      l2_shrinkage_regularization_strength: the weight of an L2 penalty added to the gradient.
      beta: an additional L2 penalty, inversely proportional to the learning rate.

    Returns:
      An Optax transformation.

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


def _round_to_float32(number, like):
    """Round a number to float32, as TensorFlow 1 does, and cast it to the dtype of a parameter."""
    return jnp.asarray(number, jnp.float32).astype(like.dtype)
