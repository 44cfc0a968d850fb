"""Provide fused batch normalization, which also returns the mean and the variance used."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.sizes.primitives import unify_axis
from shims._src.tracing.dispatch import operator

_MIN_EPSILON = 1.001e-5


@operator
def fused_batch_norm(
    x,
    scale,
    offset,
    mean=None,
    variance=None,
    epsilon=0.001,
    data_format="NHWC",
    is_training=True,
    name=None,
    exponential_avg_factor=1.0,
):
    """Normalize images per channel.

    Args:
      x: array `[batch, height, width, channels]`, or in the layout of `data_format`.
      scale: array `[channels]`.
      offset: array `[channels]`.
      mean: the given mean `[channels]`, if any.
      variance: the given variance `[channels]`, if any.
      epsilon: added to the variance; at least 1.001e-5.
      data_format: `NHWC`, `NCHW`, `NDHWC` or `NCDHW`.
      is_training: whether to normalize with the statistics of `x`.
      name: the name of the operation.
      exponential_avg_factor: the weight of the statistics of `x` relative to the given statistics.

    Returns:
      `(y, mean, variance)`: the normalized images and the statistics; the variance of a batch
      is unbiased.

    Raises:
      ValueError: `is_training` is false and a statistic is missing.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/fused_batch_norm
    """
    if not is_training and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False."
        )
    x, scale, offset = operand(x), operand(scale), operand(offset)
    last = not data_format.startswith("NC")
    channels = x.shape[-1 if last else 1]
    scale, offset = _check_channel_vectors(channels, scale=scale, offset=offset)
    axes = tuple(i for i in range(x.ndim) if i != (x.ndim - 1 if last else 1))
    shape = [-1 if i not in axes else 1 for i in range(x.ndim)]
    wide = x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x
    if is_training:
        used_mean = jnp.mean(wide, axis=axes)
        centered = wide - used_mean.reshape(shape)
        used_variance = jnp.mean(jnp.square(centered), axis=axes)
        count = jnp.asarray(x.size // max(channels, 1), wide.dtype)
        unbiased = used_variance * (count / jnp.maximum(count - 1, 1))
        given = (used_mean, unbiased)
        if exponential_avg_factor != 1.0:
            kept = _check_channel_vectors(channels, mean=operand(mean), variance=operand(variance))
            part = exponential_avg_factor
            given = tuple((1 - part) * k + part * g for k, g in zip(kept, given, strict=True))
    else:
        kept = _check_channel_vectors(channels, mean=operand(mean), variance=operand(variance))
        used_mean, used_variance = lax.stop_gradient(kept)
        given = (used_mean, used_variance)
        centered = wide - used_mean.reshape(shape)
    factor = scale / jnp.sqrt(used_variance + max(epsilon, _MIN_EPSILON))
    y = centered * factor.reshape(shape) + offset.reshape(shape)
    # TensorFlow has gradients only for the images, and none for given statistics.
    return (y.astype(x.dtype), *lax.stop_gradient(given))


def _check_channel_vectors(channels, **vectors):
    """Check that each vector has one element per channel; return the vectors."""
    for name, vector in vectors.items():
        checks.check_vector("fused_batch_norm", name, vector)
    return tuple(
        unify_axis(vector, 0, channels, label="fused_batch_norm") for vector in vectors.values()
    )
