"""Provide short-time Fourier transforms."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.signal.fourier import irfft, rfft
from shims._src.signal.framing import frame, overlap_and_add
from shims._src.signal.window_functions import hann_window
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype


def _transform_size(function, fft_length, frame_length) -> int:
    """Return the size of the transform; by default the next power of two."""
    if fft_length is not None:
        return checks.static_int(function, "fft_length", fft_length)
    length = checks.static_int(function, "frame_length", frame_length)
    return 1 << max(length - 1, 0).bit_length()


@operator
def stft(
    signals,
    frame_length,
    frame_step,
    fft_length=None,
    window_fn=hann_window,
    pad_end=False,
    name=None,
):
    """Compute the short-time Fourier transform.

    Args:
      signals: float32 or float64 array `[..., samples]`.
      frame_length: the number of samples of a window.
      frame_step: the distance between the starts of consecutive windows.
      fft_length: the size of the transform; the next power of two when `None`.
      window_fn: a function that returns the window for a length and `dtype=`; `None` for no window.
      pad_end: whether to keep windows that extend past the end, padded with zeros.
      name: ignored.

    Returns:
      Complex `[..., frames, fft_length // 2 + 1]`.

    Raises:
      InvalidArgumentError: a length is not positive, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of samples may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/stft
    """
    framed = frame(operand(signals), frame_length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        framed = framed * window_fn(frame_length, dtype=framed.dtype)
    return rfft(framed, [_transform_size("stft", fft_length, frame_length)])


@operator
def inverse_stft(
    stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None
):
    """Compute the inverse short-time Fourier transform.

    Args:
      stfts: complex array `[..., frames, fft_length // 2 + 1]`.
      frame_length: the number of samples of a window.
      frame_step: the distance between the starts of consecutive windows.
      fft_length: the size of the transform; the next power of two when `None`.
      window_fn: a function that returns the window for a length and `dtype=`; `None` for no window.
      name: ignored.

    Returns:
      The signals, `[..., samples]`.

    Raises:
      InvalidArgumentError: a length is not positive, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of frames may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/inverse_stft
    """
    frames = irfft(operand(stfts), [_transform_size("inverse_stft", fft_length, frame_length)])
    frames = frames[..., :frame_length]
    missing = frame_length - frames.shape[-1]
    if missing > 0:
        frames = jnp.pad(frames, [(0, 0)] * (frames.ndim - 1) + [(0, missing)])
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """Return the window function with which `inverse_stft` inverts `stft`.

    Args:
      frame_step: the distance between the starts of consecutive windows.
      forward_window_fn: the window of `stft`.
      name: ignored.

    Returns:
      A function of `frame_length` and `dtype`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The windows are constants.

    https://www.tensorflow.org/api_docs/python/tf/signal/inverse_stft_window_fn
    """
    return functools.partial(_inverse_window, frame_step, forward_window_fn)


def _inverse_window(frame_step, forward_window_fn, frame_length, dtype=np.float32):
    """Return a window divided by the sum of the squares of its overlapping copies."""
    window = forward_window_fn(frame_length, dtype=array_dtype(dtype, "inverse_stft_window_fn"))
    pieces = -(-frame_length // frame_step)
    squares = jnp.pad(jnp.square(window), (0, pieces * frame_step - frame_length))
    sums = jnp.sum(squares.reshape((pieces, frame_step)), axis=0)
    return window / jnp.tile(sums, pieces)[:frame_length]
