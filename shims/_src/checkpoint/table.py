"""Read and write sorted tables, the file format of a checkpoint index.

A table consists of blocks of sorted keys, an index block with the location and last key of each block,
and a footer with the location of the index block. The layout is that of LevelDB's tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shims._src.checkpoint.block import (
    BlockBuilder,
    items_of,
    shared_prefix,
    stored_block,
    with_trailer,
)
from shims._src.checkpoint.wire import Malformed, read_varint, varint

_MAGIC = bytes.fromhex("57fb808b247547db")
_FOOTER = 48
_BLOCK_SIZE = 1 << 18
_RESTART_INTERVAL = 16


def is_table(data: bytes) -> bool:
    """Return whether the last bytes of a file are the magic number of a table."""
    return data.endswith(_MAGIC)


def table_items(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a table in order; the checksum of each block is verified.

    Raises:
      Malformed: the data is not a table, or it is damaged.
    """
    if len(data) < _FOOTER:
        raise Malformed(f"the file has only {len(data)} bytes, which is too short for a table")
    if not is_table(data):
        raise Malformed("the last bytes of the file are not the end of a table")
    footer = data[-_FOOTER:]
    _, at = _read_handle(footer, 0)
    index, _ = _read_handle(footer, at)
    previous = None
    for _, handle in items_of(stored_block(data, *index)):
        place, _ = _read_handle(handle, 0)
        for key, value in items_of(stored_block(data, *place)):
            if previous is not None and key <= previous:
                raise Malformed("the keys are not in order")
            previous = key
            yield key, value


def table_bytes(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Encode items sorted by key as a table, byte for byte as TensorFlow does."""
    out, index, block = bytearray(), BlockBuilder(1), BlockBuilder(_RESTART_INTERVAL)
    last, handle = b"", b""  # of the previous block, added to the index once the next key is known
    for key, value in items:
        if handle:
            index.add(_separator(last, key), handle)
            handle = b""
        block.add(key, value)
        if block.size >= _BLOCK_SIZE:
            last, handle = block.last_key, _append_block(out, block)
            block = BlockBuilder(_RESTART_INTERVAL)
    if not handle:
        last, handle = block.last_key, _append_block(out, block)
    meta = _append_block(out, BlockBuilder(1))
    index.add(_successor(last), handle)
    footer = meta + _append_block(out, index)
    return bytes(out) + footer.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC


def _append_block(out: bytearray, builder: BlockBuilder) -> bytes:
    """Append a block to a file, and return its encoded location for the index block."""
    block = builder.block()
    handle = varint(len(out)) + varint(len(block))
    out += with_trailer(block)
    return handle


def _read_handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def _separator(a: bytes, b: bytes) -> bytes:
    """Return a short key between two adjacent keys: at least `a` and less than `b`."""
    at = shared_prefix(a, b)
    if at < min(len(a), len(b)) and a[at] < 0xFF and a[at] + 1 < b[at]:
        return a[:at] + bytes([a[at] + 1])
    return a


def _successor(key: bytes) -> bytes:
    """Return a short key that is at least `key`."""
    for at, byte in enumerate(key):
        if byte < 0xFF:
            return key[:at] + bytes([byte + 1])
    return key
