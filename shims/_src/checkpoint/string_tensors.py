"""A tensor of strings as bytes: the lengths, a checksum of them, then the strings."""

from __future__ import annotations

import struct

import numpy as np

from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.wire import Malformed, read_varint, take, varint


def string_bytes(array: np.ndarray) -> tuple[bytes, int]:
    """The bytes of an array of strings, and their checksum before it is masked.

    Raises:
      TypeError: an element is not a string.
    """
    pieces = [_as_bytes(element) for element in array.reshape(-1).tolist()]
    # The checksum is of the lengths in four or eight bytes, not as they are written.
    checksum = crc32c(b"".join(_fixed(len(piece)) for piece in pieces))
    stored = mask(checksum).to_bytes(4, "little")
    data = b"".join(pieces)
    lengths = b"".join(varint(len(piece)) for piece in pieces)
    return lengths + stored + data, crc32c(data, crc32c(stored, checksum))


def strings_of(data: bytes, count: int) -> tuple[np.ndarray, int]:
    """`count` strings as an array of one axis, and the checksum of the bytes before it is masked.

    Raises:
      Malformed: the bytes do not hold so many strings.
    """
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    checksum = crc32c(b"".join(map(_fixed, lengths)))
    stored, at = take(data, at, 4)
    if mask(checksum) != int.from_bytes(stored, "little"):
        raise Malformed("the checksum of the lengths of strings does not match")
    if sum(lengths) != len(data) - at:
        raise Malformed(f"{sum(lengths)} bytes of strings are announced where {len(data) - at} are")
    checksum = crc32c(data[at:], crc32c(stored, checksum))
    strings = np.empty(count, object)
    for place, length in enumerate(lengths):
        strings[place], at = take(data, at, length)
    return strings, checksum


def _fixed(length: int) -> bytes:
    return struct.pack("<I" if length < 1 << 32 else "<Q", length)


def _as_bytes(element) -> bytes:
    if isinstance(element, str):
        return element.encode()
    if isinstance(element, bytes):
        return element
    raise TypeError(f"an element is {type(element).__name__} and not a string")
