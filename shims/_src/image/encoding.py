"""Encode pictures on the host, with Pillow, and lower their quality."""

from __future__ import annotations

import io

import numpy as np

from shims._src.errors import errors
from shims._src.image.color import convert_image_dtype
from shims._src.image.files import decode_jpeg, pillow
from shims._src.random.stateful import uniform
from shims._src.random.stateless import stateless_uniform
from shims._src.types.host_tensor import HostTensor, host


def encode_jpeg(
    image,
    format="",
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
    name=None,
) -> HostTensor:
    """Encode a picture as JPEG.

    Args:
      image: uint8 `[height, width, channels]`, of 1 or 3 channels.
      format: "grayscale", "rgb", or "" to choose by the number of channels.
      quality: from 0 to 100.
      progressive: whether the file shows a coarse picture first.
      optimize_size: whether the file is made smaller, which takes time.
      chroma_downsampling: whether colors have half the resolution.
      density_unit: "in" or "cm".
      x_density: pixels per unit.
      y_density: pixels per unit.
      xmp_metadata: ignored.
      name: ignored.

    Returns:
      A scalar string.

    Raises:
      InvalidArgumentError: the picture has a different number of channels.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      The bytes of the file may differ from TensorFlow's; the decoded pixels are nearly equal.

    Under jit:
      Strings cannot be traced: encode the image after the compiled function has returned.

    https://www.tensorflow.org/api_docs/python/tf/io/encode_jpeg
    """
    del format, density_unit, xmp_metadata, name
    return _encoded(
        *("encode_jpeg", image, (1, 3), "JPEG"),
        quality=int(np.asarray(quality)),
        progressive=progressive,
        optimize=optimize_size,
        subsampling=2 if chroma_downsampling else 0,
        dpi=(x_density, y_density),
    )


def _encoded(function: str, image, channels: tuple[int, ...], format: str, **options) -> HostTensor:
    pixels = np.asarray(image)
    if pixels.ndim != 3 or pixels.shape[-1] not in channels:
        raise errors.InvalidArgumentError(
            f"image must have 1, 2, 3, or 4 channels in 3 axes, got shape {[*pixels.shape]}"
        )
    flat = pixels[..., 0] if pixels.shape[-1] == 1 else pixels
    file = io.BytesIO()
    pillow(function).fromarray(flat).save(file, format, **options)
    return host(file.getvalue())


def encode_png(image, compression=-1, name=None) -> HostTensor:
    """Encode a picture, or a batch of them, as PNG.

    Args:
      image: uint8 array `[..., height, width, channels]` with 1 to 4 channels, or uint16 array with 1 channel.
      compression: from 0 to 9, or -1.
      name: ignored.

    Returns:
      A string for each picture.

    Raises:
      InvalidArgumentError: the picture has a different number of channels.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      The bytes of the file may differ from TensorFlow's; the decoded pixels are equal.

    Under jit:
      Strings cannot be traced: encode the image after the compiled function has returned.

    https://www.tensorflow.org/api_docs/python/tf/io/encode_png
    """
    del name
    pixels = np.asarray(image)
    options = {} if int(compression) < 0 else {"compress_level": int(compression)}
    if pixels.ndim <= 3:
        return _encoded("encode_png", pixels, (1, 2, 3, 4), "PNG", **options)
    outer = pixels.shape[:-3]
    out = np.empty(int(np.prod(outer)), object)
    for number, each in enumerate(pixels.reshape(-1, *pixels.shape[-3:])):
        out[number] = _encoded("encode_png", each, (1, 2, 3, 4), "PNG", **options).numpy()
    return host(out.reshape(outer))


def adjust_jpeg_quality(image, jpeg_quality, dct_method="", name=None) -> HostTensor:
    """Encode a picture as JPEG and decode it.

    Args:
      image: array `[height, width, channels]` with 1 or 3 channels; floats are from 0 to 1.
      jpeg_quality: from 0 to 100.
      dct_method: ignored.
      name: ignored.

    Returns:
      A picture of the shape and dtype of `image`, on the host.

    Raises:
      InvalidArgumentError: the quality is not from 0 to 100.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      The version of libjpeg decides the last bits of a pixel.

    Under jit:
      The function cannot be traced: call it before the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_jpeg_quality
    """
    del dct_method, name
    quality = int(np.asarray(jpeg_quality))
    if not 0 <= quality <= 100:
        raise errors.InvalidArgumentError(f"quality must be in range [0,100], got {quality}")
    pixels = np.asarray(convert_image_dtype(image, np.uint8, saturate=True))
    decoded = decode_jpeg(encode_jpeg(pixels, quality=quality), pixels.shape[-1])
    return host(np.asarray(convert_image_dtype(decoded, np.asarray(image).dtype, saturate=True)))


def _checked(lowest, highest) -> tuple[int, int]:
    """Check the bounds of a random quality.

    Raises:
      ValueError: they are not from 0 to 100, or in order.
    """
    low, high = int(lowest), int(highest)
    if min(low, high) < 0 or max(low, high) > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if low >= high:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return low, high


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None) -> HostTensor:
    """Encode a picture as JPEG of random quality and decode it.

    Args:
      image: as in `adjust_jpeg_quality`.
      min_jpeg_quality: the lowest quality.
      max_jpeg_quality: the upper bound of the quality, exclusive.
      seed: as in `random.uniform`.

    Returns:
      A picture of the shape and dtype of `image`, on the host.

    Raises:
      ValueError: the bounds are not from 0 to 100, or not in order.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      As in `adjust_jpeg_quality`.

    Under jit:
      The function cannot be traced: call it before the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/image/random_jpeg_quality
    """
    low, high = _checked(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, uniform([], low, high, np.int32, seed))


def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed) -> HostTensor:
    """Encode a picture as JPEG of a quality that depends on a seed, and decode it.

    Args:
      image: as in `adjust_jpeg_quality`.
      min_jpeg_quality: the lowest quality.
      max_jpeg_quality: the upper bound of the quality, exclusive.
      seed: two integers.

    Returns:
      A picture of the shape and dtype of `image`, on the host.

    Raises:
      ValueError: the bounds are not from 0 to 100, or not in order.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      As in `adjust_jpeg_quality`.

    Under jit:
      The function cannot be traced: call it before the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_jpeg_quality
    """
    low, high = _checked(min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, stateless_uniform([], seed, low, high, np.int32))
