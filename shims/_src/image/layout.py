"""Flip, rotate, crop and pad images."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known, is_known_shape
from shims._src.arguments.operands import operand
from shims._src.array.casting import convert
from shims._src.array.cutting import window
from shims._src.array.shapes import size_of
from shims._src.elementwise.elementwise import larger, square_root
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by

# The largest side of an image whose size is known only at run time, for `central_crop`.
_LARGEST = 16_384


def image_of(function: str, image, *, may_be_empty: bool = False):
    """Convert `image` to an array with three axes, or four with a batch axis.

    Raises:
      InvalidArgumentError: `image` has the wrong number of axes, or no pixels; TensorFlow raises
        `ValueError`.
    """
    x = operand(image)
    if x.ndim not in (3, 4):
        raise checks.invalid(
            function,
            "`image` must have three axes, or four with a batch.",
            required="[height, width, channels] or [batch, height, width, channels]",
            received=f"rank {x.ndim}",
        )
    if not may_be_empty:
        sizes = x.shape[-3:]
        empty: Any = any(is_known(d) and d == 0 for d in sizes)
        if not empty and not all(map(is_known, sizes)):
            empty = jnp.stack([primitives.as_size(d) for d in sizes]) == 0
        checks.check_data(
            empty, function, "an image has no pixels.", required="height, width, channels > 0"
        )
    return x


@operator(compiled=True)
def flip_left_right(image):
    """Flip images left to right.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/flip_left_right
    """
    return jnp.flip(image_of("flip_left_right", image), -2)


@operator(compiled=True)
def flip_up_down(image):
    """Flip images upside down.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/flip_up_down
    """
    return jnp.flip(image_of("flip_up_down", image), -3)


@operator(compiled=True)
def transpose(image, name=None):
    """Transpose images: exchange rows and columns.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      name: ignored.

    Returns:
      The array with the axes of height and width exchanged.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/transpose
    """
    return jnp.swapaxes(image_of("transpose", image), -3, -2)


@operator(compiled=True)
def rot90(image, k=1, name=None):
    """Rotate images counter-clockwise by multiples of 90 degrees.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      k: the number of rotations by 90 degrees; static.
      name: ignored.

    Returns:
      The rotated images.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.
      FreshSizeError: `k` is traced.

    Differs from TensorFlow:
      `k` cannot be traced.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/rot90
    """
    x = image_of("rot90", image)
    return jnp.rot90(x, checks.static_int("rot90", "k", k) % 4, axes=(x.ndim - 3, x.ndim - 2))


@operator(compiled=True)
def central_crop(image, central_fraction):
    """Crop the central region of images.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      central_fraction: the fraction of each side to keep, a Python number in (0, 1].

    Returns:
      The central region; the margins on opposite sides are equal.

    Raises:
      ValueError: the fraction is not in (0, 1], or `image` has the wrong number of axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The size of the result depends on the size of the image; sizes known only at run time may be
      up to 16,384.

    https://www.tensorflow.org/api_docs/python/tf/image/central_crop
    """
    fraction = float(central_fraction)
    if not 0 < fraction <= 1:
        raise ValueError(f"central_crop: `central_fraction` must be in (0, 1], got {fraction}.")
    if fraction == 1:
        return operand(image)  # of any rank, as in TensorFlow
    x = image_of("central_crop", image)
    for axis in (x.ndim - 3, x.ndim - 2):
        start = _margin(x.shape[axis], fraction)
        x = window(x, axis, start, x.shape[axis] - 2 * start, function="central_crop")
    return x


def _margin(n, fraction: float):
    """Compute the width that a central crop removes on one side, in float64 as TensorFlow does."""
    if is_known(n):
        return int((n - n * fraction) / 2)
    # float64 needs `jax_enable_x64`: look the margin up in a table of all sizes.
    size = primitives.as_size(n)
    checks.check_data(
        size > _LARGEST, "central_crop", "the image is too large.", required=f"sides <= {_LARGEST}"
    )
    sizes = np.arange(_LARGEST + 1, dtype=np.float64)
    margins = ((sizes - sizes * fraction) / 2).astype(np.int32)
    return jnp.take(jnp.asarray(margins), size, mode="clip")


@sized_by("target_height", "target_width", compiled=True)
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Crop images to a bounding box.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      offset_height: the first row.
      offset_width: the first column.
      target_height: the height of the box.
      target_width: the width of the box.

    Returns:
      The cropped images.

    Raises:
      InvalidArgumentError: the box extends beyond the image, or is empty.

    Differs from TensorFlow:
      If the numbers are Python numbers, TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      The offsets and the target sizes may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/crop_to_bounding_box
    """
    x = image_of("crop_to_bounding_box", image)
    below = jnp.asarray(target_height) <= 0, jnp.asarray(target_width) <= 0
    checks.check_data(
        below[0] | below[1],
        "crop_to_bounding_box",
        "the bounding box is empty.",
        required="target_height > 0, target_width > 0",
    )
    x = window(x, x.ndim - 3, offset_height, target_height, function="crop_to_bounding_box")
    return window(x, x.ndim - 2, offset_width, target_width, function="crop_to_bounding_box")


def _pad_or_crop(x, axis: int, before, n):
    """Pad or crop an axis to `n` elements.

    before: the number of zeros in front; a negative number crops.
    """
    have = x.shape[axis]
    if not jp.is_tracer(before) and all(is_known(d) for d in (before, have, n)):
        config = [(0, 0, 0)] * x.ndim
        config[axis] = (before, n - have - before, 0)
        return lax.pad(x, jnp.zeros((), x.dtype), config)
    place = jnp.arange(n, dtype=jnp.int32) - jnp.asarray(before, jnp.int32)
    inside = (place >= 0) & (place < primitives.as_size(have))
    inside = inside.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return jnp.where(inside, jnp.take(x, jnp.where(place < 0, 0, place), axis=axis, mode="clip"), 0)


@sized_by("target_height", "target_width", compiled=True)
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Pad images with zeros to a bounding box.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      offset_height: rows of zeros above.
      offset_width: columns of zeros to the left.
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      The padded images.

    Raises:
      InvalidArgumentError: the image does not fit into the box.

    Differs from TensorFlow:
      If the numbers are Python numbers, TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      The offsets and the target sizes may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/pad_to_bounding_box
    """
    x = image_of("pad_to_bounding_box", image)
    sides = ((x.ndim - 3, offset_height, target_height), (x.ndim - 2, offset_width, target_width))
    for axis, offset, target in sides:
        offset, target = (jnp.asarray(v, jnp.int32) for v in (offset, target))
        have = primitives.as_size(x.shape[axis])
        checks.check_data(
            (offset < 0) | (target < have + offset),
            "pad_to_bounding_box",
            "the image does not fit into the bounding box.",
            required="offset >= 0, offset + size <= target",
        )
    for axis, offset, target in sides:
        offset = offset if jp.is_tracer(offset) or jp.is_symbolic(offset) else int(offset)
        x = _pad_or_crop(x, axis, offset, size_of("pad_to_bounding_box", target))
    return x


@sized_by("target_height", "target_width", compiled=True)
def resize_with_crop_or_pad(image, target_height, target_width):
    """Crop or pad images centrally to a size.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      The cropped or padded images.

    Raises:
      InvalidArgumentError: a size is not positive.

    Differs from TensorFlow:
      If the numbers are Python numbers, TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      `target_height` and `target_width` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/resize_with_crop_or_pad
    """
    x = image_of("resize_with_crop_or_pad", image)
    positive = functools.partial(
        checks.check_data,
        function="resize_with_crop_or_pad",
        problem="a size must be positive.",
        required="target_height > 0, target_width > 0",
    )
    for axis, target in ((x.ndim - 3, target_height), (x.ndim - 2, target_width)):
        positive(jnp.asarray(target) <= 0)
        n = size_of("resize_with_crop_or_pad", target)
        have = x.shape[axis]
        if is_known(n) and is_known(have):
            before = (n - have) // 2 if n > have else -((have - n) // 2)
        else:
            more = primitives.as_size(n) - primitives.as_size(have)
            before = jnp.where(more > 0, more // 2, -((-more) // 2))
        x = _pad_or_crop(x, axis, before, n)
    return x


@operator(compiled=True)
def per_image_standardization(image):
    """Standardize each image to mean 0 and variance 1.

    Args:
      image: array `[..., height, width, channels]`.

    Returns:
      The images, float32 unless they are floating-point; 0 for an image of a single color.

    Raises:
      InvalidArgumentError: the array has fewer than three axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/per_image_standardization
    """
    x = operand(image)
    if x.ndim < 3:
        raise checks.invalid(
            "per_image_standardization",
            "`image` must have at least three axes.",
            received=f"rank {x.ndim}",
        )
    _check_pixels("per_image_standardization", x)
    x = convert(x, jnp.float32)
    axes = tuple(range(x.ndim - 3, x.ndim))
    count = jnp.asarray(1, jnp.int32)
    for axis in axes:
        count = count * primitives.as_size(x.shape[axis])
    if is_known_shape(x):
        count = jnp.asarray(int(np.prod(x.shape[-3:])))
    mean = jnp.mean(x, axis=axes, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=axes, keepdims=True)
    return (x - mean) / larger(square_root(variance), lax.rsqrt(count.astype(x.dtype)))


def _check_pixels(function: str, x) -> None:
    """Check that images have pixels and channels."""
    problem, required = "an image has no pixels.", "height, width, channels > 0"
    known = [d for d in x.shape[-3:] if is_known(d)]
    if 0 in known:
        raise checks.invalid(function, problem, required=required, received=f"shape {x.shape}")
    for size in x.shape[-3:]:
        if not is_known(size):
            checks.check_data(primitives.as_size(size) == 0, function, problem, required=required)
