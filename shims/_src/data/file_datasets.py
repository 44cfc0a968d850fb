"""Provide the datasets of files: lines, records, and blocks of fixed length."""

from __future__ import annotations

from typing import Any

from shims._src.data import interleaving, records
from shims._src.data.dataset import Dataset
from shims._src.data.files import Files, paths_of
from shims._src.data.node import Node


def _node(filenames, compression_type, format: records.Format, num_parallel_reads) -> Node:
    """Return the elements of files, whose names may be the elements of a dataset."""
    compression = _text(compression_type)
    if not isinstance(filenames, Dataset):
        if num_parallel_reads is None:
            return Files(paths_of(filenames), compression, format)
        filenames = Dataset.from_tensor_slices(paths_of(filenames))

    def read(name) -> Node:
        return Files(paths_of(name), compression, format)

    parallel = int(num_parallel_reads or 1)
    cycle = 10 if parallel < 0 else parallel
    return interleaving.Interleave(filenames.node, read, cycle, 1)


def _text(compression_type) -> str:
    found: Any = compression_type or ""
    return found.decode() if isinstance(found, bytes) else str(found)


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Args:
      filenames: a path, several paths, or a dataset of paths.
      compression_type: "GZIP", "ZLIB" or `None`.
      buffer_size: has no effect.
      num_parallel_reads: the number of files that are read in turn.
      name: ignored.

    https://www.tensorflow.org/api_docs/python/tf/data/TextLineDataset
    """

    __module__ = "shims.data"

    def __init__(
        self,
        filenames,
        compression_type=None,
        buffer_size=None,
        num_parallel_reads=None,
        name=None,
    ):
        del buffer_size, name
        super().__init__(_node(filenames, compression_type, records.lines, num_parallel_reads))


class TFRecordDataset(Dataset):
    """The records of TFRecord files.

    Args:
      filenames: a path, several paths, or a dataset of paths.
      compression_type: "GZIP", "ZLIB" or `None`.
      buffer_size: has no effect.
      num_parallel_reads: the number of files that are read in turn.
      name: ignored.

    https://www.tensorflow.org/api_docs/python/tf/data/TFRecordDataset
    """

    __module__ = "shims.data"

    def __init__(
        self,
        filenames,
        compression_type=None,
        buffer_size=None,
        num_parallel_reads=None,
        name=None,
    ):
        del buffer_size, name
        super().__init__(_node(filenames, compression_type, records.records, num_parallel_reads))


class FixedLengthRecordDataset(Dataset):
    """Blocks of a fixed number of bytes of files.

    Args:
      filenames: a path, several paths, or a dataset of paths.
      record_bytes: the size of a block.
      header_bytes: the bytes at the start of each file to leave out.
      footer_bytes: the bytes at the end of each file to leave out.
      buffer_size: has no effect.
      compression_type: "GZIP", "ZLIB" or `None`.
      num_parallel_reads: the number of files that are read in turn.
      name: ignored.

    https://www.tensorflow.org/api_docs/python/tf/data/FixedLengthRecordDataset
    """

    __module__ = "shims.data"

    def __init__(
        self,
        filenames,
        record_bytes,
        header_bytes=None,
        footer_bytes=None,
        buffer_size=None,
        compression_type=None,
        num_parallel_reads=None,
        name=None,
    ):
        del buffer_size, name
        format = records.blocks(int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0))
        super().__init__(_node(filenames, compression_type, format, num_parallel_reads))
