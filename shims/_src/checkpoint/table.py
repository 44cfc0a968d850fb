"""A sorted table in a file, as TensorFlow writes the index of a checkpoint.

Blocks of sorted keys, then a block that says where each of them is and by which key it ends, then a
footer that says where that one is. The layout is that of LevelDB's tables.
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
    """Whether the last bytes of a file say that it is such a table."""
    return data.endswith(_MAGIC)


def table_items(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of the table that `data` is, in their order; each block is checked first.

    Raises:
      Malformed: it is not a table, or damaged.
    """
    if len(data) < _FOOTER:
        raise Malformed(f"{len(data)} bytes are too few for a table")
    if not is_table(data):
        raise Malformed("the last bytes are not those of a table")
    footer = data[-_FOOTER:]
    _, at = _handle(footer, 0)
    index, _ = _handle(footer, at)
    previous = None
    for _, handle in items_of(stored_block(data, *index)):
        place, _ = _handle(handle, 0)
        for key, value in items_of(stored_block(data, *place)):
            if previous is not None and key <= previous:
                raise Malformed("the keys are not in order")
            previous = key
            yield key, value


def table_bytes(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The table of items that are sorted by key: what TensorFlow writes of them, byte for byte."""
    out, index, block = bytearray(), BlockBuilder(1), BlockBuilder(_RESTART_INTERVAL)
    last, handle = b"", b""  # of the block before, which the index has once the next key is known
    for key, value in items:
        if handle:
            index.add(_separator(last, key), handle)
            handle = b""
        block.add(key, value)
        if block.size >= _BLOCK_SIZE:
            last, handle = block.last_key, _append(out, block)
            block = BlockBuilder(_RESTART_INTERVAL)
    if not handle:
        last, handle = block.last_key, _append(out, block)
    meta = _append(out, BlockBuilder(1))
    index.add(_successor(last), handle)
    footer = meta + _append(out, index)
    return bytes(out) + footer.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC


def _append(out: bytearray, builder: BlockBuilder) -> bytes:
    """Adds a block to a file; the bytes that say where it is."""
    block = builder.block()
    handle = varint(len(out)) + varint(len(block))
    out += with_trailer(block)
    return handle


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    size, at = read_varint(data, at)
    return (offset, size), at


def _separator(a: bytes, b: bytes) -> bytes:
    """A short key that is at least `a` and less than `b`."""
    at = shared_prefix(a, b)
    if at < min(len(a), len(b)) and a[at] < 0xFF and a[at] + 1 < b[at]:
        return a[:at] + bytes([a[at] + 1])
    return a


def _successor(key: bytes) -> bytes:
    """A short key that is at least `key`."""
    for at, byte in enumerate(key):
        if byte < 0xFF:
            return key[:at] + bytes([byte + 1])
    return key
