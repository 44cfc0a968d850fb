"""Extract windows of images around given points: `image.extract_glimpse`."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import fixed
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import sizes_of
from shims._src.errors import errors
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_NOISES = ("uniform", "gaussian", "zero")


@fixed("float32", "input")
@fixed("float32", "offsets")
@operator
def extract_glimpse(
    input, size, offsets, centered=True, normalized=True, noise="uniform", name=None
):
    """Extract a window around one point of each image.

    Args:
      input: float32 `[batch, height, width, channels]`.
      size: two integers, height and width of the windows.
      offsets: float32 `[batch, 2]`, the row and column of each point.
      centered: whether points are relative to the center of the image instead of its first pixel.
      normalized: whether points are in units of the image size, or in units of half the image size
        if `centered` is True. If `centered` and `normalized` are both True, the points are the
        centers of the windows; otherwise, they are the first pixels of the windows.
      noise: the values outside of the image, which must be `zero`; TensorFlow's random noise is rejected.
      name: ignored.

    Returns:
      An array `[batch, *size, channels]`.

    Raises:
      InvalidArgumentError: the shapes are incompatible, or `noise` is unknown.
      UnimplementedError: a window extends beyond its image, and `noise` is not `zero`.

    Differs from TensorFlow:
      Random noise is rejected, since TensorFlow's is not reproducible.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/extract_glimpse
    """
    x, points = operand(input), operand(offsets)
    if x.ndim != 4 or points.ndim != 2:
        received = f"{describe(x)} and {describe(points)}"
        raise checks.invalid(
            "extract_glimpse",
            "the ranks of the operands do not match.",
            required="ranks 4 and 2",
            received=received,
        )
    if noise not in _NOISES:
        raise checks.invalid(
            "extract_glimpse", f"`noise` must not be {noise!r}.", required=f"{_NOISES}"
        )
    height, width = sizes_of("extract_glimpse", size)
    points = primitives.unify_axis(points, 0, x.shape[0], label="extract_glimpse")
    points = primitives.unify_axis(points, 1, 2, label="extract_glimpse")
    columns, inside = [], []
    for axis, extent in ((0, height), (1, width)):
        n = primitives.as_size(x.shape[1 + axis])
        first = _first_index(points[:, axis], n, primitives.as_size(extent), centered, normalized)
        place = first[:, None] + jnp.arange(extent, dtype=jnp.int32)
        inside.append((place >= 0) & (place < n))
        columns.append(jnp.clip(place, 0, jnp.maximum(n - 1, 0)))
    rows, columns = columns
    both = inside[0][:, :, None] & inside[1][:, None, :]
    if noise != "zero":
        checks.check_data(
            ~jnp.all(both),
            "extract_glimpse",
            "a window extends beyond the image, and TensorFlow's random noise is not reproducible.",
            required="`noise='zero'`, or windows inside the images",
            error=errors.UnimplementedError,
        )
    x = jnp.pad(x, [(0, 0), (0, 1), (0, 1), (0, 0)])  # so that an empty image can be indexed
    taken = jax.vmap(lambda image, r, c: image[r][:, c])(x, rows, columns)
    return jnp.where(both[..., None], taken, jnp.zeros((), x.dtype))


def _first_index(point, n, extent, centered: bool, normalized: bool):
    """Return the index of the first row or column of each window.

    If points are in pixels relative to the image center, TensorFlow's windows begin at the points instead
    of being centered on them.
    """
    size, half = n.astype(point.dtype), n.astype(point.dtype) / 2
    if normalized and centered:
        point = point * half + half - extent.astype(point.dtype) / 2
    elif normalized:
        point = point * size
    elif centered:
        point = point + half
    first = jnp.trunc(point).astype(jnp.int32)
    return jnp.where(jnp.isnan(point), jnp.iinfo(jnp.int32).min, first)  # outside of every image
