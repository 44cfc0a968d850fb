"""Read and write formats of files: records with checksums, lines, and blocks of fixed length."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import numpy as np

from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.errors import errors

# From an opened file and an offset: the elements, each with the offset behind it.
Format = Callable[[BinaryIO, int], Iterator[tuple[bytes, int]]]


def lines(file: BinaryIO, offset: int) -> Iterator[tuple[bytes, int]]:
    """Yield the lines from an offset on, without their ends."""
    file.seek(offset)
    for line in file:
        offset += len(line)
        yield line.rstrip(b"\n").replace(b"\r", b""), offset


def blocks(size: int, header: int, footer: int) -> Format:
    """Return a format: blocks of `size` bytes between a header and a footer."""

    def read(file: BinaryIO, offset: int) -> Iterator[tuple[bytes, int]]:
        file.seek(0, os.SEEK_END)
        end = file.tell() - footer
        if (end - header) % size:
            raise errors.InvalidArgumentError(
                f"Excess bytes: the body of the file has {end - header} bytes, which is not a "
                f"multiple of the record length {size}."
            )
        offset = max(offset, header)
        file.seek(offset)
        while offset < end:
            offset += size
            yield file.read(size), offset

    return read


def records(file: BinaryIO, offset: int) -> Iterator[tuple[bytes, int]]:
    """Yield the records of a TFRecord file from an offset on.

    Raises:
      DataLossError: a record is cut off, or its checksum is wrong.
    """
    file.seek(offset)
    while len(head := file.read(12)) == 12:  # TensorFlow ends at a head that is cut off
        if _masked(head[:8]) != head[8:]:
            _fail("corrupted", offset)
        (size,) = struct.unpack("<Q", head[:8])
        body = file.read(size + 4)
        if len(body) < size + 4:
            _fail("truncated", offset)
        if _masked(body[:size]) != body[size:]:
            _fail("corrupted", offset + 12)
        offset += size + 16
        yield body[:size], offset


def _fail(kind: str, offset: int) -> None:
    raise errors.DataLossError(f"{kind} record at {offset}")


def _masked(data: bytes) -> bytes:
    return struct.pack("<I", mask(crc32c(data)))


class TFRecordOptions:
    """Settings of a file of records.

    Args:
      compression_type: "GZIP", "ZLIB" or `None`.
      compression_level: from 0 to 9.

    https://www.tensorflow.org/api_docs/python/tf/io/TFRecordOptions
    """

    __module__ = "shims.io"

    def __init__(self, compression_type=None, compression_level=None, **others):
        del others
        self.compression_type = compression_type or ""
        self.compression_level = compression_level


class TFRecordWriter:
    """Writes records to a file; a context manager.

    Args:
      path: the file.
      options: `TFRecordOptions`, or the name of a compression.

    https://www.tensorflow.org/api_docs/python/tf/io/TFRecordWriter
    """

    __module__ = "shims.io"

    def __init__(self, path, options=None):
        settings = options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)
        level = 6 if settings.compression_level is None else settings.compression_level
        self._path, self._deflating = os.fsdecode(path), None
        self._file: Any = None
        if settings.compression_type == "GZIP":
            self._file = gzip.open(self._path, "wb", level)  # noqa: SIM115 - `close` closes it
        elif settings.compression_type in ("", "ZLIB"):
            self._file = open(self._path, "wb")  # noqa: SIM115 - `close` closes it
            if settings.compression_type:
                self._deflating = zlib.compressobj(level)
        else:
            raise errors.InvalidArgumentError(
                f"Unsupported compression_type: {settings.compression_type}"
            )

    def write(self, record) -> None:
        """Append a record: `bytes`, or a scalar string tensor."""
        if isinstance(record, np.ndarray):
            record = record[()] if isinstance(record[()], bytes) else np.asarray(record)[()]
        size = struct.pack("<Q", len(record))
        data = b"".join([size, _masked(size), record, _masked(record)])
        self._file.write(data if self._deflating is None else self._deflating.compress(data))

    def flush(self) -> None:
        """Write what is buffered."""
        if self._deflating is not None:
            self._file.write(self._deflating.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._deflating is not None and not self._file.closed:
            self._file.write(self._deflating.flush())
        self._file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.close()
