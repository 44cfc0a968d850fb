"""Fourier transforms over the last axes, or over given ones."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import fixed, preferring
from shims._src.arguments.operands import describe, operand
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def _over_last(function: str, x, count: int):
    """The last axes, of which there must be enough."""
    if x.ndim < count:
        raise checks.invalid(
            function,
            "there are too few axes.",
            required=f"rank >= {count}",
            received=describe(x),
        )
    return tuple(range(-count, 0))


def _complex_transform(function, transform, x, count):
    x = operand(x)
    axes = _over_last(function, x, count)
    if checks.is_known_shape(x) and not x.size:
        return x
    return transform(x, axes=axes)


def _lengths(function, fft_length, count):
    """The sizes to transform, one for each of the last axes; `None` where they are not given."""
    if fft_length is None:
        return None
    if np.ndim(fft_length) == 0:
        raise checks.invalid(function, "`fft_length` must be a vector.", required=f"{count} sizes")
    lengths = tuple(checks.static_int(function, "fft_length", n) for n in fft_length)
    if len(lengths) != count or min(lengths) < 0:
        raise checks.invalid(
            function,
            "`fft_length` does not have a size for every axis.",
            required=f"{count} sizes >= 0",
            received=f"{list(lengths)}",
        )
    return lengths


def _check_filled(function, x, lengths) -> None:
    """TensorFlow fills no array up with zeros that has no elements."""
    problem = "an array without elements is shorter than `fft_length`."
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
        empty |= primitives.true_size(size) == 0
    checks.check_data(empty, function, problem, required=f"at least {lengths}")


def _real_transform(function, transform, x, fft_length, count, *, inverse):
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
    """The discrete Fourier transform over the last axis.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft
    """
    return _complex_transform("fft", jnp.fft.fftn, input, 1)


@preferring("complex64", "input")
@operator
def fft2d(input, name=None):
    """The discrete Fourier transform over the last two axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft2d
    """
    return _complex_transform("fft2d", jnp.fft.fftn, input, 2)


@preferring("complex64", "input")
@operator
def fft3d(input, name=None):
    """The discrete Fourier transform over the last three axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/fft3d
    """
    return _complex_transform("fft3d", jnp.fft.fftn, input, 3)


@preferring("complex64", "input")
@operator
def ifft(input, name=None):
    """The inverse discrete Fourier transform over the last axis.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifft
    """
    return _complex_transform("ifft", jnp.fft.ifftn, input, 1)


@preferring("complex64", "input")
@operator
def ifft2d(input, name=None):
    """The inverse discrete Fourier transform over the last two axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifft2d
    """
    return _complex_transform("ifft2d", jnp.fft.ifftn, input, 2)


@preferring("complex64", "input")
@operator
def ifft3d(input, name=None):
    """The inverse discrete Fourier transform over the last three axes.

    Args:
      input: complex array.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there are too few axes, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifft3d
    """
    return _complex_transform("ifft3d", jnp.fft.ifftn, input, 3)


@fixed("float32", "input_tensor")
@operator
def rfft(input_tensor, fft_length=None, name=None):
    """The discrete Fourier transform of real numbers over the last axis.

    Args:
      input_tensor: float32 or float64 array.
      fft_length: 1 sizes; the axes are cut off or filled with zeros. Those of the array when
        `None`.
      name: ignored.

    Returns:
      The complex array, of which half of the last axis is there, `n // 2 + 1`.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel for
        the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft
    """
    return _real_transform("rfft", jnp.fft.rfftn, input_tensor, fft_length, 1, inverse=False)


@fixed("float32", "input_tensor")
@operator
def rfft2d(input_tensor, fft_length=None, name=None):
    """The discrete Fourier transform of real numbers over the last two axes.

    Args:
      input_tensor: float32 or float64 array.
      fft_length: 2 sizes; the axes are cut off or filled with zeros. Those of the array when
        `None`.
      name: ignored.

    Returns:
      The complex array, of which half of the last axis is there, `n // 2 + 1`.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel for
        the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft2d
    """
    return _real_transform("rfft2d", jnp.fft.rfftn, input_tensor, fft_length, 2, inverse=False)


@fixed("float32", "input_tensor")
@operator
def rfft3d(input_tensor, fft_length=None, name=None):
    """The discrete Fourier transform of real numbers over the last three axes.

    Args:
      input_tensor: float32 or float64 array.
      fft_length: 3 sizes; the axes are cut off or filled with zeros. Those of the array when
        `None`.
      name: ignored.

    Returns:
      The complex array, of which half of the last axis is there, `n // 2 + 1`.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel for
        the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/rfft3d
    """
    return _real_transform("rfft3d", jnp.fft.rfftn, input_tensor, fft_length, 3, inverse=False)


@fixed("complex64", "input_tensor")
@operator
def irfft(input_tensor, fft_length=None, name=None):
    """The inverse of `rfft`.

    Args:
      input_tensor: complex array, of which half of the last axis is there.
      fft_length: 1 sizes; the axes are cut off or filled with zeros. Those of the array when
        `None`.
      name: ignored.

    Returns:
      The real array.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel for
        the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/irfft
    """
    return _real_transform("irfft", jnp.fft.irfftn, input_tensor, fft_length, 1, inverse=True)


@fixed("complex64", "input_tensor")
@operator
def irfft2d(input_tensor, fft_length=None, name=None):
    """The inverse of `rfft2d`.

    Args:
      input_tensor: complex array, of which half of the last axis is there.
      fft_length: 2 sizes; the axes are cut off or filled with zeros. Those of the array when
        `None`.
      name: ignored.

    Returns:
      The real array.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel for
        the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/irfft2d
    """
    return _real_transform("irfft2d", jnp.fft.irfftn, input_tensor, fft_length, 2, inverse=True)


@fixed("complex64", "input_tensor")
@operator
def irfft3d(input_tensor, fft_length=None, name=None):
    """The inverse of `rfft3d`.

    Args:
      input_tensor: complex array, of which half of the last axis is there.
      fft_length: 3 sizes; the axes are cut off or filled with zeros. Those of the array when
        `None`.
      name: ignored.

    Returns:
      The real array.

    Raises:
      InvalidArgumentError: there are too few axes, a size is negative, or TensorFlow has no kernel for
        the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of the transformed axes must be known; those of the others may be unknown.

    https://www.tensorflow.org/api_docs/python/tf/signal/irfft3d
    """
    return _real_transform("irfft3d", jnp.fft.irfftn, input_tensor, fft_length, 3, inverse=True)


def _shifted(function, x, axes, sign):
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
    """The array with zero frequency moved to the middle.

    Args:
      x: array.
      axes: the axes to move along; all when `None`.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there is no such axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/fftshift
    """
    return _shifted("fftshift", x, axes, 1)


@operator
def ifftshift(x, axes=None, name=None):
    """The array with zero frequency moved from the middle to the front.

    Args:
      x: array.
      axes: the axes to move along; all when `None`.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: there is no such axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/ifftshift
    """
    return _shifted("ifftshift", x, axes, -1)
