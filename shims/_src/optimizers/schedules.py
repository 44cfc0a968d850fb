"""Implement TensorFlow's learning rate schedules as functions of the step count."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.numeric.exact_quotient import quotient
from shims._src.variables.variable import Variable

Schedule = Callable[[Any], jax.Array]


def exponential_decay(initial_learning_rate, decay_steps, decay_rate, staircase=False) -> Schedule:
    """Implement `tf.keras.optimizers.schedules.ExponentialDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: the number of steps per multiplication, above 0.
      decay_rate: the factor per `decay_steps` steps.
      staircase: decay in discrete intervals of `decay_steps`.

    Returns:
      A function of the step count.

    Raises:
      ValueError: `decay_steps` is not above 0.

    Differs from Optax:
      `optax.exponential_decay` treats non-positive `decay_steps`, and a rate of 0, as no decay.

    Example:
      >>> exponential_decay(0.5, 10, 0.5)(10).item()
      0.25

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/ExponentialDecay
    """
    _check_steps("decay_steps", decay_steps)

    def schedule(count):
        initial, steps, rate = _as_arrays(initial_learning_rate, decay_steps, decay_rate)
        done = quotient(_as_count(count).astype(initial.dtype), steps)
        return initial * jnp.power(rate, jnp.floor(done) if staircase else done)

    return schedule


def inverse_time_decay(initial_learning_rate, decay_steps, decay_rate, staircase=False) -> Schedule:
    """Implement `tf.keras.optimizers.schedules.InverseTimeDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: the number of steps per decay interval, above 0.
      decay_rate: the growth of the divisor per interval.
      staircase: decay in discrete intervals of `decay_steps`.

    Returns:
      A function of the step count.

    Raises:
      ValueError: `decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/InverseTimeDecay
    """
    _check_steps("decay_steps", decay_steps)

    def schedule(count):
        initial, steps, rate = _as_arrays(initial_learning_rate, decay_steps, decay_rate)
        done = quotient(_as_count(count).astype(initial.dtype), steps)
        return initial / (1 + rate * (jnp.floor(done) if staircase else done))

    return schedule


def polynomial_decay(
    initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False
) -> Schedule:
    """Implement `tf.keras.optimizers.schedules.PolynomialDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: the number of steps until the final rate, above 0.
      end_learning_rate: the final rate.
      power: the exponent of the polynomial.
      cycle: restart when the final rate is reached, with more steps each time.

    Returns:
      A function of the step count.

    Raises:
      ValueError: `decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/PolynomialDecay
    """
    _check_steps("decay_steps", decay_steps)

    def schedule(count):
        initial, end, steps, exponent = _as_arrays(
            initial_learning_rate, end_learning_rate, decay_steps, power
        )
        done = _as_count(count).astype(initial.dtype)
        if cycle:
            steps = steps * jnp.where(done == 0, 1, jnp.ceil(quotient(done, steps)))
        else:
            done = jnp.minimum(done, steps)
        return (initial - end) * jnp.power(1 - quotient(done, steps), exponent) + end

    return schedule


def cosine_decay(
    initial_learning_rate, decay_steps, alpha=0.0, warmup_target=None, warmup_steps=0
) -> Schedule:
    """Implement `tf.keras.optimizers.schedules.CosineDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: the number of decay steps, above 0.
      alpha: the final rate as a fraction of the initial rate.
      warmup_target: the rate at the end of the warmup; `None` for no warmup.
      warmup_steps: the number of warmup steps.

    Returns:
      A function of the step count.

    Raises:
      ValueError: `decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/CosineDecay
    """
    _check_steps("decay_steps", decay_steps)

    def fallen(start, done, steps):
        half = 0.5 * (1.0 + jnp.cos(jnp.asarray(math.pi, start.dtype) * quotient(done, steps)))
        return start * ((1 - alpha) * half + alpha)

    def schedule(count):
        initial, steps = _as_arrays(initial_learning_rate, decay_steps)
        done = _as_count(count).astype(initial.dtype)
        if warmup_target is None:
            return fallen(initial, jnp.minimum(done, steps), steps)
        target, warm = (jnp.asarray(x, initial.dtype) for x in (warmup_target, warmup_steps))
        done = jnp.minimum(done, steps + warm)
        # With zero warmup steps, the warmup branch is never selected.
        grown = (target - initial) * (done / jnp.where(warm == 0, 1, warm)) + initial
        return jnp.where(done < warm, grown, fallen(target, done - warm, steps))

    return schedule


def cosine_decay_restarts(
    initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0
) -> Schedule:
    """Implement `tf.keras.optimizers.schedules.CosineDecayRestarts`.

    Args:
      initial_learning_rate: the rate at step 0.
      first_decay_steps: the number of steps of the first period, above 0.
      t_mul: the factor between the lengths of successive periods.
      m_mul: the factor between the initial rates of successive periods.
      alpha: the final rate as a fraction of the initial rate.

    Returns:
      A function of the step count.

    Raises:
      ValueError: `first_decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/CosineDecayRestarts
    """
    _check_steps("first_decay_steps", first_decay_steps)

    def schedule(count):
        initial, steps, longer, higher, left = _as_arrays(
            initial_learning_rate, first_decay_steps, t_mul, m_mul, alpha
        )
        done = quotient(_as_count(count).astype(initial.dtype), steps)
        if t_mul == 1.0:
            restarts = jnp.floor(done)
            done = done - restarts
        else:
            restarts = jnp.floor(jnp.log(1.0 - done * (1.0 - longer)) / jnp.log(longer))
            before = (1.0 - jnp.power(longer, restarts)) / (1.0 - longer)
            done = (done - before) / jnp.power(longer, restarts)
        wave = 1.0 + jnp.cos(jnp.asarray(math.pi, initial.dtype) * done)
        half = 0.5 * jnp.power(higher, restarts) * wave
        return initial * ((1 - left) * half + left)

    return schedule


def piecewise_constant_decay(boundaries, values) -> Schedule:
    """Implement `tf.keras.optimizers.schedules.PiecewiseConstantDecay`.

    Args:
      boundaries: ascending steps; at a boundary the previous rate still applies.
      values: the rates, one more than `boundaries`.

    Returns:
      A function of the step count.

    Raises:
      ValueError: the numbers of boundaries and values do not match.

    Differs from Optax:
      `optax.piecewise_constant_schedule` changes one step earlier.

    Example:
      >>> rate = piecewise_constant_decay([2], [1.0, 0.5])
      >>> [rate(count).item() for count in (1, 2, 3)]
      [1.0, 1.0, 0.5]

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/PiecewiseConstantDecay
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            "The length of `boundaries` should be 1 less than the length of `values`.\n"
            f"  Received: boundaries={boundaries}, values={values}"
        )

    def schedule(count):
        count = _as_count(count)
        rates = [jnp.asarray(value) for value in values]
        ends = [jnp.asarray(boundary).astype(count.dtype) for boundary in boundaries]
        holds = [count <= ends[0]]
        holds += [(count > low) & (count <= high) for low, high in itertools.pairwise(ends)]
        holds += [count > ends[-1]]
        found = jnp.zeros([], rates[0].dtype)
        for chosen, rate in zip(holds, rates, strict=True):
            found = found + chosen.astype(rates[0].dtype) * rate
        return found

    return schedule


def _as_count(count) -> jax.Array:
    """Convert a step count, which may be a variable, to an array."""
    return count.read_value() if isinstance(count, Variable) else jnp.asarray(count)


def _as_arrays(first, *rest):
    """Convert a number to an array, and other numbers to its dtype."""
    first = jnp.asarray(first)
    return first, *(jnp.asarray(number, first.dtype) for number in rest)


def _check_steps(name: str, steps) -> None:
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0.\n  Received: {name}={steps}")
