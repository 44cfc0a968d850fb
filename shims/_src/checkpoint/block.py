"""Encode and decode a block of a sorted table: prefix-compressed keys with values."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.wire import Malformed, read_varint, take, varint

TRAILER = 5  # the compression type, and the checksum of the block and that type

_PLAIN, _SNAPPY = 0, 1


class BlockBuilder:
    """A builder that encodes sorted items into a block.

    Args:
      restart_interval: the number of keys between restart points, where a key is stored whole.
    """

    def __init__(self, restart_interval: int):
        self._interval = restart_interval
        self._out = bytearray()
        self._restarts = [0]
        self._count = 0
        self.last_key = b""

    def add(self, key: bytes, value: bytes) -> None:
        """Add an item; its key must sort after all previous keys."""
        shared = 0
        if self._count % self._interval:
            shared = shared_prefix(self.last_key, key)
        elif self._count:
            self._restarts.append(len(self._out))
        self._out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        self._out += key[shared:] + value
        self._count += 1
        self.last_key = key

    @property
    def size(self) -> int:
        """The current size of the block in bytes."""
        return len(self._out) + 4 * (len(self._restarts) + 1)

    def block(self) -> bytes:
        """Return the encoded block, without its trailer."""
        count = len(self._restarts)
        return bytes(self._out) + struct.pack(f"<{count + 1}I", *self._restarts, count)


def shared_prefix(a: bytes, b: bytes) -> int:
    """Return the length of the common prefix of two keys."""
    unequal = (at for at, (x, y) in enumerate(zip(a, b)) if x != y)
    return next(unequal, min(len(a), len(b)))


def with_trailer(block: bytes) -> bytes:
    """Append the trailer to an encoded block: the code for no compression, and the masked checksum."""
    block += bytes([_PLAIN])
    return block + mask(crc32c(block)).to_bytes(4, "little")


def stored_block(data: bytes, offset: int, size: int) -> bytes:
    """Read the block of `size` bytes at `offset` of a file and verify its checksum."""
    stored, _ = take(data, offset, size + TRAILER)
    checked, checksum = stored[:-4], int.from_bytes(stored[-4:], "little")
    if mask(crc32c(checked)) != checksum:
        raise Malformed(f"the checksum of the {size} bytes at {offset} does not match")
    if checked[-1] == _SNAPPY:
        raise Malformed(
            "the file is compressed with Snappy, which TensorFlow does not use for checkpoints"
        )
    if checked[-1] != _PLAIN:
        raise Malformed(f"the block has the unknown compression type {checked[-1]}")
    return checked[:-1]


def items_of(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block, in order."""
    if len(block) < 4:
        raise Malformed("a block is too short")
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise Malformed("a block declares more restart points than the block can contain")
    entries, at, key = block[:end], 0, b""
    while at < end:
        shared, at = read_varint(entries, at)
        own, at = read_varint(entries, at)
        size, at = read_varint(entries, at)
        if shared > len(key):
            raise Malformed(
                "a key shares a prefix with the previous key, but the prefix is longer than the previous key"
            )
        tail, at = take(entries, at, own)
        value, at = take(entries, at, size)
        key = key[:shared] + tail
        yield key, value
