"""Exchange pickled messages with a child process, and end it with all processes that it started."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

from tf2jax_port.diff.lanes.tensorflow_lanes import SHARING
from tf2jax_port.diff.processes.guard import is_guarded
from tf2jax_port.diff.values.attempt import Failure, attempt

_LONGEST_DETAIL = 2000
# How often to look whether a process has ended whose pipe others keep open.
_POLL_SECONDS = 0.2
_GUARD = "tf2jax_port.diff.processes.guard"


class Running:
    """A running child process with its standard streams.

    Args:
      program: the module that the process runs.
      environment: additional environment variables.
    """

    def __init__(
        self,
        program: str = "tf2jax_port.diff.processes.lane_program",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # A process group of its own: its children end with it, and a keyboard interrupt does not reach
        # it. Children of such a process stay in its group, which ends when this process does.
        self._leads = not is_guarded()
        with contextlib.ExitStack() as stack:
            self._errors = stack.enter_context(tempfile.TemporaryFile())
            self._process = subprocess.Popen(
                [sys.executable, "-m", *([_GUARD] if self._leads else []), program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=self._leads,
                stderr=self._errors,
                env={**SHARING, **os.environ, **(environment or {})},
                bufsize=0,
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._asked = _Pipe(self._process, self._process.stdin, selectors.EVENT_WRITE)
            self._answers = _Pipe(self._process, self._process.stdout, selectors.EVENT_READ)
            self._buffered = io.BufferedReader(self._answers)
            self._files = stack.pop_all()

    def send(self, message: Any) -> Failure | None:
        """Send a message; return a `Failure` if that is impossible, else `None`."""
        data = attempt(pickle.dumps, message)
        if isinstance(data, Failure):
            return Failure(data.kind, f"the case cannot be sent to another process: {data.reason}")
        # A process that has ended reads nothing; `receive` notices that, too.
        with contextlib.suppress(OSError):
            left = memoryview(data)
            while left:
                left = left[self._asked.write(left) :]
        return None

    def receive(self, seconds: float | None = None) -> Any:
        """Wait for the next message of the process and return it.

        Args:
          seconds: the timeout after which the process is ended; none by default.

        Raises:
          EOFError, UnpicklingError: the process has ended, perhaps in the middle of the answer.
          TimeoutError: the process was ended after the timeout.
        """
        self._answers.end = time.monotonic() + seconds if seconds else None
        try:
            return pickle.load(self._buffered)
        except TimeoutError:
            self._kill()
            raise

    def end(self) -> tuple[int, str]:
        """Kill the process and all of its child processes, and return what `wait` does."""
        self._kill()
        return self.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if self._leads else os.kill)(self._process.pid, signal.SIGKILL)

    def wait(self) -> tuple[int, str]:
        """Wait for the process to end and return its exit status and its last error output."""
        code = self._process.wait()
        if self._leads:  # what it started, and what watches it
            self._kill()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")[-_LONGEST_DETAIL:].strip()
        self._files.close()
        for stream in (self._asked, self._answers):
            stream.close()
        return code, said


class _Pipe(io.RawIOBase):
    """One end of a pipe to a process; it does not wait for a process that has ended.

    Other processes may have the other end open: those that the process forked.

    Args:
      process: the process at the other end.
      stream: this end.
      event: what to wait for.
    """

    def __init__(self, process: subprocess.Popen[bytes], stream: Any, event: int) -> None:
        self._process, self._stream = process, stream
        os.set_blocking(stream.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(stream, event)
        self.end: float | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._is_ready():
            found: int | None = self._stream.readinto(buffer)
            if found is not None:
                return found
        return 0

    def write(self, data: Any) -> int:
        if not self._is_ready():
            raise BrokenPipeError
        written: int | None = self._stream.write(data)
        return written or 0

    def close(self) -> None:
        self._selector.close()
        self._stream.close()
        super().close()

    def _is_ready(self) -> bool:
        """Wait for the pipe; return whether it can be used, which is false if the process has ended.

        Raises:
          TimeoutError: `end` is over.
        """
        while True:
            ended = self._process.poll() is not None
            left = 0.0 if ended else _POLL_SECONDS
            if self._selector.select(left):
                return True
            if ended:
                return False
            if self.end is not None and time.monotonic() > self.end:
                raise TimeoutError
