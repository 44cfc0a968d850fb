"""Encode and decode protocol buffers: fields with a number, whose values are numbers or bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Malformed(ValueError):
    """Invalid bytes in a file; the message completes "the file is damaged: "."""


def varint(value: int) -> bytes:
    """Encode a number from 0 to 2**64 - 1 as a varint: 7 bits per byte, low bits first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at: int) -> tuple[int, int]:
    """Decode the varint at `at`; return the number and the end position."""
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed("a number is cut off")


def varints(data: bytes) -> np.ndarray:
    """Decode all consecutive varints in `data` as signed 64-bit numbers.

    Raises:
      Malformed: the last varint is truncated, or one is too long.
    """
    array = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(array < 0x80)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    sizes = ends + 1 - starts
    if sizes.sum() != len(array) or sizes.max(initial=0) > 10:
        raise Malformed("a number is cut off")
    if not len(ends):
        return np.zeros(0, np.int64)
    shifts = np.arange(len(array)) - np.repeat(starts, sizes)
    parts = (array & 0x7F).astype(np.uint64) << (7 * shifts).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)


def take(data, at: int, size: int) -> tuple[bytes, int]:
    """Return `size` bytes from `at`, and the end position."""
    end = at + size
    if end > len(data):
        raise Malformed(f"{size} bytes are announced where {len(data) - at} are left")
    return bytes(data[at:end]), end


def number_field(number: int, value: int) -> bytes:
    """Encode a field with a varint value; a value of 0 is encoded as an absent field."""
    return varint(number << 3 | _VARINT) + varint(value) if value else b""


def bytes_field(number: int, value: bytes) -> bytes:
    """Encode a field with bytes or an encoded message as value."""
    return varint(number << 3 | _BYTES) + varint(len(value)) + value


def fixed32_field(number: int, value: int) -> bytes:
    """Encode a field of four bytes; 0 is encoded as an absent field."""
    return varint(number << 3 | _FIXED32) + value.to_bytes(4, "little") if value else b""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the field number and value of each field of a message, in order."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        value: int | bytes
        if kind == _VARINT:
            value, at = read_varint(data, at)
        elif kind == _BYTES:
            size, at = read_varint(data, at)
            value, at = take(data, at, size)
        elif kind in (_FIXED32, _FIXED64):
            raw, at = take(data, at, 4 if kind == _FIXED32 else 8)
            value = int.from_bytes(raw, "little")
        else:
            raise Malformed(f"a field is of the unknown kind {kind}")
        yield tag >> 3, value


def number_of(value: int | bytes) -> int:
    """Check that a field value is a number and return it."""
    if isinstance(value, int):
        return value
    raise Malformed("a field holds bytes where a number belongs")


def bytes_of(value: int | bytes) -> bytes:
    """Check that a field value is bytes and return it."""
    if isinstance(value, bytes):
        return value
    raise Malformed("a field holds a number where bytes belong")
