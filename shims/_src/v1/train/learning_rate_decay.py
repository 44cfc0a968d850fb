"""Define learning rate schedules, such as exponential decay."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable

import jax.numpy as jnp

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import control_flow_v2_enabled, executing_eagerly
from shims._src.v1.graph.output_specs import constant_value


def exponential_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """Compute `learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
      learning_rate: a number or a scalar tensor of a floating-point dtype.
      global_step: the current step, a scalar.
      decay_steps: the number of steps, a scalar, after which the rate is multiplied by `decay_rate`.
      decay_rate: a scalar.
      staircase: whether the rate changes only at multiples of `decay_steps`.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of `learning_rate`; in eager execution, a function without arguments
      that returns a scalar.

    Raises:
      ValueError: `global_step` is `None`.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations. The division of `staircase` is exact;
      TensorFlow's graph optimizer multiplies by the reciprocal instead, so `floor(41 / 41)` becomes 0.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     rate = tf.train.exponential_decay(0.1, tf.constant(10), 10, 0.5)
      ...     print(session.run(rate))
      0.05

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/exponential_decay
    """
    f = functools.partial(_exponential, staircase=staircase)
    return _make_rate(
        "ExponentialDecay", f, name, learning_rate, global_step, decay_steps, decay_rate
    )


def natural_exp_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """Compute `learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    The arguments, the result and the errors are those of `exponential_decay`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/natural_exp_decay
    """

    def f(rate, step, decay_steps, decay_rate):
        base = jnp.exp(-jnp.asarray(decay_rate, rate.dtype))
        return _exponential(rate, step, decay_steps, base, staircase)

    return _make_rate(
        "ExponentialDecay", f, name, learning_rate, global_step, decay_steps, decay_rate
    )


def inverse_time_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """Compute `learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    The arguments, the result and the errors are those of `exponential_decay`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/inverse_time_decay
    """

    def f(rate, step, decay_steps, decay_rate):
        done = _done_fraction(rate, step, decay_steps, staircase)
        return rate / (1 + jnp.asarray(decay_rate, rate.dtype) * done)

    return _make_rate(
        "InverseTimeDecay", f, name, learning_rate, global_step, decay_steps, decay_rate
    )


def polynomial_decay(
    learning_rate,
    global_step,
    decay_steps,
    end_learning_rate=0.0001,
    power=1.0,
    cycle=False,
    name=None,
):
    """Decay from `learning_rate` to `end_learning_rate` along a polynomial.

    Args:
      learning_rate: a number or a scalar tensor of a floating-point dtype.
      global_step: the current step, a scalar.
      decay_steps: the number of steps of the decay, a scalar.
      end_learning_rate: the rate at the end and afterwards.
      power: the exponent; 1 for a linear decay.
      cycle: whether to restart after the end, each time from a lower rate and over more steps.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of `learning_rate`.

    Raises:
      ValueError: `global_step` is `None`.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/polynomial_decay
    """

    def f(rate, step, decay_steps, end, power):
        end, power = (jnp.asarray(x, rate.dtype) for x in (end, power))
        step, steps = _prevent_reciprocal(step, decay_steps, rate)
        if cycle:
            steps = steps * jnp.where(step == 0, 1, jnp.ceil(step / steps))
        else:
            step = jnp.minimum(step, steps)
        return (rate - end) * shims.pow(1 - step / steps, power) + end

    numbers = (decay_steps, end_learning_rate, power)
    return _make_rate("PolynomialDecay", f, name, learning_rate, global_step, *numbers)


def piecewise_constant(x, boundaries, values, name=None):
    """Select a rate by step: `values[0]` up to and including `boundaries[0]`, and so on.

    Args:
      x: the current step, a scalar.
      boundaries: increasing numbers of the dtype of `x`; Python integers also match int64.
      values: one rate more than boundaries, all of the same dtype.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of the rates.

    Raises:
      ValueError: dtypes or the number of rates do not match, or boundaries decrease.

    Differs from TensorFlow:
      Decreasing boundaries are an error when the schedule is built, not when it is evaluated.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/piecewise_constant
    """
    x, boundaries, values = (
        _to_tensor(x),
        [*map(_to_tensor, boundaries)],
        [*map(_to_tensor, values)],
    )
    for b in boundaries:
        if b.dtype != x.dtype and (b.dtype.name, x.dtype.name) != ("int32", "int64"):
            raise ValueError(f"Boundaries ({b.dtype}) must have the same dtype as x ({x.dtype}).")
    for v in values[1:]:
        if v.dtype != values[0].dtype:
            raise ValueError(
                f"Values must have elements all with the same dtype ({values[0].dtype} vs "
                f"{v.dtype})."
            )
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    _check_rising(boundaries)

    def f(x, boundaries, values):
        found = values[0]
        for boundary, value in zip(boundaries, values[1:], strict=True):
            found = jnp.where(x > boundary, value, found)
        return found

    return _make_operation("PiecewiseConstant", f, name, _result_suffix(), x, boundaries, values)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Decay from `learning_rate` to `alpha * learning_rate` along half a cosine.

    Args:
      learning_rate: a number or a scalar tensor of a floating-point dtype.
      global_step: the current step, a scalar.
      decay_steps: the number of steps of the decay, a scalar.
      alpha: the fraction of `learning_rate` that remains at the end.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of `learning_rate`.

    Raises:
      ValueError: `global_step` is `None`.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/cosine_decay
    """

    def f(rate, step, decay_steps, alpha):
        _, done = _left_and_done(rate, step, decay_steps)
        return rate * ((1 - alpha) * _cosine(done) + alpha)

    return _make_rate(
        "CosineDecay", f, name, learning_rate, global_step, decay_steps, alpha, suffix="/Mul_3"
    )


def cosine_decay_restarts(
    learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None
):
    """Decay along half cosines with restarts, each period `t_mul` times the previous one.

    Args:
      learning_rate: a number or a scalar tensor of a floating-point dtype.
      global_step: the current step, a scalar.
      first_decay_steps: the steps of the first period, a scalar.
      t_mul: the factor from the length of a period to the next.
      m_mul: the factor from the initial rate of a period to the next.
      alpha: the fraction of the initial rate of a period that remains at the end of the period.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of `learning_rate`.

    Raises:
      ValueError: `global_step` is `None`.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/cosine_decay_restarts
    """

    def f(rate, step, decay_steps, t_mul, m_mul, alpha):
        t_mul, m_mul, alpha = (jnp.asarray(x, rate.dtype) for x in (t_mul, m_mul, alpha))
        done = _done_fraction(rate, step, decay_steps)
        evenly = jnp.floor(done)
        growing = jnp.floor(jnp.log(1 - done * (1 - t_mul)) / jnp.log(t_mul))
        length = shims.pow(t_mul, growing)
        before = (1 - length) / (1 - t_mul)
        even = t_mul == 1
        done = jnp.where(even, done - evenly, (done - before) / length)
        height = shims.pow(m_mul, jnp.where(even, evenly, growing))
        return rate * ((1 - alpha) * (height * _cosine(done)) + alpha)

    numbers = (first_decay_steps, t_mul, m_mul, alpha)
    return _make_rate("SGDRDecay", f, name, learning_rate, global_step, *numbers)


def linear_cosine_decay(
    learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None
):
    """Compute `learning_rate * ((alpha + linear) * cosine + beta)`.

    In this formula, `linear` falls from 1 to 0, and `cosine` oscillates between 1 and 0.

    Args:
      learning_rate: a number or a scalar tensor of a floating-point dtype.
      global_step: the current step, a scalar.
      decay_steps: the steps after which the linear decay reaches 0, a scalar.
      num_periods: the number of cosine periods in the decay.
      alpha: see the formula.
      beta: see the formula.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of `learning_rate`.

    Raises:
      ValueError: `global_step` is `None`.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/linear_cosine_decay
    """

    def f(rate, step, decay_steps, periods, alpha, beta):
        periods, alpha, beta = (jnp.asarray(x, rate.dtype) for x in (periods, alpha, beta))
        left, done = _left_and_done(rate, step, decay_steps)
        return rate * ((alpha + left) * _cosine(2 * periods * done) + beta)

    numbers = (decay_steps, num_periods, alpha, beta)
    return _make_rate("LinearCosineDecay", f, name, learning_rate, global_step, *numbers)


def noisy_linear_cosine_decay(
    learning_rate,
    global_step,
    decay_steps,
    initial_variance=1.0,
    variance_decay=0.55,
    num_periods=0.5,
    alpha=0.0,
    beta=0.001,
    name=None,
):
    """Compute `rate * ((alpha + linear + noise) * cosine + beta)`; see `linear_cosine_decay`.

    Args:
      learning_rate: a number or a scalar tensor of a floating-point dtype.
      global_step: the current step, a scalar.
      decay_steps: the steps after which the linear decay reaches 0, a scalar.
      initial_variance: the variance of the noise at the beginning.
      variance_decay: an exponent; the variance at a step is
        `initial_variance / (1 + step) ** variance_decay`.
      num_periods: the number of cosine periods in the decay.
      alpha: see the formula, in which `rate` is `learning_rate`.
      beta: see the formula.
      name: the name of the operation.

    Returns:
      A tensor of the dtype of `learning_rate`.

    Raises:
      ValueError: `global_step` is `None`.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/noisy_linear_cosine_decay
    """

    def f(rate, step, decay_steps, variance, fading, periods, alpha, beta):
        step, variance, fading, periods, alpha, beta = (
            jnp.asarray(x, rate.dtype) for x in (step, variance, fading, periods, alpha, beta)
        )
        left, done = _left_and_done(rate, step, decay_steps)
        at = jnp.minimum(step, jnp.asarray(decay_steps, rate.dtype))
        spread = jnp.sqrt(variance / shims.pow(1 + at, fading))
        left = left + shims.random.normal([], stddev=spread, dtype=rate.dtype)
        return rate * ((alpha + left) * _cosine(2 * periods * done) + beta)

    numbers = (decay_steps, initial_variance, variance_decay, num_periods, alpha, beta)
    return _make_rate("NoisyLinearCosineDecay", f, name, learning_rate, global_step, *numbers)


def _exponential(rate, step, decay_steps, decay_rate, staircase):
    done = _done_fraction(rate, step, decay_steps, staircase)
    return rate * shims.pow(jnp.asarray(decay_rate, rate.dtype), done)


def _done_fraction(rate, step, decay_steps, staircase=False):
    """Return the fraction `step / decay_steps`, rounded down if `staircase` is set."""
    step, steps = _prevent_reciprocal(step, decay_steps, rate)
    done = step / steps
    return jnp.floor(done) if staircase else done


def _prevent_reciprocal(step, steps, rate):
    """Convert step counts so that XLA divides them exactly, not by multiplying with a reciprocal.

    With a reciprocal, 41 / 41 would be less than 1.
    """
    step = jnp.asarray(step, rate.dtype)
    # XLA removes an optimization barrier too early. It cannot fold `step * 0`, which may be NaN.
    return step, jnp.asarray(steps, rate.dtype) + step * 0


def _left_and_done(rate, step, decay_steps):
    """Return the fractions of the decay steps that remain and that are done.

    After `decay_steps` they are 0 and 1.
    """
    step, steps = _prevent_reciprocal(step, decay_steps, rate)
    step = jnp.minimum(step, steps)
    return (steps - step) / steps, step / steps


def _cosine(done):
    return 0.5 * (1 + jnp.cos(jnp.asarray(math.pi, done.dtype) * done))


def _to_tensor(value):
    return jnp.asarray(value) if executing_eagerly() else convert_to_tensor(value)


def _make_rate(default: str, f: Callable, name, learning_rate, global_step, *numbers, suffix=""):
    """Compute the learning rate of a schedule with the formula `f`, in the dtype of the initial rate."""
    if global_step is None:
        raise ValueError(
            f"{default}: `global_step` is required, for example "
            "`tf.train.get_or_create_global_step()`."
        )
    rate = _to_tensor(learning_rate)
    if not executing_eagerly():
        numbers = tuple(getattr(x, "graph_value", x) for x in numbers)
    return _make_operation(default, f, name, suffix, rate, global_step, *numbers)


def _make_operation(default: str, f: Callable, name, suffix: str, *operands):
    if executing_eagerly():
        return functools.partial(f, *operands)
    name = name or default
    full = name[:-1] if name.endswith("/") else get_default_graph().unique_name(name)
    type_ = "Mul" if default != "PiecewiseConstant" else "Merge"
    return operation_of(
        f, operands, {}, public=f"train.{default}", name=f"{full}{suffix}/", type_=type_
    )


def _result_suffix() -> str:
    """Return the suffix that TensorFlow appends to the operation name of a piecewise constant rate."""
    return "/case/cond/Identity" if control_flow_v2_enabled() else "/case/cond/Merge"


def _check_rising(boundaries) -> None:
    known = [constant_value(b) for b in boundaries]
    for low, high in itertools.pairwise(known):
        if low is not None and high is not None and low > high:
            raise ValueError(f"piecewise_constant: boundaries must not decrease, got {known}.")
