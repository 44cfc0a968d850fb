"""The key under which a piece of a partitioned variable stands in the index.

A name and numbers, written so that the bytes sort as the pieces do: zeros within the name are
escaped, and each number begins with as many one bits as it has bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ALL = -1  # the length of a slice that takes a whole axis


def slice_key(name: bytes, extents: Sequence[tuple[int, int] | None]) -> bytes:
    """The key of a piece.

    Args:
      name: of the variable.
      extents: start and length on each axis; `None` for the whole of it.
    """
    escaped = re.sub(rb"[\0\xff]", lambda sign: sign[0] + bytes([sign[0][0] ^ 0xFF]), name)
    numbers = [n for extent in extents for n in (extent or (0, _ALL))]
    return b"\0" + escaped + b"\0\1" + _unsigned(len(extents)) + b"".join(map(_signed, numbers))


def _unsigned(value: int) -> bytes:
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value: int) -> bytes:
    size = 1
    while not -1 << 7 * size - 1 <= value < 1 << 7 * size - 1:
        size += 1
    ones = ((1 << size) - 1) << 7 * size
    return ((value ^ ones) & ((1 << 8 * size) - 1)).to_bytes(size, "big")
