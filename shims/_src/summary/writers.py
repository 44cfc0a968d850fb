"""Write event files, and keep the default writer, step and condition of a thread."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

from shims._src.data.records import TFRecordWriter
from shims._src.platform.thread_state import ThreadSlot
from shims._src.summary import events

_NUMBERS = itertools.count()


# Of each thread: the default writer, the default step, and whether summaries are recorded.
WRITER: ThreadSlot[SummaryWriter | None] = ThreadSlot(None)
STEP: ThreadSlot[Any] = ThreadSlot(None)
CONDITION: ThreadSlot[Any] = ThreadSlot(None)


class _Default:
    """A block in which a writer is the default, with a default step if one is given."""

    def __init__(self, writer: SummaryWriter, step):
        self._writer, self._step = writer, step

    def __enter__(self) -> SummaryWriter:
        self._outer = WRITER.value, STEP.value
        WRITER.value = self._writer
        if self._step is not None:
            STEP.value = self._step
        return self._writer

    def __exit__(self, *error) -> None:
        self._writer.flush()
        WRITER.value = self._outer[0]
        if self._step is not None:
            STEP.value = self._outer[1]


class SummaryWriter:
    """The interface of writers of summaries.

    https://www.tensorflow.org/api_docs/python/tf/summary/SummaryWriter
    """

    __module__ = "shims.summary"

    def as_default(self, step=None) -> Any:
        """Return a context manager in which summaries are written by this writer.

        Args:
          step: the default step of the block.
        """
        return _Default(self, step)

    def set_as_default(self, step=None) -> None:
        """Let summaries of this thread be written by this writer.

        Args:
          step: the default step from now on.
        """
        self.as_default(step).__enter__()

    def init(self) -> None:
        """Do nothing: a writer is ready when it is created."""

    def flush(self) -> None:
        """Write what is buffered."""

    def close(self) -> None:
        """Write what is buffered, and close the file."""

    def write_summary(self, step: int, summary: bytes) -> None:
        """Append an encoded `Summary`."""


class _FileWriter(SummaryWriter):
    def __init__(self, folder: str, most: int, seconds: float, suffix: str):
        os.makedirs(folder, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
        self._file = TFRecordWriter(os.path.join(folder, f"{name}.{next(_NUMBERS)}{suffix}"))
        self._finish = weakref.finalize(self, self._file.close)
        self._most, self._seconds = most, seconds
        self._lock = threading.Lock()
        self._file.write(events.first_event())
        self.flush()

    def as_default(self, step=None) -> Any:
        self._check_open()
        return super().as_default(step)

    def init(self) -> None:
        self._check_open()

    def _check_open(self) -> None:
        if not self._finish.alive:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def write_summary(self, step: int, summary: bytes) -> None:
        if not self._finish.alive:
            return
        with self._lock:
            self._file.write(events.summary_event(step, summary))
            self._waiting += 1
        if self._waiting > self._most or time.time() - self._flushed > self._seconds:
            self.flush()

    def flush(self) -> None:
        if self._finish.alive:
            with self._lock:
                self._file.flush()
                self._waiting, self._flushed = 0, time.time()

    def close(self) -> None:
        with self._lock:
            self._finish()


class _NoWriter(SummaryWriter):
    def as_default(self, step=None) -> Any:
        del step
        return contextlib.nullcontext()


def create_file_writer(
    logdir,
    max_queue=None,
    flush_millis=None,
    filename_suffix=None,
    name=None,
    experimental_trackable=False,
    experimental_mesh=None,
) -> SummaryWriter:
    """Create a writer of an event file for TensorBoard.

    Args:
      logdir: the folder, created if necessary.
      max_queue: the largest number of summaries that wait to be written; 10 when `None`.
      flush_millis: the longest time, in milliseconds, that summaries wait to be written; 120,000 when `None`.
      filename_suffix: the end of the name of the file; ".v2" when `None`.
      name: ignored.
      experimental_trackable: ignored.
      experimental_mesh: ignored.

    Returns:
      A `SummaryWriter`; `with writer.as_default():` makes the writer the default writer.

    Raises:
      ValueError: `logdir` is `None`.

    Differs from TensorFlow:
      Events are written in the calling thread.

    Under jit:
      Create a writer outside of functions; summaries in a function are written when the function
      runs.

    Example:
      >>> import os, tempfile
      >>> from shims import summary
      >>> folder = tempfile.mkdtemp()
      >>> with summary.create_file_writer(folder).as_default():
      ...     for step in range(3):
      ...         _ = summary.scalar("loss", 1.0 / (step + 1), step=step)
      >>> len(os.listdir(folder))
      1

    https://www.tensorflow.org/api_docs/python/tf/summary/create_file_writer
    """
    del name, experimental_trackable, experimental_mesh
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    most = 10 if max_queue is None else int(max_queue)
    millis = 120_000 if flush_millis is None else int(flush_millis)
    suffix = ".v2" if filename_suffix is None else filename_suffix
    folder = logdir.numpy() if hasattr(logdir, "numpy") else logdir
    return _FileWriter(os.fsdecode(folder), most, millis / 1000, suffix)


def create_noop_writer() -> SummaryWriter:
    """Create a writer that writes nothing and does not become the default.

    https://www.tensorflow.org/api_docs/python/tf/summary/create_noop_writer
    """
    return _NoWriter()


def flush(writer=None, name=None) -> None:
    """Write what is buffered in a writer.

    Args:
      writer: a `SummaryWriter`; the default writer when `None`.
      name: ignored.

    https://www.tensorflow.org/api_docs/python/tf/summary/flush
    """
    del name
    found = WRITER.value if writer is None else writer
    if found is not None:
        found.flush()


@contextlib.contextmanager
def record_if(condition) -> Iterator[None]:
    """Open a block in which summaries are written only if a condition holds.

    Args:
      condition: a boolean, a boolean scalar, or a function that returns a condition at each
        summary.

    https://www.tensorflow.org/api_docs/python/tf/summary/record_if
    """
    outer, CONDITION.value = CONDITION.value, condition
    try:
        yield
    finally:
        CONDITION.value = outer


def get_step() -> Any:
    """Return the default step of this thread, `None` if there is none.

    https://www.tensorflow.org/api_docs/python/tf/summary/experimental/get_step
    """
    return STEP.value


def set_step(step) -> None:
    """Set the default step of this thread.

    Args:
      step: an integer, an integer scalar or a `Variable`; `None` removes the default step.

    Under jit:
      Unless the step is a `Variable`, its number at the time of tracing is used.

    https://www.tensorflow.org/api_docs/python/tf/summary/experimental/set_step
    """
    STEP.value = step
