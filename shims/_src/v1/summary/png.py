"""Encode images as PNG files, with the scaling of TensorFlow's image summaries."""

from __future__ import annotations

import struct
import zlib

import numpy as np

_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_BAD = (255, 0, 0, 255)


def png(picture: np.ndarray) -> bytes:
    """Encode a uint8 image `[height, width, channels]` as a PNG file."""
    height, width, channels = picture.shape
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def as_bytes(picture: np.ndarray) -> np.ndarray:
    """Convert an image of any dtype to uint8; pixels with infinite or NaN values become red.

    Images without negative values are scaled so that the largest value becomes 255. In other images
    0 becomes 128.
    """
    if picture.dtype == np.uint8:
        return picture
    picture = picture.astype(np.float32)
    finite = np.isfinite(picture).all(axis=-1)
    seen = picture[finite]
    low, high = (seen.min(), seen.max()) if seen.size else (0.0, 0.0)
    if low < 0:
        largest = max(abs(low), abs(high))
        scale, offset = np.float32(0 if largest == 0 else 127 / largest), np.float32(128)
    else:
        scale, offset = np.float32(0 if high == 0 else 255 / high), np.float32(0)
    scaled = np.where(finite[..., None], picture, 0) * scale + offset
    red = np.array(_BAD[: picture.shape[-1]], np.uint8)
    return np.where(finite[..., None], scaled.astype(np.uint8), red)
