"""Read the tensors of a checkpoint from an index and data files."""

from __future__ import annotations

import math
import os

import numpy as np

from shims._src.checkpoint import element_types
from shims._src.checkpoint.crc32c import crc32c, mask
from shims._src.checkpoint.entry import HEADER_KEY, Entry, Header
from shims._src.checkpoint.file_names import data_path, index_path
from shims._src.checkpoint.string_tensors import strings_of
from shims._src.checkpoint.table import table_items
from shims._src.checkpoint.tensor_reader import TensorReader, damaged, no_checkpoint
from shims._src.checkpoint.wire import Malformed
from shims._src.errors import errors


class BundleReader(TensorReader):
    """A reader of the tensors of a checkpoint.

    Args:
      prefix: the path of the checkpoint, without `.index`.

    Raises:
      NotFoundError: the checkpoint does not exist.
      DataLossError: the index is damaged.
      UnimplementedError: it was written on a big-endian machine or in a newer format.
    """

    def __init__(self, prefix: str):
        try:
            with open(index_path(prefix), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise no_checkpoint(prefix) from None
        try:
            items = dict(table_items(data))
            if HEADER_KEY not in items:
                raise Malformed("the index has no header")
            self._header = Header.from_bytes(items.pop(HEADER_KEY))
            entries = {key: Entry.from_bytes(value) for key, value in items.items()}
        except Malformed as fault:
            raise damaged(index_path(prefix), str(fault)) from None
        _check_header(self._header, prefix)
        super().__init__(prefix, entries)

    def _file_of(self, entry: Entry) -> str:
        return data_path(self.prefix, entry.shard, self._header.shards)

    def _stored(self, key: bytes, dtype: np.dtype) -> np.ndarray:
        entry = self.entries.get(key)
        if entry is None:
            raise Malformed("a slice of the tensor is not in the index")
        count = math.prod(entry.shape)
        if entry.dtype == element_types.STRING:
            array, checksum = strings_of(self._read_bytes(entry).tobytes(), count)
        else:
            if entry.size != count * dtype.itemsize:
                raise Malformed(f"{count} elements of {dtype.name} do not have {entry.size} bytes")
            data = self._read_bytes(entry)
            array, checksum = data.view(dtype), crc32c(data)
        if mask(checksum) != entry.checksum:
            raise Malformed(f"the checksum of the {entry.size} bytes at {entry.offset} is wrong")
        return array.reshape(entry.shape)

    def _read_bytes(self, entry: Entry) -> np.ndarray:
        """Read the bytes of a tensor without verifying the checksum."""
        if entry.shard >= self._header.shards:
            raise Malformed(
                f"the index refers to data file number {entry.shard}, but the checkpoint "
                f"has only {self._header.shards}"
            )
        path = self._file_of(entry)
        try:
            with open(path, "rb") as file:
                left = os.fstat(file.fileno()).st_size - entry.offset
                if left < entry.size:
                    raise Malformed(f"{entry.size} bytes at {entry.offset} are cut off")
                file.seek(entry.offset)
                data = np.empty(entry.size, np.uint8)
                if file.readinto(memoryview(data)) != entry.size:
                    raise Malformed(f"{entry.size} bytes at {entry.offset} are cut off")
                return data
        except FileNotFoundError:
            raise errors.NotFoundError(
                errors.message(
                    "",
                    f"{path}; No such file or directory",
                    required=(
                        f"{self.prefix}.index and, in the same folder, all data files of the "
                        f"checkpoint: {self._header.shards}"
                    ),
                    do="copy the files of a checkpoint together",
                )
            ) from None


def _check_header(header: Header, prefix: str) -> None:
    if header.big_endian:
        problem = (
            "the numbers are big-endian, because the checkpoint was written on a big-endian machine"
        )
    elif header.is_newer:
        problem = f"the checkpoint requires version {header.min_consumer} of the format, but only version 1 is supported"
    else:
        return
    raise errors.UnimplementedError(
        errors.message(
            "",
            f"{prefix} cannot be read: {problem}.",
            do=(
                "restore the checkpoint with TensorFlow on the machine that wrote it, and save "
                "the arrays"
            ),
        )
    )
