"""Encode the index keys of slices of partitioned variables.

A key is the name and numbers, encoded so that the bytes sort as the slices do: zeros within the name
are escaped, and each number begins with as many one bits as it has bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ALL = -1  # the length of a slice that takes a whole axis


def slice_key(name: bytes, extents: Sequence[tuple[int, int] | None]) -> bytes:
    """Encode the key of a slice.

    Args:
      name: the name of the variable.
      extents: start and length per axis; `None` for a whole axis.
    """
    escaped = re.sub(rb"[\0\xff]", lambda sign: sign[0] + bytes([sign[0][0] ^ 0xFF]), name)
    numbers = [n for extent in extents for n in (extent or (0, _ALL))]
    return (
        b"\0"
        + escaped
        + b"\0\1"
        + _encode_unsigned(len(extents))
        + b"".join(map(_encode_signed, numbers))
    )


def _encode_unsigned(value: int) -> bytes:
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _encode_signed(value: int) -> bytes:
    size = 1
    while not -1 << 7 * size - 1 <= value < 1 << 7 * size - 1:
        size += 1
    ones = ((1 << size) - 1) << 7 * size
    return ((value ^ ones) & ((1 << 8 * size) - 1)).to_bytes(size, "big")
