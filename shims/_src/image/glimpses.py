"""Windows of images around given points: `image.extract_glimpse`."""

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
    """A window of each image, around a point of its own.

    Args:
      input: float32 `[batch, height, width, channels]`.
      size: two integers, height and width of the windows.
      offsets: float32 `[batch, 2]`, row and column of the points.
      centered: whether points are counted from the middle of the image, else from its first pixel.
      normalized: whether they are counted in sizes of the image, half ones where `centered`. Windows
        are around their points where both are True, and begin at them otherwise.
      noise: what stands beside the image: `zero`, or noise of TensorFlow's own, which is refused.
      name: ignored.

    Returns:
      `[batch, *size, channels]`.

    Raises:
      InvalidArgumentError: the shapes do not fit, or there is no such noise.
      UnimplementedError: a window reaches over the border of its image, and `noise` is not `zero`.

    Differs from TensorFlow:
      There is no noise: TensorFlow's cannot be repeated.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/extract_glimpse
    """
    x, points = operand(input), operand(offsets)
    if x.ndim != 4 or points.ndim != 2:
        received = f"{describe(x)} and {describe(points)}"
        raise checks.invalid(
            "extract_glimpse", "the ranks do not fit.", required="ranks 4 and 2", received=received
        )
    if noise not in _NOISES:
        raise checks.invalid(
            "extract_glimpse", f"there is no noise {noise!r}.", required=f"{_NOISES}"
        )
    height, width = sizes_of("extract_glimpse", size)
    points = primitives.unify_axis(points, 0, x.shape[0], label="extract_glimpse")
    points = primitives.unify_axis(points, 1, 2, label="extract_glimpse")
    columns, inside = [], []
    for axis, extent in ((0, height), (1, width)):
        n = primitives.as_size(x.shape[1 + axis])
        first = _first(points[:, axis], n, primitives.as_size(extent), centered, normalized)
        place = first[:, None] + jnp.arange(extent, dtype=jnp.int32)
        inside.append((place >= 0) & (place < n))
        columns.append(jnp.clip(place, 0, jnp.maximum(n - 1, 0)))
    rows, columns = columns
    both = inside[0][:, :, None] & inside[1][:, None, :]
    if noise != "zero":
        checks.check_data(
            ~jnp.all(both),
            "extract_glimpse",
            "a window reaches over the border, where TensorFlow has noise that cannot be repeated.",
            required="`noise='zero'`, or windows inside of the images",
            error=errors.UnimplementedError,
        )
    x = jnp.pad(x, [(0, 0), (0, 1), (0, 1), (0, 0)])  # so that one of no pixels can be read
    taken = jax.vmap(lambda image, r, c: image[r][:, c])(x, rows, columns)
    return jnp.where(both[..., None], taken, jnp.zeros((), x.dtype))


def _first(point, n, extent, centered: bool, normalized: bool):
    """The first row or column of windows.

    Of points in pixels from the middle TensorFlow's windows begin there, and are not around them.
    """
    size, half = n.astype(point.dtype), n.astype(point.dtype) / 2
    if normalized and centered:
        point = point * half + half - extent.astype(point.dtype) / 2
    elif normalized:
        point = point * size
    elif centered:
        point = point + half
    first = jnp.trunc(point).astype(jnp.int32)
    return jnp.where(jnp.isnan(point), jnp.iinfo(jnp.int32).min, first)  # beside any image
