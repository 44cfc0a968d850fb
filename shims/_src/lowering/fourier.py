"""Define the masking rule of Fourier transforms; for unknown lengths Bluestein's method is used."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering.refusals import line_of, unsupported
from shims._src.lowering.rule import Rule
from shims._src.lowering.shaping import report_empty
from shims._src.lowering.slicing import fit
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


def fft(ctx, eqn, value):
    """Lower Fourier transforms over static or dynamic axes."""
    lengths = eqn.params["fft_lengths"]
    shape = eqn.invars[0].aval.shape
    out_shape = eqn.outvars[0].aval.shape
    value = ctx.expand_uniform(value)
    last = shape[len(shape) - len(lengths) :]
    if not any(map(jp.is_symbolic, (*last, *lengths))):
        (out,) = jp.bind(eqn, [value.array])
        return [Value(out, value.axes)]
    kind = lax.FftType(eqn.params["fft_type"])
    if any(jp.is_symbolic(d) != jp.is_symbolic(n) for d, n in zip(last[:-1], lengths[:-1])):
        raise unsupported(eqn)
    if kind == lax.FftType.RFFT and jp.is_symbolic(lengths[-1]):
        # Of no numbers it would have one frequency, and XLA refuses it.
        report_empty(ctx, lengths[-1], ctx.size(lengths[-1]) == 0, line_of(eqn))
    value = ctx.pack_all(value)
    array = ctx.fill(value, np.zeros((), value.array.dtype)).array
    inverse = kind in (lax.FftType.IFFT, lax.FftType.IRFFT)
    wide = jnp.result_type(array.dtype, jnp.complex64)
    order = (
        range(-len(lengths), 0) if kind == lax.FftType.IRFFT else range(-1, -len(lengths) - 1, -1)
    )
    for axis in order:
        n = lengths[axis]
        if axis == -1 and kind == lax.FftType.IRFFT:
            array = _with_conjugates(ctx, array.astype(wide), n)
        array = _along(ctx, array.astype(wide), axis, n, inverse)
    array = array.real if kind == lax.FftType.IRFFT else array
    for i, d in enumerate(out_shape):
        array = fit(array, i, ctx.capacity(d))
    return [ctx.clear_padding(Value(array, ctx.axes(out_shape)))]


def _with_conjugates(ctx, half, n):
    """Extend the nonnegative frequencies of a real signal's spectrum to all `n` frequencies."""
    places = jnp.arange(ctx.capacity(n))
    size = jnp.asarray(ctx.size(n), jnp.int32)
    mirrored = places > size // 2
    source = jnp.where(mirrored, size - places, places)
    found = jnp.take(half, jnp.clip(source, 0, half.shape[-1] - 1), axis=-1)
    # The first and the middle frequency of a real signal are real.
    alone = (places == 0) | (2 * places == size)
    found = jnp.where(alone, found.real.astype(found.dtype), found)
    return jnp.where(places < size, jnp.where(mirrored, jnp.conj(found), found), 0)


def _along(ctx, array, axis, n, inverse):
    """Compute the Fourier transform of length `n` along one axis, whose padding is zero."""
    if not jp.is_symbolic(n):
        if n == 0:  # which `jnp.fft` refuses
            return fit(array, axis % array.ndim, 0)
        return (jnp.fft.ifft if inverse else jnp.fft.fft)(array, int(n), axis)
    size = jnp.maximum(jnp.asarray(ctx.size(n), jnp.int32), 1)
    array = jnp.moveaxis(array, axis, -1)
    out = _bluestein(fit(array, array.ndim - 1, ctx.capacity(n)), size, inverse)
    return jnp.moveaxis(out / size if inverse else out, -1, axis)


def _bluestein(array, size, inverse):
    """Compute a Fourier transform of traced length `size` as a convolution with a chirp.

    As `2 j k = j² + k² - (k - j)²`, the transform is a convolution, which transforms of a static length
    compute. Its wrapped parts stay outside of the result.
    """
    capacity = array.shape[-1]
    length = 1 << max(2 * capacity - 1, 1).bit_length()
    places = jnp.arange(capacity, dtype=jnp.int32)
    chirp = _chirp(places, size, array.dtype, 1 if inverse else -1)
    valid = places < size
    chirp = jnp.where(valid, chirp, 0)
    kernel = jnp.zeros((length,), array.dtype).at[places].set(jnp.conj(chirp))
    kernel = kernel.at[(length - places) % length].set(jnp.conj(chirp))
    spectrum = jnp.fft.fft(array * chirp, length) * jnp.fft.fft(kernel)
    return jnp.fft.ifft(spectrum)[..., :capacity] * chirp


def _chirp(places, size, dtype, sign):
    """Return `exp(sign * pi * i * places**2 / size)`.

    `places**2` is reduced modulo `2 * size` in integers, since its rounding error as a float would be an
    error of the angle.
    """
    double = jnp.uint32(2) * size.astype(jnp.uint32)
    places = places.astype(jnp.uint32)
    high, low = places >> 8, places & 255
    # In parts, so that no product exceeds 32 bits.
    rest = (high * places) % double
    rest = (rest * 256 % double + low * places % double) % double
    angle = (sign * np.pi) * rest.astype(jnp.real(jnp.zeros((), dtype)).dtype) / size
    return lax.complex(jnp.cos(angle), jnp.sin(angle))


RULES = (Rule("fft", fft, uniform=True),)
