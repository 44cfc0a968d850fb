"""Resize images as TensorFlow 1 does: by default, pixel centers have integer coordinates."""

from __future__ import annotations

import jax.numpy as jnp

import shims
from shims._src.arguments.checks import is_known
from shims._src.array.cutting import entries
from shims._src.array.shapes import size_of
from shims._src.errors import errors
from shims._src.image import sampling
from shims._src.image.layout import image_of
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import sized_by

_STEPS = 1024
_A = -0.75


class ResizeMethod:
    """The methods of `tf.image.resize_images`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/ResizeMethod
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resize images with bilinear interpolation.

    Args:
      images: array `[batch, height, width, channels]`.
      size: `[height, width]` of the result.
      align_corners: whether to keep the centers of the corner pixels in place.
      name: the name of the operation.
      half_pixel_centers: whether pixel centers are at half-integers, as in TensorFlow 2.

    Returns:
      float32 images.

    Differs from TensorFlow:
      Nothing on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/resize_bilinear
    """
    return _resize("bilinear", images, size, align_corners, half_pixel_centers)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resize images with nearest-neighbor interpolation.

    Args:
      images: array `[batch, height, width, channels]`.
      size: `[height, width]` of the result.
      align_corners: whether to keep the centers of the corner pixels in place.
      name: the name of the operation.
      half_pixel_centers: whether pixel centers are at half-integers, as in TensorFlow 2.

    Returns:
      Images of the same dtype.

    Differs from TensorFlow:
      Nothing on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/resize_nearest_neighbor
    """
    return _resize("nearest", images, size, align_corners, half_pixel_centers)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resize images with bicubic interpolation.

    Args:
      images: array `[batch, height, width, channels]`.
      size: `[height, width]` of the result.
      align_corners: whether to keep the centers of the corner pixels in place.
      name: the name of the operation.
      half_pixel_centers: whether pixel centers are at half-integers, as in TensorFlow 2.

    Returns:
      float32 images.

    Differs from TensorFlow:
      Nothing on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/resize_bicubic
    """
    return _resize("bicubic", images, size, align_corners, half_pixel_centers)


def resize_area(images, size, align_corners=False, name=None):
    """Resize images by averaging over the area that each output pixel covers.

    Args:
      images: array `[batch, height, width, channels]`.
      size: `[height, width]` of the result.
      align_corners: must be `False`.
      name: the name of the operation.

    Returns:
      float32 images.

    Raises:
      UnimplementedError: `align_corners` is set.

    Differs from TensorFlow:
      The operator is differentiable; TensorFlow has no gradient for it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/resize_area
    """
    return _resize("area", images, size, align_corners, True)


_METHODS = {
    0: "bilinear",
    1: "nearest",
    2: "bicubic",
    3: "area",
    "bilinear": "bilinear",
    "nearest": "nearest",
    "bicubic": "bicubic",
    "area": "area",
}


def resize_images(
    images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None
):
    """Resize images with a given method.

    Args:
      images: array `[batch, height, width, channels]` or `[height, width, channels]`.
      size: `[height, width]` of the result.
      method: a `tf.image.ResizeMethod`.
      align_corners: whether to keep the centers of the corner pixels in place.
      preserve_aspect_ratio: whether to keep the aspect ratio, within `size`.
      name: the name of the operation.

    Returns:
      float32 images; the dtype is kept for nearest neighbors, and if the size does not change.

    Raises:
      ValueError: the method is unknown, or `size` does not have two elements.
      UnimplementedError: `AREA` with `align_corners`.

    Differs from TensorFlow:
      Nothing on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/resize_images
    """
    if getattr(method, "value", method) not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    x = image_of("resize_images", images)
    target = entries(size)
    if len(target) != 2:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if preserve_aspect_ratio:
        target = sampling._fit_into(x, target)
    if all(is_known(d) and int(d) == have for d, have in zip(target, x.shape[-3:-1])):
        return x
    found = _METHODS[getattr(method, "value", method)]
    return _resize(found, x, target, align_corners, found == "area")


def _resize(method, images, size, align_corners, half_pixel_centers):
    if align_corners and half_pixel_centers and method != "area":
        raise errors.InvalidArgumentError(
            "If half_pixel_centers is True, align_corners must be False."
        )
    if half_pixel_centers and not align_corners:
        return shims.image.resize(images, size, method)
    if method == "area":
        raise errors.UnimplementedError(
            errors.message(
                "resize_area",
                "`align_corners` is not supported for the area method.",
                received="align_corners=True",
                do="remove `align_corners`, or use `resize_bilinear`.",
            )
        )
    return _resize_legacy(images, size, method, bool(align_corners))


@sized_by("size", compiled=True)
def _resize_legacy(images, size, method, align_corners):
    x = image_of("resize", images)
    target = [size_of("resize", d) for d in entries(size)]
    if method != "nearest":
        x = x.astype(jnp.float32)
    for axis, want in zip((x.ndim - 3, x.ndim - 2), target, strict=True):
        place = _source_coordinates(x.shape[axis], want, align_corners)
        x = _INTERPOLATE[method](x, axis, place, align_corners)
    return x


def _source_coordinates(have, want, align_corners: bool):
    """Compute the coordinates in the input that correspond to the pixels of the output."""
    have, steps = primitives.as_size(have), primitives.as_size(want)
    if align_corners:
        scale = sampling.float32_quotient(
            jnp.where(steps > 1, have - 1, have), jnp.where(steps > 1, steps - 1, steps)
        )
    else:
        scale = sampling.float32_quotient(have, steps)
    return jnp.arange(want, dtype=jnp.float32) * scale


def _bilinear(x, axis, place, align_corners):
    del align_corners
    floor = jnp.floor(place)
    low = floor.astype(jnp.int32)
    last = primitives.as_size(x.shape[axis]) - 1
    first = jnp.take(x, jnp.minimum(low, last), axis=axis, mode="clip")
    second = jnp.take(x, jnp.minimum(low + 1, last), axis=axis, mode="clip")
    return first + (second - first) * _reshape_along(place - floor, x, axis)


def _nearest(x, axis, place, align_corners):
    # C rounds halves away from zero.
    rounded = jnp.floor(place + 0.5) if align_corners else jnp.floor(place)
    last = primitives.as_size(x.shape[axis]) - 1
    return jnp.take(x, jnp.minimum(rounded.astype(jnp.int32), last), axis=axis, mode="clip")


def _bicubic(x, axis, place, align_corners):
    """Interpolate along an axis with Keys' cubic kernel (a = -0.75); edge pixels are repeated.

    As in TensorFlow, fractional coordinates are rounded to multiples of 1/1024.
    """
    del align_corners
    floor = jnp.floor(place)
    step = jnp.round((place - floor) * _STEPS) / _STEPS
    last = primitives.as_size(x.shape[axis]) - 1
    total = 0
    for offset, distance in zip((-1, 0, 1, 2), (step + 1, step, 1 - step, 2 - step), strict=True):
        near = ((_A + 2) * distance - (_A + 3)) * distance * distance + 1
        far = ((_A * distance - 5 * _A) * distance + 8 * _A) * distance - 4 * _A
        tap = jnp.clip(floor.astype(jnp.int32) + offset, 0, last)
        weight = far if offset in (-1, 2) else near
        total = total + jnp.take(x, tap, axis=axis, mode="clip") * _reshape_along(weight, x, axis)
    return total


_INTERPOLATE = {"bilinear": _bilinear, "nearest": _nearest, "bicubic": _bicubic}


def _reshape_along(vector, x, axis):
    return vector.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


def crop_and_resize(
    image,
    boxes,
    box_ind=None,
    crop_size=None,
    method="bilinear",
    extrapolation_value=0,
    name=None,
    box_indices=None,
):
    """Crop boxes from images and resize them; see `tf.image.crop_and_resize` of TensorFlow 2.

    Raises:
      ValueError: both `box_ind` and `box_indices` are given.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/crop_and_resize
    """
    if box_ind is not None and box_indices is not None:
        raise ValueError("Cannot specify both 'box_indices' and 'box_ind'")
    owner = box_ind if box_indices is None else box_indices
    return shims.image.crop_and_resize(image, boxes, owner, crop_size, method, extrapolation_value)
