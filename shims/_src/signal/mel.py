"""Provide the mel scale and mel-frequency cepstral coefficients."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.array.creation import linspace
from shims._src.signal.cosine_transforms import dct
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype


def _mel(hertz):
    """Convert frequencies to the mel scale."""
    return 1127.0 * jnp.log(1.0 + hertz / 700.0)


def _check(num_mel_bins, sample_rate, lower, upper):
    """Check the arguments of `linear_to_mel_weight_matrix`; raise TensorFlow's errors."""
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if sample_rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if upper > sample_rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {sample_rate}"
        )


@operator
def linear_to_mel_weight_matrix(
    num_mel_bins=20,
    num_spectrogram_bins=129,
    sample_rate=8000,
    lower_edge_hertz=125.0,
    upper_edge_hertz=3800.0,
    dtype=np.float32,
    name=None,
):
    """Return the matrix that converts a linear spectrogram to a mel spectrogram.

    Args:
      num_mel_bins: the number of mel bands.
      num_spectrogram_bins: the number of frequencies of the linear spectrogram.
      sample_rate: samples per second.
      lower_edge_hertz: the lowest frequency of the bands.
      upper_edge_hertz: the highest frequency of the bands.
      dtype: a floating-point dtype.
      name: ignored.

    Returns:
      An array `[num_spectrogram_bins, num_mel_bins]`.

    Raises:
      ValueError: a number is out of range.

    Differs from TensorFlow:
      All numbers except `num_spectrogram_bins` must be static.

    Under jit:
      The result is a constant if all arguments are constants.

    https://www.tensorflow.org/api_docs/python/tf/signal/linear_to_mel_weight_matrix
    """
    dtype = array_dtype(dtype, "linear_to_mel_weight_matrix")
    _check(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz)
    numbers = [jnp.asarray(v, dtype) for v in (sample_rate, lower_edge_hertz, upper_edge_hertz)]
    rate, lower, upper = numbers
    frequencies = linspace(jnp.zeros((), dtype), rate / 2.0, num_spectrogram_bins)
    # Frequency 0 belongs to no band.
    heard = jnp.expand_dims(_mel(frequencies[1:]), 1)
    edges = jnp.linspace(_mel(lower), _mel(upper), num_mel_bins + 2, dtype=dtype)
    low, center, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (heard - low) / (center - low), (high - heard) / (high - center)
    weights = jnp.maximum(jnp.zeros((), dtype), jnp.minimum(rising, falling))
    return jnp.pad(weights, [(1, 0), (0, 0)])


@operator
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Compute the mel-frequency cepstral coefficients of log mel spectrograms.

    Args:
      log_mel_spectrograms: float32 or float64 array `[..., num_mel_bins]`.
      name: ignored.

    Returns:
      An array `[..., num_mel_bins]`.

    Raises:
      ValueError: there are no bands.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of bands must be static; other sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/mfccs_from_log_mel_spectrograms
    """
    x = operand(log_mel_spectrograms)
    bins = x.shape[-1]
    if checks.is_known(bins) and bins == 0:
        raise ValueError("num_mel_bins must be positive. Got: 0")
    return dct(x, type=2) * jnp.asarray(1.0 / np.sqrt(2.0 * bins), x.dtype)
