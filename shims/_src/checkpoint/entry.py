"""Encode and decode the entries of a checkpoint index: its header and one entry per tensor."""

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
    """The header of a checkpoint index.

    Args:
      shards: the number of data files.
      big_endian: whether their numbers are big-endian.
      min_consumer: the oldest format version whose readers can read it.
    """

    shards: int
    big_endian: bool = False
    min_consumer: int = 0

    @property
    def is_newer(self) -> bool:
        """Whether the format version is newer than this reader supports."""
        return self.min_consumer > _VERSION

    def to_bytes(self) -> bytes:
        """Encode the header."""
        version = wire.number_field(1, _VERSION)
        return wire.number_field(1, self.shards) + wire.bytes_field(3, version)

    @staticmethod
    def from_bytes(data: bytes) -> Header:
        """Decode a header."""
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
    """The index entry of a tensor: its type and the location of its data.

    Args:
      dtype: TensorFlow's number of the dtype.
      shape: the shape of the tensor.
      shard: the number of the data file.
      offset: the offset of the data in the file.
      size: the size of the data in bytes.
      checksum: the masked checksum of the data.
      slices: the slices of a partitioned variable, which have their own entries; start and length
        per axis, or `None` for the whole axis.
    """

    dtype: int
    shape: tuple[int, ...]
    shard: int = 0
    offset: int = 0
    size: int = 0
    checksum: int = 0
    slices: tuple[Place, ...] = ()

    def to_bytes(self) -> bytes:
        """Encode the entry."""
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
        """Decode an entry."""
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
    """Decode a `TensorShapeProto` to a tuple of sizes."""
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
        # An absent length says "the whole axis", so 0 must be written.
        numbers += b"" if extent is None else wire.number_field(2, length) or b"\x10\x00"
        pieces.append(wire.bytes_field(1, numbers))
    return b"".join(pieces)


def extents_of(data: bytes) -> Place:
    """Decode a `TensorSliceProto`: start and length per axis, `None` for a whole axis."""
    extents: list[Extent] = []
    for number, value in wire.fields(data):
        if number == 1:
            extent = dict(wire.fields(bytes_of(value)))
            whole = 2 not in extent
            start, length = number_of(extent.get(1, 0)), number_of(extent.get(2, 0))
            extents.append(None if whole else (start, length))
    return tuple(extents)
