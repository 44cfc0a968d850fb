"""Define resampling kernels for images, and their weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from shims._src.numeric.separate_rounding import rounded_product


class Kernel(NamedTuple):
    """A resampling kernel: a symmetric weight function of the distance, 0 from `radius` on."""

    radius: float
    weight: Callable


def _triangle(distance):
    return jnp.maximum(1 - distance, 0)


def _gaussian(distance):
    return jnp.where(distance >= 1.5, 0, jnp.exp(-2 * distance * distance))


def _lanczos(lobes: float) -> Kernel:
    def weight(distance):
        angle = np.float32(np.pi) * jnp.where(distance <= 1e-3, 1, distance)
        value = lobes * jnp.sin(angle) * jnp.sin(angle / lobes) / (angle * angle)
        return jnp.where(distance > lobes, 0, jnp.where(distance <= 1e-3, 1, value))

    return Kernel(lobes, weight)


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Kernel:
    """Create a piecewise cubic kernel from two polynomials: coefficients, highest power first.

    `near` applies to distances up to 1, `far` to distances up to 2.
    """

    def weight(distance):
        inner, outer = (
            ((c[0] * distance + c[1]) * distance + c[2]) * distance + c[3] for c in (near, far)
        )
        return jnp.where(distance >= 2, 0, jnp.where(distance >= 1, outer, inner))

    return Kernel(2, weight)


KERNELS = {
    "bilinear": Kernel(1, _triangle),
    "bicubic": _cubic((1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2)),
    "mitchellcubic": _cubic((7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9)),
    "gaussian": Kernel(1.5, _gaussian),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}


def weights(kernel: Kernel, have, want, step, *, antialias: bool):
    """Compute the weight of each input pixel in each output pixel along one axis.

    Args:
      kernel: one of `KERNELS`.
      have: the number of input pixels.
      want: the number of output pixels.
      step: input pixels per output pixel, a float32 scalar.
      antialias: whether the kernel is widened by `step` if that is more than one pixel.

    Returns:
      float32 weights `[want, have]`, whose rows add up to 1, and a boolean array of that shape: the
      pixels that TensorFlow reads.
    """
    width = jnp.maximum(step, 1) if antialias else jnp.float32(1)
    # Rounded before the subtractions: the rounding decides which pixels have a weight.
    place = rounded_product(jnp.arange(want, dtype=jnp.float32) + 0.5, step)
    pixel = jnp.arange(have, dtype=jnp.float32)
    reach = kernel.radius * width
    first = jnp.ceil(place - reach - 0.5)[:, None]
    last = jnp.floor(place + reach - 0.5)[:, None]
    distance = jnp.abs(pixel + 0.5 - place[:, None]) * (1 / width)
    inside = (pixel >= first) & (pixel <= last)
    found = jnp.where(inside, kernel.weight(distance), 0)
    total = jnp.sum(found, axis=1, keepdims=True)
    is_enough = jnp.abs(total) >= 1000 * jnp.finfo(jnp.float32).tiny
    # TensorFlow reads the same number of pixels for every output, also those of weight 0.
    first = jnp.maximum(first, 0)
    seen = (pixel >= first) & (pixel < first + 2 * jnp.ceil(reach) + 1)
    return found / jnp.where(is_enough, total, 1), seen
