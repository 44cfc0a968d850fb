"""Encode and decode protocol buffers: fields with a number, whose values are numbers or bytes.

Only NumPy is imported: `tf2jax-port import-graph` reads graphs with it, without JAX.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

# Wire types: how the value of a field is stored.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_SIZES = {FIXED64: 8, FIXED32: 4}
_UINT64 = (1 << 64) - 1

Data = TypeVar("Data", bytes, memoryview)


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


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """Decode the varint at `at`; return the number and the end position."""
    if at < len(data) and data[at] < 0x80:  # most of them, and much faster
        return data[at], at + 1
    value = shift = 0
    for byte in data[at : at + 10]:
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _UINT64, at
        shift += 7
    raise Malformed("a number is cut off")


def varints(data: bytes | memoryview) -> np.ndarray:
    """Decode all consecutive varints in `data` as signed 64-bit numbers.

    Raises:
      Malformed: the last varint is truncated, or one is too long.
    """
    array = np.frombuffer(data, np.uint8)
    last = array < 0x80
    if last.all():
        return array.astype(np.int64)
    ends = np.flatnonzero(last)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    sizes = ends + 1 - starts
    if sizes.sum() != len(array) or sizes.max() > 10:
        raise Malformed("a number is cut off")
    shifts = np.arange(len(array)) - np.repeat(starts, sizes)
    parts = (array & 0x7F).astype(np.uint64) << (7 * shifts).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)


def take(data: Data, at: int, size: int) -> tuple[Data, int]:
    """Return `size` bytes from `at`, and the end position."""
    end = at + size
    if end > len(data):
        raise Malformed(f"{size} bytes are declared, but only {len(data) - at} are left")
    return data[at:end], end


def number_field(number: int, value: int) -> bytes:
    """Encode a field with a varint value; a value of 0 is encoded as an absent field."""
    return varint(number << 3 | VARINT) + varint(value) if value else b""


def bytes_field(number: int, value: bytes) -> bytes:
    """Encode a field with bytes or an encoded message as value."""
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def fixed32_field(number: int, value: int) -> bytes:
    """Encode a field of four bytes; 0 is encoded as an absent field."""
    return varint(number << 3 | FIXED32) + value.to_bytes(4, "little") if value else b""


def raw_fields(data: Data) -> Iterator[tuple[int, int, Any]]:
    """Yield the field number, wire type and value of each field of a message, in order.

    A value is an `int` for `VARINT`, a slice of `data` for the other wire types.

    Raises:
      Malformed: the data is truncated, or is not a message.
    """
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
            yield tag >> 3, kind, value
            continue
        if kind == BYTES:
            size, at = read_varint(data, at)
        elif kind in _SIZES:
            size = _SIZES[kind]
        else:
            raise Malformed(f"a field is of the unknown kind {kind}")
        raw, at = take(data, at, size)
        yield tag >> 3, kind, raw


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the field number and value of each field of a message, in order.

    A value is a number for a varint or a field of fixed size, otherwise bytes.
    """
    for number, kind, raw in raw_fields(data):
        yield number, int.from_bytes(raw, "little") if kind in _SIZES else raw


def number_of(value: int | bytes) -> int:
    """Check that a field value is a number and return it."""
    if isinstance(value, int):
        return value
    raise Malformed("a field contains bytes instead of a number")


def bytes_of(value: int | bytes) -> bytes:
    """Check that a field value is bytes and return it."""
    if isinstance(value, bytes):
        return value
    raise Malformed("a field contains a number instead of bytes")
