"""TensorFlow's schedules as functions of the count of steps, which is what Optax takes for one."""

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
    """`tf.keras.optimizers.schedules.ExponentialDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: in how many steps it is multiplied once, above 0.
      decay_rate: what it is multiplied by.
      staircase: multiply at the end of these steps only.

    Returns:
      A function of the count of steps.

    Raises:
      ValueError: `decay_steps` is not above 0.

    Differs from Optax:
      `optax.exponential_decay` takes such `decay_steps`, and a rate of 0, for no decay at all.

    Example:
      >>> exponential_decay(0.5, 10, 0.5)(10).item()
      0.25

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/ExponentialDecay
    """
    _check_steps("decay_steps", decay_steps)

    def schedule(count):
        initial, steps, rate = _numbers(initial_learning_rate, decay_steps, decay_rate)
        done = quotient(_steps(count).astype(initial.dtype), steps)
        return initial * jnp.power(rate, jnp.floor(done) if staircase else done)

    return schedule


def inverse_time_decay(initial_learning_rate, decay_steps, decay_rate, staircase=False) -> Schedule:
    """`tf.keras.optimizers.schedules.InverseTimeDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: the unit in which steps are counted, above 0.
      decay_rate: by which part the divisor grows in these steps.
      staircase: change at the end of these steps only.

    Returns:
      A function of the count of steps.

    Raises:
      ValueError: `decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/InverseTimeDecay
    """
    _check_steps("decay_steps", decay_steps)

    def schedule(count):
        initial, steps, rate = _numbers(initial_learning_rate, decay_steps, decay_rate)
        done = quotient(_steps(count).astype(initial.dtype), steps)
        return initial / (1 + rate * (jnp.floor(done) if staircase else done))

    return schedule


def polynomial_decay(
    initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False
) -> Schedule:
    """`tf.keras.optimizers.schedules.PolynomialDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: after how many steps the end is reached, above 0.
      end_learning_rate: the rate from then on.
      power: of the polynomial.
      cycle: begin anew, with more steps each time, where the end is reached.

    Returns:
      A function of the count of steps.

    Raises:
      ValueError: `decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/PolynomialDecay
    """
    _check_steps("decay_steps", decay_steps)

    def schedule(count):
        initial, end, steps, exponent = _numbers(
            initial_learning_rate, end_learning_rate, decay_steps, power
        )
        done = _steps(count).astype(initial.dtype)
        if cycle:
            steps = steps * jnp.where(done == 0, 1, jnp.ceil(quotient(done, steps)))
        else:
            done = jnp.minimum(done, steps)
        return (initial - end) * jnp.power(1 - quotient(done, steps), exponent) + end

    return schedule


def cosine_decay(
    initial_learning_rate, decay_steps, alpha=0.0, warmup_target=None, warmup_steps=0
) -> Schedule:
    """`tf.keras.optimizers.schedules.CosineDecay`.

    Args:
      initial_learning_rate: the rate at step 0.
      decay_steps: how many steps the rate falls, above 0.
      alpha: which part of the rate is left at the end.
      warmup_target: to which rate it grows first; `None` for no growth.
      warmup_steps: in how many steps.

    Returns:
      A function of the count of steps.

    Raises:
      ValueError: `decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/CosineDecay
    """
    _check_steps("decay_steps", decay_steps)

    def fallen(start, done, steps):
        half = 0.5 * (1.0 + jnp.cos(jnp.asarray(math.pi, start.dtype) * quotient(done, steps)))
        return start * ((1 - alpha) * half + alpha)

    def schedule(count):
        initial, steps = _numbers(initial_learning_rate, decay_steps)
        done = _steps(count).astype(initial.dtype)
        if warmup_target is None:
            return fallen(initial, jnp.minimum(done, steps), steps)
        target, warm = (jnp.asarray(x, initial.dtype) for x in (warmup_target, warmup_steps))
        done = jnp.minimum(done, steps + warm)
        # Without steps to warm up in, the growth is never chosen.
        grown = (target - initial) * (done / jnp.where(warm == 0, 1, warm)) + initial
        return jnp.where(done < warm, grown, fallen(target, done - warm, steps))

    return schedule


def cosine_decay_restarts(
    initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0
) -> Schedule:
    """`tf.keras.optimizers.schedules.CosineDecayRestarts`.

    Args:
      initial_learning_rate: the rate at step 0.
      first_decay_steps: how many steps the rate falls the first time, above 0.
      t_mul: how much longer it falls each time.
      m_mul: how much higher it begins each time.
      alpha: which part of the rate is left at the end.

    Returns:
      A function of the count of steps.

    Raises:
      ValueError: `first_decay_steps` is not above 0.

    https://www.tensorflow.org/api_docs/python/tf/keras/optimizers/schedules/CosineDecayRestarts
    """
    _check_steps("first_decay_steps", first_decay_steps)

    def schedule(count):
        initial, steps, longer, higher, left = _numbers(
            initial_learning_rate, first_decay_steps, t_mul, m_mul, alpha
        )
        done = quotient(_steps(count).astype(initial.dtype), steps)
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
    """`tf.keras.optimizers.schedules.PiecewiseConstantDecay`.

    Args:
      boundaries: steps in ascending order; at each of them the rate before it still holds.
      values: the rates, one more.

    Returns:
      A function of the count of steps.

    Raises:
      ValueError: the numbers of boundaries and values do not fit.

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
        count = _steps(count)
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


def _steps(count) -> jax.Array:
    """A count of steps, which may be a variable."""
    return count.read_value() if isinstance(count, Variable) else jnp.asarray(count)


def _numbers(first, *rest):
    """A number as an array, and others of its dtype."""
    first = jnp.asarray(first)
    return first, *(jnp.asarray(number, first.dtype) for number in rest)


def _check_steps(name: str, steps) -> None:
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0.\n  Received: {name}={steps}")
