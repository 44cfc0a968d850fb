"""Average losses over a batch, and provide the Poisson loss."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import agreeing, broadcasting, check_alike, matching, operand
from shims._src.elementwise.quotients import divide_no_nan
from shims._src.platform import jax_private as jp
from shims._src.recording import replicas
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


@operator
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """Compute the Poisson loss: the negative log-likelihood of counts, given log-rates.

    Args:
      targets: floating-point array, the observed counts.
      log_input: array of the same dtype and shape, the logarithms of the rates.
      compute_full_loss: whether Stirling's approximation of `log(targets!)` is added; the
        approximation is never added for targets in [0, 1].
      name: ignored.

    Returns:
      `exp(log_input) - log_input * targets`, element by element.

    Raises:
      InvalidArgumentError: the dtypes differ.
      ValueError: the shapes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/nn/log_poisson_loss
    """
    targets, rates = matching("log_poisson_loss", targets=targets, log_input=log_input)
    checks.check_kind("log_poisson_loss", "inexact", rates)
    check_alike("log_poisson_loss", log_input=rates, targets=targets)
    targets, rates = agreeing("log_poisson_loss", [targets, rates], range(targets.ndim))
    loss = jnp.exp(rates) - rates * targets
    if not compute_full_loss:
        return loss
    stirling = targets * jnp.log(targets) - targets
    stirling = stirling + 0.5 * jnp.log(2 * math.pi * targets)
    few = (targets >= 0) & (targets <= 1)
    return loss + jnp.where(few, 0, stirling)


@operator
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """Sum the losses of the examples, and divide by the global batch size.

    Args:
      per_example_loss: array `[batch, ...]` of numbers.
      sample_weight: the weights of the examples; the weights are broadcast with the losses. The
        weights may lack a last axis of size 1, or have one axis too many.
      global_batch_size: integer scalar; the size of the first axis when `None`.

    Returns:
      A scalar; 0 for a batch of size 0.

    Raises:
      ValueError: the losses or the batch size have the wrong number of axes.
      TypeError: the batch size is not an integer.
      InvalidArgumentError: the batch size is negative, or the weights do not broadcast.

    Differs from TensorFlow:
      The mean of integers is float32 unless `jax_enable_x64` is on.

    Under jit:
      The number of examples may be known only at run time; padding is not counted.

    https://www.tensorflow.org/api_docs/python/tf/nn/compute_average_loss
    """
    loss = operand(per_example_loss)
    dtype = loss.dtype
    if loss.ndim == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={loss} with rank 0"
        )
    if sample_weight is not None:
        loss = _weighted(loss, operand(sample_weight)).astype(dtype)
    size = loss.shape[0] * replicas.number() if global_batch_size is None else global_batch_size
    total = jnp.sum(loss, dtype=dtype)
    return divide_no_nan(*_floats(total, _size_of_batch(size).astype(dtype)))


def _floats(total, size):
    """Convert a sum and a count to floating point if they are integers."""
    if jnp.issubdtype(total.dtype, jnp.inexact):
        return total, size
    wide = jnp.result_type(float)
    return total.astype(wide), size.astype(wide)


def _weighted(loss, weight):
    """Multiply losses by weights; a trailing axis of size 1 is added to or removed from the weights."""
    if weight.ndim and weight.ndim == loss.ndim + 1:
        weight = primitives.unify_axis(weight, loss.ndim, 1, label="compute_average_loss")[..., 0]
    elif weight.ndim and weight.ndim == loss.ndim - 1:
        weight = weight[..., None]
    wide = jnp.float64 if jnp.float64 in (loss.dtype, weight.dtype) else jnp.float32
    pair = broadcasting("compute_average_loss", loss.astype(wide), weight.astype(wide))
    return pair[0] * pair[1]


def _size_of_batch(size):
    """Check that the global batch size is a non-negative integer scalar, and return it as an array."""
    if jp.is_symbolic(size):
        return primitives.as_size(size)
    if np.ndim(size):
        raise ValueError(
            f"global_batch_size must be scalar. Expected scalar shape, saw shape: {np.shape(size)}."
        )
    size = jnp.asarray(size)
    if not jnp.issubdtype(size.dtype, jnp.integer):
        raise TypeError(f"global_batch_size must be an integer, not {size.dtype.name}.")
    checks.check_data(size < 0, "compute_average_loss", "`global_batch_size` must not be negative.")
    return size


@operator
def scale_regularization_loss(regularization_loss):
    """Sum a regularization loss, and divide by the number of replicas.

    Args:
      regularization_loss: array of numbers.

    Returns:
      A scalar.

    Differs from TensorFlow:
      The sum of integers is float32 unless `jax_enable_x64` is on.

    Under jit:
      Sizes may be known only at run time; padding is ignored.

    https://www.tensorflow.org/api_docs/python/tf/nn/scale_regularization_loss
    """
    loss = operand(regularization_loss)
    return jnp.true_divide(
        jnp.sum(loss, dtype=loss.dtype), jnp.asarray(replicas.number(), loss.dtype)
    )
