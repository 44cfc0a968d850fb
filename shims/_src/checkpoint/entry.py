"""What the index of a checkpoint says: about the whole, and about each tensor."""

from __future__ import annotations

import dataclasses

from shims._src.checkpoint import wire
from shims._src.checkpoint.wire import Malformed, bytes_of, number_of

HEADER_KEY = b""

_VERSION = 1
Extent = tuple[int, int] | None
Place = tuple[Extent, ...]


@dataclasses.dataclass(frozen=True)
class Header:
    """About the whole: in how many files the data is, and how it is written.

    Args:
      shards: files of data.
      big_endian: whether numbers in them begin with their highest byte.
      min_consumer: the oldest version of the format whose readers understand it.
    """

    shards: int
    big_endian: bool = False
    min_consumer: int = 0

    @property
    def is_newer(self) -> bool:
        """Whether it demands more than this reader knows."""
        return self.min_consumer > _VERSION

    def to_bytes(self) -> bytes:
        """The header as it stands in the index."""
        version = wire.number_field(1, _VERSION)
        return wire.number_field(1, self.shards) + wire.bytes_field(3, version)

    @staticmethod
    def from_bytes(data: bytes) -> Header:
        """The header that stands in the index."""
        shards = endianness = min_consumer = 0
        for number, value in wire.fields(data):
            if number == 1:
                shards = number_of(value)
            elif number == 2:
                endianness = number_of(value)
            elif number == 3:
                version = dict(wire.fields(bytes_of(value)))
                min_consumer = number_of(version.get(2, 0))
        return Header(shards, bool(endianness), min_consumer)


@dataclasses.dataclass(frozen=True)
class Entry:
    """About a tensor: what it is and where its bytes are.

    Args:
      dtype: TensorFlow's number of its dtype.
      shape: of the tensor.
      shard: which file of data.
      offset: where in the file it starts.
      size: how many bytes it has.
      checksum: of these bytes, as it is stored.
      slices: the pieces of a partitioned variable, which have entries of their own; start and
        length on each axis, or `None` for the whole of it.
    """

    dtype: int
    shape: tuple[int, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0
    checksum: int = 0
    slices: tuple[Place, ...] = ()

    def to_bytes(self) -> bytes:
        """The entry as it stands in the index."""
        axes = b"".join(wire.bytes_field(2, wire.number_field(1, n)) for n in self.shape)
        return (
            wire.number_field(1, self.dtype)
            + wire.bytes_field(2, axes)
            + wire.number_field(3, self.shard)
            + wire.number_field(4, self.offset)
            + wire.number_field(5, self.size)
            + wire.fixed32_field(6, self.checksum)
            + b"".join(wire.bytes_field(7, _slice_bytes(s)) for s in self.slices)
        )

    @staticmethod
    def from_bytes(data: bytes) -> Entry:
        """The entry that stands in the index."""
        numbers = dict.fromkeys((1, 3, 4, 5, 6), 0)
        shape: tuple[int, ...] = ()
        slices = []
        for number, value in wire.fields(data):
            if number in numbers:
                numbers[number] = number_of(value)
            elif number == 2:
                shape = shape_of(bytes_of(value))
            elif number == 7:
                slices.append(extents_of(bytes_of(value)))
        return Entry(
            *(numbers[1], shape, numbers[3], numbers[4], numbers[5], numbers[6], tuple(slices))
        )


def shape_of(data: bytes) -> tuple[int, ...]:
    """The shape that a message of TensorFlow says."""
    shape = []
    for number, value in wire.fields(data):
        if number == 3:
            raise Malformed("a tensor has no rank")
        if number == 2:
            axis = dict(wire.fields(bytes_of(value)))
            shape.append(number_of(axis.get(1, 0)))
    if any(n >= 1 << 63 for n in shape):
        raise Malformed("a tensor has an axis of unknown size")
    return tuple(shape)


def _slice_bytes(extents: Place) -> bytes:
    pieces = []
    for extent in extents:
        start, length = extent or (0, 0)
        numbers = wire.number_field(1, start)
        # An absent length says "the whole axis", so that 0 must be written.
        numbers += b"" if extent is None else wire.number_field(2, length) or b"\x10\x00"
        pieces.append(wire.bytes_field(1, numbers))
    return b"".join(pieces)


def extents_of(data: bytes) -> Place:
    """The piece of a tensor that a message of TensorFlow says."""
    extents: list[Extent] = []
    for number, value in wire.fields(data):
        if number == 1:
            extent = dict(wire.fields(bytes_of(value)))
            whole = 2 not in extent
            start, length = number_of(extent.get(1, 0)), number_of(extent.get(2, 0))
            extents.append(None if whole else (start, length))
    return tuple(extents)
