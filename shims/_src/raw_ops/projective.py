"""Transform images by projections of the plane, as `tfa.image` and the layers of Keras 2 do."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import sizes_of
from shims._src.gradients.custom_gradient import custom_gradient
from shims._src.sizes import primitives

_INTERPOLATIONS = ("NEAREST", "BILINEAR")


def ImageProjectiveTransformV3(
    images, transforms, output_shape, fill_value, interpolation, fill_mode="CONSTANT", name=None
):
    """Set each pixel of the result to the input pixel at the position to which a projection maps it.

    Args:
      images: `[batch, height, width, channels]`.
      transforms: array `[batch, 8]` or `[1, 8]` of the numbers `a0, a1, a2, b0, b1, b2, c0, c1`.
        They stand for the projection of `(x, y)` to `(a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) /
        k`, where `k = c0 x + c1 y + 1`.
      output_shape: the new height and width.
      fill_value: the value of pixels outside of the image, for the mode `CONSTANT`.
      interpolation: `NEAREST` or `BILINEAR`.
      fill_mode: `CONSTANT`, `NEAREST`, `REFLECT` or `WRAP`.
      name: ignored.

    Returns:
      Images of the new height and width.

    Raises:
      InvalidArgumentError: a shape, the interpolation or the mode is invalid.

    Differs from TensorFlow:
      `jax.jvp` raises an error, since TensorFlow's gradient (the incoming gradient transformed by the
      inverse projection) is not the derivative.

    Under jit:
      `output_shape` must be static.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/ImageProjectiveTransformV3
    """
    images, transforms = operand(images), operand(transforms, "float32")
    if images.ndim != 4 or transforms.ndim != 2 or transforms.shape[1] != 8:
        raise checks.invalid(
            "ImageProjectiveTransformV3",
            "the shapes of the operands do not match.",
            required="images [batch, height, width, channels], transforms [batch, 8] or [1, 8]",
            received=f"images {describe(images)}, transforms {describe(transforms)}",
        )
    if interpolation not in _INTERPOLATIONS or fill_mode not in _MODES:
        raise checks.invalid(
            "ImageProjectiveTransformV3",
            "`interpolation` or `fill_mode` has an unknown value.",
            required=f"interpolation in {_INTERPOLATIONS}, fill_mode in {tuple(_MODES)}",
            received=f"{interpolation!r}, {fill_mode!r}",
        )
    if not (is_known(transforms.shape[0]) and transforms.shape[0] == 1):
        transforms = primitives.unify_axis(
            transforms, 0, images.shape[0], label="ImageProjectiveTransformV3"
        )
    sizes = sizes_of("ImageProjectiveTransformV3", output_shape)
    if any(is_known(n) and n <= 0 for n in sizes):
        raise checks.invalid(
            "ImageProjectiveTransformV3",
            "the result would have no pixels.",
            required="a height and a width of at least 1",
            received=str(tuple(sizes)),
        )
    transforms, fill = map(lax.stop_gradient, (transforms, jnp.asarray(fill_value, images.dtype)))

    if not jnp.issubdtype(images.dtype, jnp.floating):
        return _project(images, transforms, sizes, fill, interpolation, fill_mode)

    @custom_gradient
    def projected(images):
        def of_images(upstream):
            back, none = _inverse(transforms), jnp.zeros((), upstream.dtype)
            return _project(upstream, back, images.shape[1:3], none, interpolation, fill_mode)

        return _project(images, transforms, sizes, fill, interpolation, fill_mode), of_images

    return projected(images)


def ImageProjectiveTransformV2(
    images, transforms, output_shape, interpolation, fill_mode="CONSTANT", name=None
):
    """Transform images by projections; pixels from outside of an image are 0.

    Args:
      images: as for `ImageProjectiveTransformV3`, like the other arguments.
      transforms: the projections.
      output_shape: the new height and width.
      interpolation: `NEAREST` or `BILINEAR`.
      fill_mode: `CONSTANT`, `NEAREST`, `REFLECT` or `WRAP`.
      name: ignored.

    Returns:
      Images of the new height and width.

    Raises:
      InvalidArgumentError: a shape, the interpolation or the mode is invalid.

    Differs from TensorFlow:
      `jax.jvp` raises an error, since TensorFlow's gradient (the incoming gradient transformed by the
      inverse projection) is not the derivative.

    Under jit:
      `output_shape` must be static.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/ImageProjectiveTransformV2
    """
    return ImageProjectiveTransformV3(
        images, transforms, output_shape, 0, interpolation, fill_mode, name
    )


def _inverse(transforms):
    """Return the inverse projections."""
    last = jnp.ones((transforms.shape[0], 1), transforms.dtype)
    matrices = jnp.concatenate([transforms, last], axis=1).reshape(-1, 3, 3)
    flat = jnp.linalg.inv(matrices).reshape(-1, 9)
    return flat[:, :8] / flat[:, 8:]


def _project(images, transforms, sizes, fill, interpolation, fill_mode):
    """Return the pixels of the images from which a projection takes each place."""
    x, y, defined = _sources(transforms, sizes)
    place = _MODES[fill_mode]
    y, x = place(y, images.shape[1]), place(x, images.shape[2])
    if interpolation == "NEAREST":
        found = _read(images, _rounded(y), _rounded(x), fill)
    else:
        found = _between(images, y, x, fill).astype(images.dtype)
    return jnp.where(defined, found, fill)


def _sources(transforms, sizes):
    """Return the coordinates in the images from which the result is taken, and where they are defined."""
    y, x = jnp.meshgrid(*(jnp.arange(n, dtype=jnp.float32) for n in sizes), indexing="ij")
    a0, a1, a2, b0, b1, b2, c0, c1 = jnp.moveaxis(transforms, 1, 0)[:, :, None, None]
    k = c0 * x + c1 * y + 1.0
    defined = k != 0
    k = jnp.where(defined, k, 1.0)
    return (a0 * x + a1 * y + a2) / k, (b0 * x + b1 * y + b2) / k, defined[..., None]


def _reflected(at, n: int):
    """Return coordinates in `[dcba|abcd|dcba]`."""
    if n <= 1:
        return jnp.zeros_like(at)
    twice = 2 * n
    low = jnp.where(at < twice, twice * jnp.trunc(-at / twice) + at, at)
    low = jnp.where(low < -n, low + twice, -low - 1)
    high = at - twice * jnp.trunc(at / twice)
    high = jnp.where(high >= n, twice - high - 1, high)
    return _clipped(jnp.where(at < 0, low, jnp.where(at > n - 1, high, at)), n)


def _wrapped(at, n: int):
    """Return coordinates in `[abcd|abcd|abcd]`."""
    if n <= 1:
        return jnp.zeros_like(at)
    low = at + n * (jnp.trunc(-at / (n - 1)) + 1)
    high = at - n * jnp.trunc(at / (n - 1))
    return _clipped(jnp.where(at < 0, low, jnp.where(at > n - 1, high, at)), n)


def _clipped(at, n: int):
    return jnp.clip(at, 0.0, n - 1.0)


_MODES = {
    "CONSTANT": lambda at, n: at,
    "NEAREST": _clipped,
    "REFLECT": _reflected,
    "WRAP": _wrapped,
}


def _rounded(at):
    """Round halves away from zero, as C++ does."""
    return jnp.trunc(at + jnp.where(at < 0, -0.5, 0.5))


def _read(images, y, x, fill):
    """Return the pixels at whole coordinates, the fill value outside of the images."""
    height, width = images.shape[1:3]
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)  # also if they are NaN
    row = jnp.where(inside, y, 0).astype(jnp.int32)
    column = jnp.where(inside, x, 0).astype(jnp.int32)
    image = jnp.arange(images.shape[0])[:, None, None]
    return jnp.where(inside[..., None], images[image, row, column], fill)


def _between(images, y, x, fill):
    """Return the pixels between four whole coordinates, as float32."""
    top, left = jnp.floor(y), jnp.floor(x)

    def row(at):
        one, other = (
            _read(images, at, column, fill).astype(jnp.float32) for column in (left, left + 1)
        )
        return (left + 1 - x)[..., None] * one + (x - left)[..., None] * other

    return (top + 1 - y)[..., None] * row(top) + (y - top)[..., None] * row(top + 1)
