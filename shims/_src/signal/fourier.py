"""Provide discrete Fourier transforms over the last axes, and shifts of the zero frequency."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import fixed, preferring
from shims._src.arguments.operands import describe, operand
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def _over_last(function: str, x, count: int):
    """Return the last `count` axes; raise an error if the array has fewer."""
    if x.ndim < count:
        raise checks.invalid(
            function,
            "the array has too few axes.",
            required=f"rank >= {count}",
            received=describe(x),
        )
    return tuple(range(-count, 0))


def _complex_transform(function, transform, x, count):
    """Transform the last axes of a complex array."""
    x = operand(x)
    axes = _over_last(function, x, count)
    if checks.is_known_shape(x) and not x.size:
        return x
    return transform(x, axes=axes)


def _lengths(function, fft_length, count):
    """Check `fft_length`; return one size per transformed axis, or `None` if it is `None`."""
    if fft_length is None:
        return None
    if np.ndim(fft_length) == 0:
        raise checks.invalid(function, "`fft_length` must be a vector.", required=f"{count} sizes")
    lengths = tuple(checks.static_int(function, "fft_length", n) for n in fft_length)
    if len(lengths) != count or min(lengths) < 0:
        raise checks.invalid(
            function,
            "`fft_length` must contain one size for each transformed axis.",
            required=f"{count} sizes >= 0",
            received=f"{list(lengths)}",
        )
    return lengths


def _check_filled(function, x, lengths) -> None:
    """Reject an array without elements if it would be zero-padded, as TensorFlow does."""
    problem = "an empty array cannot be zero-padded to `fft_length`."
    sizes = x.shape[x.ndim - len(lengths) :]
    short = any(
        checks.is_known(have) and checks.is_known(want) and 0 < have < want
        for have, want in zip(sizes, lengths, strict=True)
    )
    if not short:
        return
    if checks.is_known_shape(x):
        if not x.size:
            raise checks.invalid(function, problem, required=f"at least {lengths}")
        return
    empty = jnp.asarray(False)
    for size in x.shape:
        empty |= primitives.as_size(size) == 0
    checks.check_data(empty, function, problem, required=f"at least {lengths}")


def _real_transform(function, transform, x, fft_length, count, *, inverse):
    """Compute a Fourier transform from real numbers, or to real numbers if `inverse`."""
    x = operand(x)
    axes = _over_last(function, x, count)
    lengths = _lengths(function, fft_length, count)
    if lengths is None:
        sizes = x.shape[-count:]
        last = 2 * (sizes[-1] - 1) if inverse else sizes[-1]
        lengths = (*sizes[:-1], max(last, 0) if checks.is_known(last) else last)
    _check_filled(function, x, (*lengths[:-1], lengths[-1] // 2 + 1) if inverse else lengths)
    out = lengths if inverse else (*lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0)
    if 0 in lengths or (checks.is_known_shape(x) and not x.size):
        dtype = jnp.real(x).dtype if inverse else jnp.result_type(x.dtype, jnp.complex64)
        zeros = jnp.zeros((*x.shape[: x.ndim - count], *out), dtype)
        return primitives.connected(zeros, jnp.real(x))
    return transform(x, s=lengths, axes=axes)


@preferring("complex64", "input")
@operator
def fft(input, name=None):
    """Compute the discrete Fourier transform over the last axis.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft
    """
    return _complex_transform("fft", jnp.fft.fftn, input, 1)


@preferring("complex64", "input")
@operator
def fft2d(input, name=None):
    """Compute the discrete Fourier transform over the last two axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft2d
    """
    return _complex_transform("fft2d", jnp.fft.fftn, input, 2)


@preferring("complex64", "input")
@operator
def fft3d(input, name=None):
    """Compute the discrete Fourier transform over the last three axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft3d
    """
    return _complex_transform("fft3d", jnp.fft.fftn, input, 3)


@preferring("complex64", "input")
@operator
def ifft(input, name=None):
    """Compute the inverse discrete Fourier transform over the last axis.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifft
    """
    return _complex_transform("ifft", jnp.fft.ifftn, input, 1)


@preferring("complex64", "input")
@operator
def ifft2d(input, name=None):
    """Compute the inverse discrete Fourier transform over the last two axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifft2d
    """
    return _complex_transform("ifft2d", jnp.fft.ifftn, input, 2)


@preferring("complex64", "input")
@operator
def ifft3d(input, name=None):
    """Compute the inverse discrete Fourier transform over the last three axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The transform, of the shape of `input`.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifft3d
    """
    return _complex_transform("ifft3d", jnp.fft.ifftn, input, 3)


@fixed("float32", "input_tensor")
@operator
def rfft(input_tensor, fft_length=None, name=None):
    """Compute the discrete Fourier transform of real numbers over the last axis.

    Args:
      input_tensor: float32 or float64 array.
      fft_length: the size to which the axis is truncated or zero-padded; the size of the axis when
        `None`.
      name: ignored.

    Returns:
      A complex array whose last axis contains the `n // 2 + 1` non-negative frequencies.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft
    """
    return _real_transform("rfft", jnp.fft.rfftn, input_tensor, fft_length, 1, inverse=False)


@fixed("float32", "input_tensor")
@operator
def rfft2d(input_tensor, fft_length=None, name=None):
    """Compute the discrete Fourier transform of real numbers over the last two axes.

    Args:
      input_tensor: float32 or float64 array.
      fft_length: the two sizes to which the axes are truncated or zero-padded; their own sizes when
        `None`.
      name: ignored.

    Returns:
      A complex array whose last axis contains the `n // 2 + 1` non-negative frequencies.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft2d
    """
    return _real_transform("rfft2d", jnp.fft.rfftn, input_tensor, fft_length, 2, inverse=False)


@fixed("float32", "input_tensor")
@operator
def rfft3d(input_tensor, fft_length=None, name=None):
    """Compute the discrete Fourier transform of real numbers over the last three axes.

    Args:
      input_tensor: float32 or float64 array.
      fft_length: the three sizes to which the axes are truncated or zero-padded; their own sizes when
        `None`.
      name: ignored.

    Returns:
      A complex array whose last axis contains the `n // 2 + 1` non-negative frequencies.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft3d
    """
    return _real_transform("rfft3d", jnp.fft.rfftn, input_tensor, fft_length, 3, inverse=False)


@fixed("complex64", "input_tensor")
@operator
def irfft(input_tensor, fft_length=None, name=None):
    """Compute the inverse of `rfft`, over the last axis.

    Args:
      input_tensor: complex array whose last axis contains the non-negative frequencies.
      fft_length: the size to which the axis is truncated or zero-padded; the size of the axis when
        `None`.
      name: ignored.

    Returns:
      A real array.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/irfft
    """
    return _real_transform("irfft", jnp.fft.irfftn, input_tensor, fft_length, 1, inverse=True)


@fixed("complex64", "input_tensor")
@operator
def irfft2d(input_tensor, fft_length=None, name=None):
    """Compute the inverse of `rfft2d`, over the last two axes.

    Args:
      input_tensor: complex array whose last axis contains the non-negative frequencies.
      fft_length: the two sizes to which the axes are truncated or zero-padded; their own sizes when
        `None`.
      name: ignored.

    Returns:
      A real array.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/irfft2d
    """
    return _real_transform("irfft2d", jnp.fft.irfftn, input_tensor, fft_length, 2, inverse=True)


@fixed("complex64", "input_tensor")
@operator
def irfft3d(input_tensor, fft_length=None, name=None):
    """Compute the inverse of `rfft3d`, over the last three axes.

    Args:
      input_tensor: complex array whose last axis contains the non-negative frequencies.
      fft_length: the three sizes to which the axes are truncated or zero-padded; their own sizes when
        `None`.
      name: ignored.

    Returns:
      A real array.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel
        for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be static; the others may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/signal/irfft3d
    """
    return _real_transform("irfft3d", jnp.fft.irfftn, input_tensor, fft_length, 3, inverse=True)


def _shift_axes(function, x, axes, sign):
    """Roll axes by half of their size, rounded down if `sign` is positive, and up otherwise."""
    x = operand(x)
    for axis in checks.axes_of(function, axes, x.ndim, name="axes", twice="kept"):
        size = primitives.as_size(x.shape[axis])
        by = size // 2 if sign > 0 else (size + 1) // 2
        places = jnp.mod(jnp.arange(x.shape[axis], dtype=jnp.int32) - by, jnp.maximum(size, 1))
        x = x if _is_empty(x, axis) else jnp.take(x, places, axis=axis, mode="clip")
    return x


def _is_empty(x, axis) -> bool:
    return checks.is_known(x.shape[axis]) and x.shape[axis] == 0


@operator
def fftshift(x, axes=None, name=None):
    """Move the zero frequency to the center.

    Args:
      x: array.
      axes: the axes to shift; all when `None`.
      name: ignored.

    Returns:
      The shifted array.

    Raises:
      InvalidArgumentError: one of `axes` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/fftshift
    """
    return _shift_axes("fftshift", x, axes, 1)


@operator
def ifftshift(x, axes=None, name=None):
    """Move the zero frequency from the center to the front.

    Args:
      x: array.
      axes: the axes to shift; all when `None`.
      name: ignored.

    Returns:
      The shifted array.

    Raises:
      InvalidArgumentError: one of `axes` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifftshift
    """
    return _shift_axes("ifftshift", x, axes, -1)
