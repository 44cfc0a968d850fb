"""Provide `tf.python_io`: reading TFRecord files outside of a graph."""

from __future__ import annotations

from collections.abc import Iterator

from shims._src.data.file_datasets import TFRecordDataset
from shims._src.data.records import TFRecordOptions


class TFRecordCompressionType:
    """The kinds of compression of a TFRecord file.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/io/TFRecordCompressionType
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


def tf_record_iterator(path, options=None) -> Iterator[bytes]:
    """Return an iterator over the records of a file.

    Args:
      path: the file.
      options: a `TFRecordOptions` or a `TFRecordCompressionType`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/python_io/tf_record_iterator
    """
    return (r.numpy() for r in TFRecordDataset(path, compression_of(options)))


def compression_of(options) -> str:
    """Return the name of the compression that options of a TFRecord file, or a kind of them, mean."""
    kind = options.compression_type if isinstance(options, TFRecordOptions) else options
    return {None: "", 0: "", 1: "ZLIB", 2: "GZIP"}.get(kind, kind)
