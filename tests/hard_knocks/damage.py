"""Damage files in many ways, and count what their readers make of it.

A reader may give what was written, or refuse by an error of its own; a format without checksums may also be read as
another file. Anything else is a fault: other numbers, an error of Python's machinery, memory or time without bound.
"""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

SAME, REFUSED, SHORTER, OTHER = "as written", "refused", "its beginning", "read as another file"
WAYS = ("one bit", "cut off", "longer", "a huge number", "zeros")


def damaged(data: bytes, count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield the way and the bytes, the ways in turn."""
    rng = random.Random(seed)
    for number in range(count):
        way = WAYS[number % len(WAYS)]
        # Most formats keep what steers them at the beginning or at the end.
        near = rng.choice([min(len(data), 80), len(data)])
        at = rng.randrange(near) if rng.random() < 0.5 else len(data) - 1 - rng.randrange(near)
        yield way, _changed(way, data, at, rng)


def _changed(way: str, data: bytes, at: int, rng: random.Random) -> bytes:
    if way == "one bit":
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if way == "cut off":
        return data[:at]
    if way == "longer":
        return data + rng.randbytes(rng.randrange(1, 40))
    new = bytes(8)
    if way == "a huge number":
        huge = rng.choice([2**31 - 1, 2**40, 2**62, 2**63, 2**64 - 1])
        new = rng.choice([huge.to_bytes(8, "little"), b"\xff" * 9 + b"\x01"])
    return data[:at] + new + data[at + len(new) :]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
      write: writes files below a folder, and returns the paths of those to damage.
      read: returns what the folder holds, as something that `==` compares.
      refusals: the errors by which it refuses.
      has_checksums: whether no other numbers may be read.
      is_a_row: whether a file that is cut off may be read as its beginning, as TensorFlow reads records.
    """

    write: Callable[[pathlib.Path], list[pathlib.Path]]
    read: Callable[[pathlib.Path], Any]
    refusals: tuple[type[Exception], ...]
    has_checksums: bool = True
    is_a_row: bool = False


def counts(kind: Kind, folder: pathlib.Path, count: int) -> collections.Counter[tuple[str, str]]:
    """Damage each file of a kind, and count ways and outcomes.

    Raises:
      AssertionError: other numbers were read.
      Exception: an error that is not one of the reader's refusals.
    """
    files, found = kind.write(folder), collections.Counter[tuple[str, str]]()
    wanted = kind.read(folder)
    for file in files:
        whole = file.read_bytes()
        for way, data in damaged(whole, count):
            file.write_bytes(data)
            found[way, _outcome(kind, folder, wanted)] += 1
        file.write_bytes(whole)
    assert kind.read(folder) == wanted
    return found


def _outcome(kind: Kind, folder: pathlib.Path, wanted: Any) -> str:
    try:
        read = kind.read(folder)
    except kind.refusals:
        return REFUSED
    if read == wanted:
        return SAME
    if kind.is_a_row and read == wanted[: len(read)]:
        return SHORTER
    assert not kind.has_checksums, "other numbers were read"
    return OTHER


def plain(arrays: dict[str, np.ndarray]) -> list[Any]:
    """Describe arrays by what `==` compares."""
    return [(name, str(a.dtype), a.shape, a.tobytes()) for name, a in sorted(arrays.items())]
