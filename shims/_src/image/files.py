"""Define the operators on image files, which raise an error that names a library to use instead."""

from __future__ import annotations

from shims._src.errors import errors


def _refused(name: str, does: str, instead: str):
    """Return a function that always raises `UnimplementedError` and suggests a replacement."""

    def call(*args, **kwargs):
        raise errors.UnimplementedError(
            errors.message(f"image.{name}", f"JAX does not {does}.", do=instead)
        )

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"""Refused: JAX does not {does}.

    Raises:
      UnimplementedError: always; the message names what to call instead.

    Differs from TensorFlow:
      It is not available.

    Under jit:
      Read and write files on the host.

    https://www.tensorflow.org/api_docs/python/tf/image/{name}
    """
    return call


_READ = "read it before JAX: `numpy.asarray(PIL.Image.open(io.BytesIO(contents)))`, or `imageio`"
_WRITE = (
    "write it on the host: `PIL.Image.fromarray(numpy.asarray(image)).save(file)`, or `imageio`"
)
_QUALITY = (
    "write the image to `io.BytesIO` with `PIL.Image.save(file, 'JPEG', quality=...)` and read it "
    "back, before JAX"
)

decode_and_crop_jpeg = _refused("decode_and_crop_jpeg", "decode images", _READ)
decode_bmp = _refused("decode_bmp", "decode images", _READ)
decode_gif = _refused("decode_gif", "decode images", _READ)
decode_image = _refused("decode_image", "decode images", _READ)
decode_jpeg = _refused("decode_jpeg", "decode images", _READ)
decode_png = _refused("decode_png", "decode images", _READ)
encode_jpeg = _refused("encode_jpeg", "encode images", _WRITE)
encode_png = _refused("encode_png", "encode images", _WRITE)
extract_jpeg_shape = _refused("extract_jpeg_shape", "decode images", _READ)
is_jpeg = _refused("is_jpeg", "read files", "`contents[:3] == b'\\xff\\xd8\\xff'`")
adjust_jpeg_quality = _refused("adjust_jpeg_quality", "encode images", _QUALITY)
random_jpeg_quality = _refused("random_jpeg_quality", "encode images", _QUALITY)
stateless_random_jpeg_quality = _refused("stateless_random_jpeg_quality", "encode images", _QUALITY)
