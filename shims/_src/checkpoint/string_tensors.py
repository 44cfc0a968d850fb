"""Encode string tensors as bytes: lengths, the checksum of the lengths, then the strings."""

from __future__ import annotations

import struct

import numpy as np

from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.wire import Malformed, read_varint, take, varint


def string_bytes(array: np.ndarray) -> tuple[bytes, int]:
    """Encode an array of strings; return its bytes and their unmasked checksum.

    Raises:
      TypeError: an element is not a string.
    """
    pieces = [_as_bytes(element) for element in array.reshape(-1).tolist()]
    # The checksum covers the lengths as four or eight bytes, not as the stored varints.
    checksum = crc32c(b"".join(_fixed_width(len(piece)) for piece in pieces))
    stored = mask(checksum).to_bytes(4, "little")
    data = b"".join(pieces)
    lengths = b"".join(varint(len(piece)) for piece in pieces)
    return lengths + stored + data, crc32c(data, crc32c(stored, checksum))


def strings_of(data: bytes, count: int) -> tuple[np.ndarray, int]:
    """Decode `count` strings to a vector; return it and the unmasked checksum of the bytes.

    Raises:
      Malformed: the bytes do not hold `count` strings.
    """
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    checksum = crc32c(b"".join(map(_fixed_width, lengths)))
    stored, at = take(data, at, 4)
    if mask(checksum) != int.from_bytes(stored, "little"):
        raise Malformed("the checksum of the lengths of strings does not match")
    if sum(lengths) != len(data) - at:
        raise Malformed(f"{sum(lengths)} bytes of strings are declared, but {len(data) - at} exist")
    checksum = crc32c(data[at:], crc32c(stored, checksum))
    strings = np.empty(count, object)
    for place, length in enumerate(lengths):
        strings[place], at = take(data, at, length)
    return strings, checksum


def _fixed_width(length: int) -> bytes:
    return struct.pack("<I" if length < 1 << 32 else "<Q", length)


def _as_bytes(element) -> bytes:
    if isinstance(element, str):
        return element.encode()
    if isinstance(element, bytes):
        return element
    raise TypeError(f"an element is {type(element).__name__} and not a string")
