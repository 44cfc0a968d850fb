"""Define readers, which give the records of the files that a queue names."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shims._src.data import gfile, records
from shims._src.data.files import opened
from shims._src.types.dtypes import int64, string
from shims._src.v1.data.record_files import compression_of
from shims._src.v1.data.turns import turn_of
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.queues.buffers import of_session
from shims._src.v1.queues.queues import QueueBase

ReaderReadV2 = collections.namedtuple("ReaderReadV2", "key value")
ReaderReadUpToV2 = collections.namedtuple("ReaderReadUpToV2", "keys values")
Records = Callable[[str], Iterator[tuple[str, bytes]]]


class ReaderBase:
    """A reader of the files that a queue names; each session has its own position.

    Args:
      kind: TensorFlow's name of the operation.
      name: the name of the reader.
      records_of: a function that maps the name of a file to keys and records.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/ReaderBase
    """

    __module__ = "shims.compat.v1"

    def __init__(self, kind: str, name: str, records_of: Records):
        self._name = get_default_graph().unique_name(name)
        self._records_of = records_of
        self._kind = kind

    def read(self, queue, name=None) -> Any:
        """Return the key and the text of the next record, as a named tuple.

        Args:
          queue: the queue of the names of files.
          name: the name of the operation.
        """
        op = self._operation(
            "ReaderReadV2", name or "ReaderReadV2", queue, [((), string)] * 2, self._one
        )
        return ReaderReadV2(*op.outputs)

    def read_up_to(self, queue, num_records, name=None) -> Any:
        """Return the keys and the texts of the next records of a file."""

        def several(place, files):
            found = [self._one(place, files)]
            while len(found) < num_records and (more := next(place["records"], None)) is not None:
                found.append(_counted(place, more))
            return [np.array(column, object) for column in zip(*found, strict=True)]

        outputs = [([None], string)] * 2
        op = self._operation(
            "ReaderReadUpToV2", name or "ReaderReadUpToV2", queue, outputs, several
        )
        return ReaderReadUpToV2(*op.outputs)

    def num_records_produced(self, name=None) -> Tensor:
        """Return the number of records that were read."""
        count = lambda place, files: [np.int64(place["count"])]
        kind, title = "ReaderNumRecordsProducedV2", name or "ReaderNumRecordsProducedV2"
        return self._operation(kind, title, None, [((), int64)], count).outputs[0]

    def _one(self, place, files) -> list[bytes]:
        """Return the next record, for which further files are opened."""
        found = next(place["records"], None)
        while found is None:
            file = files.take(1)[0][0].item()
            place["records"] = self._records_of(file.decode())
            found = next(place["records"], None)
        return _counted(place, found)

    def _operation(self, kind: str, name: str, queue: QueueBase | None, outputs, f) -> Operation:
        graph = get_default_graph()
        key = f"reader {self._name}"

        def compute(session, op, values):
            del op, values
            place: dict[str, Any] = of_session(
                session, key, lambda: {"records": iter(()), "count": 0}
            )
            files = queue.buffer_in(session) if queue is not None else None
            with turn_of(session, key):
                found = f(place, files)
            return [np.asarray(x, object if isinstance(x, bytes) else None) for x in found]

        inputs = [] if queue is None else [queue.queue_ref]
        title = graph.unique_name(name)
        controls = graph.present_control_inputs()
        op = Operation(graph, kind, title, compute, inputs, outputs, controls)
        op.on_host = True
        op.links = (frozenset(),) * len(outputs)
        return op


def _counted(place, found: tuple[str, bytes]) -> list[bytes]:
    place["count"] += 1
    return [found[0].encode(), found[1]]


def _records(file: str, compression: str, form: records.Format) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a file, each with the place at which it starts."""
    with gfile.tensorflow_errors(file), opened(gfile.path_text(file), compression) as source:
        start = 0
        for record, end in form(source, 0):
            yield start, record
            start = end


class TextLineReader(ReaderBase):
    """A reader of the lines of text files.

    Args:
      skip_header_lines: the lines at the start of each file that are left out.
      name: the name of the reader.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/TextLineReader
    """

    def __init__(self, skip_header_lines=None, name=None):
        skipped = skip_header_lines or 0

        def records_of(file):
            for number, (_, line) in enumerate(_records(file, "", records.lines), 1):
                if number > skipped:
                    yield f"{file}:{number}", line

        super().__init__("TextLineReaderV2", name or "TextLineReaderV2", records_of)


class WholeFileReader(ReaderBase):
    """A reader that returns each file as one record.

    Args:
      name: the name of the reader.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/WholeFileReader
    """

    def __init__(self, name=None):
        def records_of(file):
            with gfile.GFile(file, "rb") as source:
                yield file, source.read()

        super().__init__("WholeFileReaderV2", name or "WholeFileReaderV2", records_of)


class TFRecordReader(ReaderBase):
    """A reader of the records of TFRecord files.

    Args:
      name: the name of the reader.
      options: a `TFRecordOptions`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/TFRecordReader
    """

    def __init__(self, name=None, options=None):
        compression = compression_of(options)

        def records_of(file):
            for start, record in _records(file, compression, records.records):
                yield f"{file}:{start}", record

        super().__init__("TFRecordReaderV2", name or "TFRecordReaderV2", records_of)


class FixedLengthRecordReader(ReaderBase):
    """A reader of records of the same length.

    Args:
      record_bytes: the bytes of a record.
      header_bytes: the bytes at the start of each file that are left out.
      footer_bytes: the bytes at the end of the file that are left out.
      hop_bytes: the number of bytes from the start of one record to the start of the next; only 0
        is supported.
      name: the name of the reader.
      encoding: `ZLIB`, `GZIP` or nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/FixedLengthRecordReader
    """

    def __init__(
        self,
        record_bytes,
        header_bytes=None,
        footer_bytes=None,
        hop_bytes=None,
        name=None,
        encoding=None,
    ):
        if hop_bytes:
            raise ValueError(f"hop_bytes must be 0 or None, not {hop_bytes}")

        def records_of(file):
            form = records.blocks(record_bytes, header_bytes or 0, footer_bytes or 0)
            found = enumerate(_records(file, encoding or "", form))
            yield from ((f"{file}:{i}", record) for i, (_, record) in found)

        kind = "FixedLengthRecordReaderV2"
        super().__init__(kind, name or kind, records_of)


class IdentityReader(ReaderBase):
    """A reader that returns the names of the files themselves.

    Args:
      name: the name of the reader.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/IdentityReader
    """

    def __init__(self, name=None):
        records_of = lambda file: iter([(file, file.encode())])
        super().__init__("IdentityReaderV2", name or "IdentityReaderV2", records_of)
