"""Define `tf.summary.FileWriter`, which writes event files for TensorBoard."""

from __future__ import annotations

import os
import socket
import threading
import time
import warnings
import weakref
from typing import Any

from shims._src.v1.summary import messages


class FileWriter:
    """A writer of event files for TensorBoard.

    Args:
      logdir: the folder; created if it does not exist.
      graph: accepted and ignored; graphs are not written.
      max_queue: the number of pending events after which the events are written.
      flush_secs: the seconds after which the next event triggers a flush.
      graph_def: accepted and ignored.
      filename_suffix: the suffix of the file name.
      session: not supported, because summaries are added from Python.

    Raises:
      ImportError: `tensorboardX` is not installed.
      NotImplementedError: `session` is given.

    Differs from TensorFlow:
      Events are written in the calling thread, without a background thread. The graph is not
      written.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/FileWriter
    """

    __module__ = "shims.compat.v1.summary"

    def __init__(
        self,
        logdir,
        graph=None,
        max_queue=10,
        flush_secs=120,
        graph_def=None,
        filename_suffix=None,
        session=None,
    ):
        del graph, graph_def
        if session is not None:
            raise NotImplementedError(
                "FileWriter(session=...) writes from inside the graph, which is not supported: remove `session`, "
                "and call `add_summary` with the result of `session.run`."
            )
        self._logdir = os.fspath(logdir)
        self._most, self._seconds = max_queue or 1, flush_secs
        self._suffix = filename_suffix or ""
        self._lock = threading.Lock()
        self._described: set[tuple[str, str]] = set()
        self._closed = False
        self._open()

    def _open(self) -> None:
        os.makedirs(self._logdir, exist_ok=True)
        writer = messages.library("event_file_writer").EventsWriter
        suffix, number = self._suffix, 0
        # File names contain the time in seconds: two writers must not share one file.
        while self._is_taken(suffix):
            number += 1
            suffix = f".{number}{self._suffix}"
        self._file: Any = writer(os.path.join(self._logdir, "events"), suffix)
        # Without `close`, as for the writers of `FileWriterCache`, no events are lost.
        self._finish = weakref.finalize(self, self._file.close)
        self._waiting, self._flushed = 0, time.time()
        self._file.flush()

    def _is_taken(self, suffix: str) -> bool:
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}{suffix}"
        return os.path.exists(os.path.join(self._logdir, name))

    def get_logdir(self) -> str:
        """Return the folder of the event files."""
        return self._logdir

    def add_summary(self, summary, global_step=None) -> None:
        """Write a summary.

        Args:
          summary: a `Summary`, or the serialized bytes that a session returns.
          global_step: the number of steps so far.
        """
        if isinstance(summary, bytes):
            summary = messages.Summary.FromString(summary)
        for value in summary.value:
            self._describe_once(value)
        self._add(global_step, summary=summary)

    def _describe_once(self, value) -> None:
        """Remove the metadata of a summary value if an earlier value with its tag was already described."""
        if not value.HasField("metadata"):
            return
        key = (value.tag, value.metadata.plugin_data.plugin_name)
        if key in self._described:
            value.ClearField("metadata")
        self._described.add(key)

    def add_session_log(self, session_log, global_step=None) -> None:
        """Write a `SessionLog`, which records that a session starts, stops or saves a checkpoint."""
        self._add(global_step, session_log=session_log)

    def add_graph(self, graph, global_step=None, graph_def=None) -> None:
        """Ignore a graph: graphs are not written."""
        del graph, global_step, graph_def

    def add_meta_graph(self, meta_graph_def, global_step=None) -> None:
        """Ignore a meta graph: graphs are not written."""
        del meta_graph_def, global_step

    def add_run_metadata(self, run_metadata, tag, global_step=None) -> None:
        """Ignore run metadata: runs have none in this package."""
        del run_metadata, tag, global_step

    def _add(self, global_step, **content) -> None:
        event = messages.Event(wall_time=time.time(), **content)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_event(self, event) -> None:
        """Write an `Event`."""
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=2,
            )
            return
        with self._lock:
            self._file.write_event(event)
            self._waiting += 1
            late = time.time() - self._flushed > self._seconds
        if late or self._waiting >= self._most:
            self.flush()

    def flush(self) -> None:
        """Write all pending events to disk."""
        if not self._closed:
            with self._lock:
                self._file.flush()
                self._waiting, self._flushed = 0, time.time()

    def close(self) -> None:
        """Write all pending events to disk and close the file."""
        if not self._closed:
            self._closed = True
            with self._lock:
                self._finish()

    def reopen(self) -> None:
        """Open a new event file after `close`."""
        if self._closed:
            self._closed = False
            self._open()

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error) -> None:
        self.close()


class FileWriterCache:
    """A cache with one writer per folder.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/summary/FileWriterCache
    """

    __module__ = "shims.compat.v1.summary"
    _lock = threading.RLock()
    _writers: dict[str, FileWriter] = {}  # noqa: RUF012  # shared by the program on purpose

    @staticmethod
    def get(logdir) -> FileWriter:
        """Return the writer of a folder, and create the writer if there is none."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._writers:
                FileWriterCache._writers[logdir] = FileWriter(logdir)
            return FileWriterCache._writers[logdir]

    @staticmethod
    def clear() -> None:
        """Close all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()
