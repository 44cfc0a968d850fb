"""Decode pictures on the host, with Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from shims._src.errors import errors
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_spec import as_numpy_dtype

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def pillow(function: str) -> Any:
    """Import `PIL.Image`.

    Raises:
      UnimplementedError: Pillow is not installed, or `fancy_upscaling` is false.
    """
    try:
        from PIL import Image
    except ImportError:
        raise errors.UnimplementedError(
            errors.message(
                f"image.{function}",
                "Pillow, which reads and writes images, is not installed.",
                do="install Pillow: `pip install pillow`",
            )
        ) from None
    return Image


def _opened(function: str, contents, formats: tuple[str, ...]) -> Any:
    """Open a picture of one of the formats.

    Raises:
      InvalidArgumentError: the contents are no such picture.
    """
    data = host(contents)
    if data.ndim or not isinstance(data.numpy(), bytes):
        raise errors.InvalidArgumentError(f"contents must be scalar, got shape {[*np.shape(data)]}")
    try:
        return pillow(function).open(io.BytesIO(data.numpy()), formats=formats)
    except (OSError, SyntaxError):
        raise errors.InvalidArgumentError(
            f"{function}: the contents are not an image in the format {' or '.join(formats)}."
        ) from None


def _pixels(function: str, image, channels: int) -> np.ndarray:
    """Return the pixels `[height, width, channels]` of a picture."""
    if channels not in (0, *_MODES):
        raise errors.InvalidArgumentError(f"channels must be 0, 1, 3 or 4, got {channels}")
    try:
        if image.mode in ("I;16", "I;16B", "I"):
            array = np.asarray(image).astype(np.uint16)
        elif channels == 1 and image.format == "PNG" and _own_mode(image) in ("RGB", "RGBA"):
            array = _gray(np.asarray(image.convert("RGB")))
        else:
            array = np.asarray(image.convert(_MODES[channels] if channels else _own_mode(image)))
    except (OSError, SyntaxError) as error:
        raise errors.InvalidArgumentError(f"{function}: the image is damaged: {error}") from None
    return array if array.ndim == 3 else array[..., None]


def _gray(colors: np.ndarray) -> np.ndarray:
    """Return the brightness of colors, rounded as libpng does."""
    red, green, blue = np.moveaxis(colors.astype(np.int64), -1, 0)
    return ((9797 * red + 19234 * green + 3737 * blue) >> 15).astype(np.uint8)


def _own_mode(image) -> str:
    """Return the mode of the pixels if the number of channels is left to the file."""
    if image.mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    return {"1": "L", "CMYK": "RGB", "YCbCr": "RGB"}.get(image.mode, image.mode)


def decode_jpeg(
    contents,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1,
    dct_method="",
    name=None,
) -> HostTensor:
    """Decode a JPEG picture.

    Args:
      contents: a scalar string.
      channels: 1 for gray, 3 for colors, 0 for the channels of the file.
      ratio: the factor 1, 2, 4 or 8 by which the picture is reduced.
      fancy_upscaling: must be true, because Pillow supports no other upscaling.
      try_recover_truncated: whether the readable part of a truncated picture is decoded.
      acceptable_fraction: ignored.
      dct_method: ignored.
      name: ignored.

    Returns:
      uint8 `[height, width, channels]` on the host.

    Raises:
      InvalidArgumentError: the contents are not a picture.
      UnimplementedError: Pillow is not installed, or `fancy_upscaling` is false.

    Differs from TensorFlow:
      The pixels are those that TensorFlow returns with `dct_method="INTEGER_ACCURATE"`.
      TensorFlow's default is a faster transform, whose pixels differ by a few units.

    Under jit:
      Strings cannot be traced: decode the image before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_jpeg
    """
    del acceptable_fraction, dct_method, name
    if not fancy_upscaling:
        raise errors.UnimplementedError(
            errors.message(
                "image.decode_jpeg",
                "Pillow has only one method for upscaling the color channels.",
                required="fancy_upscaling=True",
                received="fancy_upscaling=False",
            )
        )
    image = _opened("decode_jpeg", contents, ("JPEG", "PNG", "GIF", "BMP"))
    if image.format == "JPEG":
        wanted = {0: image.mode, 1: "L", 3: "RGB"}.get(int(channels), image.mode)
        size = tuple(max(n // int(ratio), 1) for n in image.size)
        image.draft(None if wanted == "CMYK" else wanted, size)
    if try_recover_truncated:
        from PIL import ImageFile

        ImageFile.LOAD_TRUNCATED_IMAGES, before = True, ImageFile.LOAD_TRUNCATED_IMAGES
        try:
            image.load()
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = before
    return host(_pixels("decode_jpeg", image, int(channels)))


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, **options) -> HostTensor:
    """Decode a part of a JPEG picture.

    Args:
      contents: a scalar string.
      crop_window: row, column, height and width of the part.
      channels: as in `decode_jpeg`.
      ratio: as in `decode_jpeg`.
      **options: as in `decode_jpeg`.

    Returns:
      uint8 `[height, width, channels]` on the host.

    Raises:
      InvalidArgumentError: the part is not within the picture.
      UnimplementedError: Pillow is not installed, or `fancy_upscaling` is false.

    Differs from TensorFlow:
      The whole picture is decoded.

    Under jit:
      Strings cannot be traced: decode the image before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_and_crop_jpeg
    """
    whole = np.asarray(decode_jpeg(contents, channels, ratio, **options))
    top, left, height, width = np.asarray(crop_window).tolist()
    rows, columns = whole.shape[:2]
    fits = top >= 0 and left >= 0 and top + height <= rows and left + width <= columns
    if not fits or min(height, width) <= 0:
        raise errors.InvalidArgumentError("Invalid JPEG data or crop window")
    return host(whole[top : top + height, left : left + width])


def decode_png(contents, channels=0, dtype=np.uint8, name=None) -> HostTensor:
    """Decode a PNG picture.

    Args:
      contents: a scalar string.
      channels: 1 for gray, 3 for colors, 4 with opacity, 0 for the channels of the file.
      dtype: uint8 or uint16.
      name: ignored.

    Returns:
      An array `[height, width, channels]` on the host.

    Raises:
      InvalidArgumentError: the contents are not a picture.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      Pictures with 16 bits per color are read with 8 bits.

    Under jit:
      Strings cannot be traced: decode the image before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_png
    """
    del name
    image = _opened("decode_png", contents, ("PNG", "JPEG", "GIF", "BMP"))
    return host(_to_depth(_pixels("decode_png", image, int(channels)), as_numpy_dtype(dtype)))


def _to_depth(pixels: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert pixels between 8 and 16 bits, as libpng does."""
    if pixels.dtype == dtype:
        return pixels
    if dtype == np.uint16:
        return pixels.astype(np.uint16) * np.uint16(257)
    return (pixels >> 8).astype(np.uint8)


def decode_bmp(contents, channels=0, name=None) -> HostTensor:
    """Decode a BMP picture.

    Args:
      contents: a scalar string.
      channels: 3 for colors, 4 with opacity, 0 for the channels of the file.
      name: ignored.

    Returns:
      uint8 `[height, width, channels]` on the host.

    Raises:
      InvalidArgumentError: the contents are not a picture.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings cannot be traced: decode the image before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_bmp
    """
    del name
    return host(_pixels("decode_bmp", _opened("decode_bmp", contents, ("BMP",)), int(channels)))


def decode_gif(contents, name=None) -> HostTensor:
    """Decode all frames of a GIF picture.

    Args:
      contents: a scalar string.
      name: ignored.

    Returns:
      uint8 `[frames, height, width, 3]` on the host.

    Raises:
      InvalidArgumentError: the contents are not a picture.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings cannot be traced: decode the image before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_gif
    """
    del name
    image = _opened("decode_gif", contents, ("GIF",))
    frames = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        frames.append(_pixels("decode_gif", image, 3))
    return host(np.stack(frames))


def decode_image(
    contents, channels=None, dtype=np.uint8, name=None, expand_animations=True
) -> HostTensor:
    """Decode a picture, whose format is found from its contents.

    Args:
      contents: a scalar string that contains a BMP, GIF, JPEG or PNG file.
      channels: 1 for gray, 3 for colors, 4 with opacity, 0 or `None` for the channels of the file.
      dtype: uint8, uint16, or a float dtype, for which pixels are from 0 to 1.
      name: ignored.
      expand_animations: whether all frames of a GIF are decoded, with an axis of their own.

    Returns:
      An array `[height, width, channels]`, or `[frames, height, width, 3]`, on the host.

    Raises:
      InvalidArgumentError: the contents are not a picture.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      As in `decode_jpeg` and `decode_png`.

    Under jit:
      Strings cannot be traced: decode the image before you call the compiled function.

    https://www.tensorflow.org/api_docs/python/tf/io/decode_image
    """
    del name
    image = _opened("decode_image", contents, ("JPEG", "PNG", "GIF", "BMP"))
    if image.format == "GIF":
        frames = np.asarray(decode_gif(contents))
        pixels = frames if expand_animations else frames[0]
    elif image.format == "JPEG":
        pixels = np.asarray(decode_jpeg(contents, channels or 0))
    else:
        pixels = _pixels("decode_image", image, int(channels or 0))
    wanted = as_numpy_dtype(dtype)
    if wanted.kind == "u":
        return host(_to_depth(pixels, wanted))
    scale = np.iinfo(pixels.dtype).max
    return host((pixels.astype(np.float32) * np.float32(1.0 / scale)).astype(wanted))


def extract_jpeg_shape(contents, output_type=np.int32, name=None) -> HostTensor:
    """Return height, width and channels of a JPEG picture.

    Args:
      contents: a scalar string.
      output_type: int32 or int64.
      name: ignored.

    Returns:
      Three numbers.

    Raises:
      InvalidArgumentError: the contents are not a picture.
      UnimplementedError: Pillow is not installed.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings cannot be traced: call this function outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/io/extract_jpeg_shape
    """
    del name
    image = _opened("extract_jpeg_shape", contents, ("JPEG",))
    width, height = image.size
    sizes = [height, width, len(image.getbands())]
    return host(np.array(sizes, as_numpy_dtype(output_type)))


def is_jpeg(contents, name=None) -> HostTensor:
    """Return whether a string is a JPEG picture.

    Args:
      contents: a scalar string.
      name: ignored.

    Returns:
      A bool.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings cannot be traced: call this function outside of compiled functions.

    https://www.tensorflow.org/api_docs/python/tf/io/is_jpeg
    """
    del name
    return host(np.bool_(host(contents).numpy()[:3] == b"\xff\xd8\xff"))
