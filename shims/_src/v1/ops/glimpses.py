"""Windows of images around given points, as version 1 has them."""

from __future__ import annotations

from jax import lax

import shims


def extract_glimpse(
    input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None
):
    """A window of each image, around a point of its own.

    Args:
      input: float32 `[batch, height, width, channels]`.
      size: two integers, height and width of the windows.
      offsets: float32 `[batch, 2]`, row and column of the points.
      centered: whether points are counted from the middle of the image.
      normalized: whether they are counted in sizes of the image.
      uniform_noise: of which kind the noise beside the image is, which cannot be repeated.
      name: the name of the operation.

    Returns:
      `[batch, *size, channels]`. Version 1 registers that it has no gradient.

    Raises:
      UnimplementedError: a window reaches over the border of its image.

    Differs from TensorFlow:
      There is no noise: TensorFlow's cannot be repeated.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/extract_glimpse
    """
    noise = "uniform" if uniform_noise else "gaussian"
    window = shims.image.extract_glimpse(input, size, offsets, centered, normalized, noise)
    return lax.stop_gradient(window)
