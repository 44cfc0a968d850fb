"""Provide the window functions of signal processing."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype


def _check_arguments(function: str, window_length, dtype):
    """Check the arguments; return the length as an integer, and the dtype."""
    dtype = array_dtype(dtype, function)
    if not jnp.issubdtype(dtype, jnp.floating):
        raise ValueError(f"dtype must be a floating point type. Found {dtype.name}")
    if np.ndim(window_length):
        raise ValueError(f"window_length must be a scalar, received {window_length!r}")
    return checks.static_int(function, "window_length", window_length), dtype


def _raised_cosine(function, window_length, periodic, dtype, a, b):
    """Return the window `a - b * cos(2 * pi * k / period)`."""
    length, dtype = _check_arguments(function, window_length, dtype)
    if length == 1:
        return jnp.ones(1, dtype)
    # TensorFlow's windows of odd length are never periodic.
    last = jnp.asarray(length + (bool(periodic) and length % 2 == 0) - 1, dtype)
    places = jnp.arange(length).astype(dtype)
    return a - b * jnp.cos(jnp.asarray(2 * np.pi, dtype) * places / last)


@operator
def hann_window(window_length, periodic=True, dtype=np.float32, name=None):
    """Return the Hann window.

    Args:
      window_length: the number of samples.
      periodic: whether the window is periodic instead of symmetric; ignored if the length is odd.
      dtype: a floating-point dtype.
      name: ignored.

    Returns:
      The window, a vector.

    Raises:
      ValueError: the dtype is not floating-point.

    Differs from TensorFlow:
      The length must be static.

    Under jit:
      The window is a constant of the program.

    https://www.tensorflow.org/api_docs/python/tf/signal/hann_window
    """
    return _raised_cosine("hann_window", window_length, periodic, dtype, 0.5, 0.5)


@operator
def hamming_window(window_length, periodic=True, dtype=np.float32, name=None):
    """Return the Hamming window.

    Args:
      window_length: the number of samples.
      periodic: whether the window is periodic instead of symmetric; ignored if the length is odd.
      dtype: a floating-point dtype.
      name: ignored.

    Returns:
      The window, a vector.

    Raises:
      ValueError: the dtype is not floating-point.

    Differs from TensorFlow:
      The length must be static.

    Under jit:
      The window is a constant of the program.

    https://www.tensorflow.org/api_docs/python/tf/signal/hamming_window
    """
    return _raised_cosine("hamming_window", window_length, periodic, dtype, 0.54, 0.46)


@operator
def kaiser_window(window_length, beta=12.0, dtype=np.float32, name=None):
    """Return the Kaiser window.

    Args:
      window_length: the number of samples.
      beta: the shape parameter.
      dtype: a floating-point dtype.
      name: ignored.

    Returns:
      The window, a vector.

    Raises:
      ValueError: the dtype is not floating-point.
      InvalidArgumentError: the length is 0.

    Differs from TensorFlow:
      The length must be static.

    Under jit:
      The window is a constant of the program unless `beta` is traced.

    https://www.tensorflow.org/api_docs/python/tf/signal/kaiser_window
    """
    length, dtype = _check_arguments("kaiser_window", window_length, dtype)
    if length < 1:
        raise checks.invalid(
            "kaiser_window", "`window_length` must be at least 1.", required="window_length >= 1"
        )
    if length == 1:
        return jnp.ones(1, dtype)
    half = (length - 1) / 2.0
    beta = jnp.asarray(beta, dtype)
    places = (jnp.arange(length).astype(dtype) - half) / half
    exponent = beta * jnp.sqrt(jnp.maximum(1 - jnp.square(places), 0))
    return jnp.exp(exponent - beta) * lax.bessel_i0e(exponent) / lax.bessel_i0e(beta)


@operator
def kaiser_bessel_derived_window(window_length, beta=12.0, dtype=np.float32, name=None):
    """Return the Kaiser-Bessel-derived window.

    Args:
      window_length: the number of samples.
      beta: the shape parameter.
      dtype: a floating-point dtype.
      name: ignored.

    Returns:
      The window, a vector; one sample shorter if the length is odd.

    Raises:
      ValueError: the dtype is not floating-point.

    Differs from TensorFlow:
      The length must be static.

    Under jit:
      The window is a constant of the program unless `beta` is traced.

    https://www.tensorflow.org/api_docs/python/tf/signal/kaiser_bessel_derived_window
    """
    length, dtype = _check_arguments("kaiser_bessel_derived_window", window_length, dtype)
    sums = jnp.cumsum(kaiser_window(length // 2 + 1, beta, dtype))
    half = jnp.sqrt(sums[:-1] / sums[-1])
    return jnp.concatenate([half, half[::-1]])


@operator
def vorbis_window(window_length, dtype=np.float32, name=None):
    """Return the Vorbis power-complementary window.

    Args:
      window_length: the number of samples.
      dtype: a floating-point dtype.
      name: ignored.

    Returns:
      The window, a vector.

    Raises:
      ValueError: the dtype is not floating-point.

    Differs from TensorFlow:
      The length must be static.

    Under jit:
      The window is a constant of the program.

    https://www.tensorflow.org/api_docs/python/tf/signal/vorbis_window
    """
    length, dtype = _check_arguments("vorbis_window", window_length, dtype)
    places = (jnp.arange(length).astype(dtype) + 0.5) * (np.pi / max(length, 1))
    return jnp.sin(np.pi / 2.0 * jnp.square(jnp.sin(places))).astype(dtype)
