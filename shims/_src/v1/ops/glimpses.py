"""Provide `image.extract_glimpse` of TensorFlow 1."""

from __future__ import annotations

from jax import lax

import shims


def extract_glimpse(
    input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None
):
    """Extract a window around a point from each image.

    Args:
      input: float32 `[batch, height, width, channels]`.
      size: two integers, height and width of the windows.
      offsets: float32 `[batch, 2]`, row and column of the centers.
      centered: whether offsets are relative to the center of the image.
      normalized: whether offsets are fractions of the image size.
      uniform_noise: ignored, as there is no noise.
      name: the name of the operation.

    Returns:
      An array `[batch, *size, channels]`. It has no gradient, as in TensorFlow 1.

    Raises:
      UnimplementedError: a window extends over the border of its image.

    Differs from TensorFlow:
      TensorFlow fills windows outside of the image with noise, which is not reproducible; here such windows
      raise an error.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/image/extract_glimpse
    """
    noise = "uniform" if uniform_noise else "gaussian"
    window = shims.image.extract_glimpse(input, size, offsets, centered, normalized, noise)
    return lax.stop_gradient(window)
