"""Provide discrete cosine transforms, and the modified transform of overlapping frames."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.signal.framing import frame, overlap_and_add
from shims._src.signal.window_functions import vorbis_window
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _check(function, x, type, n, axis, norm):
    """Check the arguments of a cosine transform; raise TensorFlow's errors."""
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if checks.is_known(x.shape[-1]) and x.shape[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _resize_last_axis(x, n):
    """Truncate or zero-pad the last axis."""
    if n is None:
        return x
    size = x.shape[-1]
    if not checks.is_known(size):
        return jnp.take(x, jnp.arange(n), axis=-1, mode="fill", fill_value=0)
    if n <= size:
        return x[..., :n]
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - size)])


def _phase(n, sign, dtype):
    """Compute the factors `2 * exp(sign * i * pi * k / 2n)` for `k` from 0 to `n - 1`."""
    angle = jnp.asarray(sign * 0.5 * np.pi / n, dtype) * jnp.arange(n).astype(dtype)
    return 2.0 * lax.complex(jnp.cos(angle), jnp.sin(angle))


def _weights(n, first, others, dtype):
    """Return a vector of `n` weights: `first` for the first coefficient, `others` for the rest."""
    return jnp.where(np.arange(n) == 0, jnp.asarray(first, dtype), jnp.asarray(others, dtype))


def _type1(x, norm):
    mirrored = jnp.concatenate([x, x[..., -2:0:-1]], axis=-1)
    return jnp.real(jnp.fft.rfft(mirrored))


def _type2(x, norm):
    n = x.shape[-1]
    out = jnp.real(jnp.fft.rfft(x, n=2 * n)[..., :n] * _phase(n, -1, x.dtype))
    first = 0.5 / np.sqrt(n)
    return out * _weights(n, first, first * np.sqrt(2.0), x.dtype) if norm else out


def _type3(x, norm):
    n = x.shape[-1]
    first = np.sqrt(n)
    x = x * _weights(n, first, first * np.sqrt(0.5), x.dtype) if norm else x * n
    spectrum = _phase(n, 1, x.dtype) * lax.complex(x, jnp.zeros_like(x))
    return jnp.fft.irfft(spectrum, n=2 * n)[..., :n]


def _type4(x, norm):
    n = x.shape[-1]
    out = _type2(_resize_last_axis(x, 2 * n), None)[..., 1::2]
    return out * jnp.asarray(np.sqrt(0.5) / np.sqrt(n), x.dtype) if norm else out


_TYPES = {1: _type1, 2: _type2, 3: _type3, 4: _type4}


def _cosine_transform(function, x, type, n, axis, norm):
    """Check the arguments, and compute a discrete cosine transform."""
    _check(function, x, type, n, axis, norm)
    x = _resize_last_axis(x, n)
    if type != 1:
        if checks.is_known(x.shape[-1]) and x.shape[-1] == 0:
            return x
        _check_filled(function, x)
    return _TYPES[type](x, norm)


def _check_filled(function, x) -> None:
    """Reject an array without elements, as TensorFlow's Fourier transform does."""
    for d in x.shape:
        checks.check_data(
            d == 0 if checks.is_known(d) else primitives.as_size(d) == 0,
            function,
            "the array has no elements.",
            required="an array with elements",
            received=describe(x),
        )


@operator
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Compute the discrete cosine transform.

    Args:
      input: float32 or float64 array `[..., samples]`.
      type: 1, 2, 3 or 4.
      n: the size of the transform, to which the axis is truncated or zero-padded.
      axis: -1.
      norm: `None` or `ortho`.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      ValueError: `type` or `norm` is unknown, or there is a single sample with type 1.
      NotImplementedError: `axis` is not -1.

    Differs from TensorFlow:
      If the input has infinities, other results may be NaN: TensorFlow's complex product differs
      between vectorized and remaining elements.

    Under jit:
      The last axis must have a static size, or `n` must be given; other sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/dct
    """
    type = checks.static_int("dct", "type", type)
    return _cosine_transform("dct", operand(input), type, n, axis, norm)


@operator
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Compute the inverse discrete cosine transform, up to a factor.

    Args:
      input: float32 or float64 array `[..., samples]`.
      type: 1, 2, 3 or 4.
      n: the size of the transform, to which the axis is truncated or zero-padded.
      axis: -1.
      norm: `None` or `ortho`.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      ValueError: `type` or `norm` is unknown, or there is a single sample with type 1.
      NotImplementedError: `axis` is not -1.

    Differs from TensorFlow:
      If the input has infinities, other results may be NaN: TensorFlow's complex product differs
      between vectorized and remaining elements.

    Under jit:
      The last axis must have a static size, or `n` must be given; other sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/idct
    """
    x = operand(input)
    type = checks.static_int("idct", "type", type)
    _check("idct", x, type, n, axis, norm)
    return _cosine_transform("idct", x, _INVERSE[type], n, axis, norm)


@operator
def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """Compute the modified discrete cosine transform of overlapping frames.

    Args:
      signals: float32 or float64 array `[..., samples]`.
      frame_length: the number of samples of a window, a multiple of 4.
      window_fn: a function that returns the window for a length and `dtype=`; `None` for no window.
      pad_end: whether to keep windows that extend past the end, padded with zeros.
      norm: `None` or `ortho`.
      name: ignored.

    Returns:
      An array `[..., frames, frame_length // 2]`.

    Raises:
      ValueError: `frame_length` is not a multiple of 4.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of samples may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/mdct
    """
    if frame_length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    framed = frame(operand(signals), frame_length, frame_length // 2, pad_end=pad_end)
    if window_fn is not None:
        framed = framed * window_fn(frame_length, dtype=framed.dtype)
    else:
        framed = framed * jnp.asarray(1.0 / np.sqrt(2.0), framed.dtype)
    a, b, c, d = jnp.split(framed, 4, axis=-1)
    folded = jnp.concatenate([-jnp.flip(c, -1) - d, a - jnp.flip(b, -1)], axis=-1)
    return _cosine_transform("mdct", folded, 4, None, -1, norm)


@operator
def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """Compute the inverse modified discrete cosine transform.

    Args:
      mdcts: float32 or float64 array `[..., frames, half_length]`.
      window_fn: a function that returns the window for a length and `dtype=`; `None` for no window.
      norm: `None` or `ortho`.
      name: ignored.

    Returns:
      The signals, `[..., samples]`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of frames may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/inverse_mdct
    """
    x = operand(mdcts)
    half = x.shape[-1]
    if not checks.is_known(half) or half % 2:
        raise checks.invalid(
            "inverse_mdct",
            "a frame has an odd number of coefficients.",
            required="mdcts.shape[-1] even, and known",
            received=f"{half}",
        )
    if half == 0:
        return jnp.sum(x, axis=-2)
    unfolded = _cosine_transform("inverse_mdct", x, 4, None, -1, norm)
    if norm is None:
        unfolded = unfolded * jnp.asarray(0.5 / half, x.dtype)
    first, second = jnp.split(unfolded, 2, axis=-1)
    frames = jnp.concatenate([second, -jnp.flip(second, -1), -jnp.flip(first, -1), -first], -1)
    if window_fn is not None:
        frames = frames * window_fn(2 * half, dtype=frames.dtype)
    else:
        frames = frames * jnp.asarray(1.0 / np.sqrt(2.0), frames.dtype)
    return overlap_and_add(frames, half)
