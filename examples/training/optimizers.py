"""Optax transformations that give TensorFlow's numbers.

Each function has the name and the defaults of TensorFlow's optimiser. Where Optax computes the same
it is only called with TensorFlow's constants; Adam and its relatives put `epsilon` elsewhere than
Optax does, and are written out.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax


class Moments(NamedTuple):
    """The state of the optimisers of Adam's family."""

    count: jax.Array
    mu: optax.Updates
    nu: optax.Updates


def scale_by_adam(b1: float, b2: float, epsilon: float) -> optax.GradientTransformation:
    """Adam's direction with `epsilon` behind the correction of the bias, as TensorFlow has it."""

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return Moments(jnp.zeros([], jnp.int32), zeros, zeros)

    def update(gradients, state, params=None):
        del params
        count = state.count + 1
        mu = jax.tree.map(lambda m, g: m + (g - m) * (1 - b1), state.mu, gradients)
        nu = jax.tree.map(lambda v, g: v + (g * g - v) * (1 - b2), state.nu, gradients)
        correction = jnp.sqrt(1 - b2**count) / (1 - b1**count)
        directions = jax.tree.map(lambda m, v: correction * m / (jnp.sqrt(v) + epsilon), mu, nu)
        return directions, Moments(count, mu, nu)

    return optax.GradientTransformation(init, update)


def adam(learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """`tf.keras.optimizers.Adam`."""
    return optax.chain(
        scale_by_adam(beta_1, beta_2, epsilon), optax.scale_by_learning_rate(learning_rate)
    )


def adam_v1(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """`tf.compat.v1.train.AdamOptimizer`, which has float32 decays: `1 - 0.999` is 0.000999987."""
    return adam(learning_rate, np.float32(beta1), np.float32(beta2), epsilon)


def adamw(learning_rate=0.001, weight_decay=0.004, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """`tf.keras.optimizers.AdamW`: weights decay before the step, which does not see it."""

    def update(gradients, state, params):
        directions, state = moments.update(gradients, state)
        steps = jax.tree.map(
            lambda d, p: -learning_rate * (d + weight_decay * p), directions, params
        )
        return steps, state

    moments = scale_by_adam(beta_1, beta_2, epsilon)
    return optax.GradientTransformation(moments.init, update)


def sgd(learning_rate=0.01, momentum=0.0, nesterov=False):
    """`tf.keras.optimizers.SGD`, `tf.compat.v1.train.MomentumOptimizer`."""
    return optax.sgd(learning_rate, momentum or None, nesterov)


def rmsprop(learning_rate=0.001, rho=0.9, epsilon=1e-7):
    """`tf.keras.optimizers.RMSprop`: `epsilon` inside of the root, the average begins with 0."""
    return optax.rmsprop(learning_rate, decay=rho, eps=epsilon)


def rmsprop_v1(learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10):
    """`tf.compat.v1.train.RMSPropOptimizer`: the average begins with 1."""
    return optax.rmsprop(
        learning_rate, decay=decay, eps=epsilon, initial_scale=1.0, momentum=momentum or None
    )


def adagrad(learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7):
    """`tf.keras.optimizers.Adagrad`."""
    return optax.adagrad(learning_rate, initial_accumulator_value, epsilon)


def adadelta(learning_rate=0.001, rho=0.95, epsilon=1e-7):
    """`tf.keras.optimizers.Adadelta`."""
    return optax.adadelta(learning_rate, rho, epsilon)


def adamax(learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """`tf.keras.optimizers.Adamax`: `epsilon` is added to the maximum, not inside of it."""

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return Moments(jnp.zeros([], jnp.int32), zeros, zeros)

    def update(gradients, state, params=None):
        del params
        count = state.count + 1
        mu = jax.tree.map(lambda m, g: m + (g - m) * (1 - beta_1), state.mu, gradients)
        nu = jax.tree.map(lambda u, g: jnp.maximum(beta_2 * u, jnp.abs(g)), state.nu, gradients)
        rate = learning_rate / (1 - beta_1**count)
        steps = jax.tree.map(lambda m, u: -rate * m / (u + epsilon), mu, nu)
        return steps, Moments(count, mu, nu)

    return optax.GradientTransformation(init, update)


def lion(learning_rate=0.001, beta_1=0.9, beta_2=0.99):
    """`tf.keras.optimizers.Lion`."""
    return optax.lion(learning_rate, beta_1, beta_2, weight_decay=0.0)


def lamb(learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """`tf.keras.optimizers.Lamb`."""
    return optax.lamb(learning_rate, beta_1, beta_2, epsilon)


class NadamState(NamedTuple):
    """Moments, and the product of the momenta of all steps so far."""

    count: jax.Array
    product: jax.Array
    mu: optax.Updates
    nu: optax.Updates


def nadam(learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    """`tf.keras.optimizers.Nadam`, whose momentum grows by a schedule of its own."""

    def momentum(step):
        return beta_1 * (1 - 0.5 * jnp.power(0.96, jnp.asarray(step, jnp.float32)))

    def init(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return NadamState(jnp.zeros([], jnp.int32), jnp.ones([]), zeros, zeros)

    def update(gradients, state, params=None):
        del params
        count = state.count + 1
        here, ahead = momentum(count), momentum(count + 1)
        product = state.product * here
        mu = jax.tree.map(lambda m, g: m + (g - m) * (1 - beta_1), state.mu, gradients)
        nu = jax.tree.map(lambda v, g: v + (g * g - v) * (1 - beta_2), state.nu, gradients)

        # In float32, as there: `1 - 0.999` has a relative error of 1e-5.
        decayed = 1 - jnp.power(jnp.float32(beta_2), count.astype(jnp.float32))

        def step(g, m, v):
            m = ahead * m / (1 - product * ahead) + (1 - here) * g / (1 - product)
            return -learning_rate * m / (jnp.sqrt(v / decayed) + epsilon)

        return jax.tree.map(step, gradients, mu, nu), NadamState(count, product, mu, nu)

    return optax.GradientTransformation(init, update)


class FtrlState(NamedTuple):
    """Sums of squares of gradients, and of gradients less what the weights account for."""

    squares: optax.Updates
    linear: optax.Updates


def ftrl(
    learning_rate=0.001,
    learning_rate_power=-0.5,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    l2_shrinkage_regularization_strength=0.0,
    beta=0.0,
):
    """`tf.keras.optimizers.Ftrl`, `tf.compat.v1.train.FtrlOptimizer`: it needs the parameters."""
    l1, l2 = l1_regularization_strength, l2_regularization_strength + beta / (2 * learning_rate)

    def init(params):
        full = jax.tree.map(lambda p: jnp.full_like(p, initial_accumulator_value), params)
        return FtrlState(full, jax.tree.map(jnp.zeros_like, params))

    def scale(squares):
        return jnp.power(squares, -learning_rate_power) / learning_rate

    def update(gradients, state, params):
        def next_linear(g, before, now, linear, p):
            g = g + 2 * l2_shrinkage_regularization_strength * p
            return linear + g - (scale(now) - scale(before)) * p

        def step(now, linear, p):
            return (jnp.clip(linear, -l1, l1) - linear) / (scale(now) + 2 * l2) - p

        squares = jax.tree.map(lambda s, g: s + g * g, state.squares, gradients)
        linear = jax.tree.map(next_linear, gradients, state.squares, squares, state.linear, params)
        return jax.tree.map(step, squares, linear, params), FtrlState(squares, linear)

    return optax.GradientTransformation(init, update)


def piecewise_constant(boundaries, values):
    """`tf.keras.optimizers.schedules.PiecewiseConstantDecay`: a boundary has the value before it."""
    pairs = zip(boundaries, values[:-1], values[1:], strict=True)
    scales = {boundary + 1: after / before for boundary, before, after in pairs}
    return optax.piecewise_constant_schedule(values[0], scales)
