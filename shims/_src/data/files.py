"""Read the elements of files: lines of text, records of fixed length, and names of files."""

from __future__ import annotations

import glob
import gzip
import io
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from shims._src.data import records
from shims._src.data.gfile import path_text, tensorflow_errors
from shims._src.data.node import UNKNOWN_CARDINALITY, Node, Stream
from shims._src.errors import errors
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_spec import TensorSpec


def paths_of(value) -> list[str]:
    """Return the paths in a text, a list or a tensor."""
    if isinstance(value, (list, tuple)):
        return [path_text(v) for v in value]
    if isinstance(value, (np.ndarray, HostTensor)):
        return [path_text(v) for v in np.asarray(value).reshape(-1).tolist()]
    return [path_text(value)]


def matching(patterns) -> list[str]:
    """Return the files that match a pattern, in the order of their names.

    Raises:
      InvalidArgumentError: there are none.
    """
    each = paths_of(patterns)
    found = sorted({name for pattern in each for name in glob.glob(pattern)})
    if not found:
        raise errors.InvalidArgumentError(f"No files matched pattern: {', '.join(each)}")
    return found


def opened(path: str, compression: str) -> BinaryIO:
    """Open a file for reading, decompressed.

    Raises:
      NotFoundError: there is no such file.
      InvalidArgumentError: the compression is not known.
    """
    if compression not in ("", "GZIP", "ZLIB"):
        raise errors.InvalidArgumentError(f"Unsupported compression_type: {compression}.")
    with tensorflow_errors(path):
        if compression == "GZIP":
            return gzip.open(path)  # type: ignore[return-value]
        file = open(path, "rb")  # noqa: SIM115 - the caller closes it
    if compression == "ZLIB":
        with file:
            return io.BytesIO(zlib.decompress(file.read()))
    return file


class Files(Node):
    """The elements of files, one after the other.

    Args:
      paths: the files.
      format: reads an opened file from a position.
    """

    def __init__(self, paths: list[str], compression: str, format: records.Format):
        super().__init__()
        self.paths, self.compression, self.format = paths, compression, format
        self._spec = (TensorSpec([], np.object_),)

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Open the first file at the first element."""
        return _FilesStream(self)


class _FilesStream(Stream):
    """The elements of files; a position is the number of the file and of the bytes before it."""

    saved = ("number", "offset")

    def __init__(self, node: Files):
        super().__init__()
        self.node = node
        self.number = self.offset = 0
        self.is_unreadable = False
        self.file: BinaryIO | None = None
        self.values: Iterator[tuple[bytes, int]] | None = None

    def __next__(self) -> Any:
        while self.number < len(self.node.paths):
            if self.values is None:
                self.is_unreadable = True
                self.file = opened(self.node.paths[self.number], self.node.compression)
                self.values = self.node.format(self.file, self.offset)
                self.is_unreadable = False
            try:
                value, self.offset = next(self.values)
                return host(value)
            except StopIteration:
                self.close()
                self.number, self.offset = self.number + 1, 0
        raise StopIteration

    def restore(self, state: dict[str, Any]) -> None:
        """Open the file again at the next element."""
        self.close()
        super().restore(state)

    def is_stuck(self) -> bool:
        """Return whether the present file cannot be opened."""
        return self.is_unreadable

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()
        self.file = self.values = None
