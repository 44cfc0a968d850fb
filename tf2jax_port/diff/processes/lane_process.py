"""Run a lane in a separate process, in parallel with the others and isolated from their crashes."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

from tf2jax_port.diff.lanes.parts import Part, collected
from tf2jax_port.diff.lanes.tensorflow_lanes import SHARING
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import Fed
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.values.spill import all_spilled
from tf2jax_port.diff.vocabulary.lanes import JAX_SHARDED, is_old

# Each new process imports for some seconds, and a lane that crashed this often will crash again.
MOST_CRASHES = 3
_NOT_TRIED = Failure("Crash", f"not tried after {MOST_CRASHES} crashes")
_LONGEST_DETAIL = 2000
# JAX treats a CPU as one device unless a flag sets their number before it starts.
HOST_DEVICES = 8


class LaneProcess:
    """Runs a lane in a separate process, one case at a time.

    A process that ends is replaced for the next case. It starts at once, so that it imports its
    framework while the other lanes run.

    Args:
      setup: the configuration of the process: what it imports and runs.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._crashes = 0
        self._crash = _NOT_TRIED
        self._running: Running | None = None
        self._asked: tuple[Arguments, Fed, Failure | None] | None = None
        self._open()

    def start(self, case: Arguments, fed: Fed) -> None:
        """Send a case to the process, which runs it while this process continues."""
        if self._running is None and self._crashes < MOST_CRASHES:
            self._open()
        unsent = _NOT_TRIED if self._running is None else self._running.send((case, fed))
        self._asked = case, fed, unsent

    def result(self) -> Observation:
        """Wait for the result of the started case."""
        assert self._asked is not None
        case, fed, unsent = self._asked
        return Observation(unsent) if unsent else collected(case, fed, self._receive)

    def close(self) -> None:
        """End the process of the lane."""
        if self._running is not None:
            self._running.end()
            self._running = None

    def _open(self) -> None:
        self._running = Running(environment=_environment(self._setup.lane))
        self._running.send(self._setup)

    def _receive(self) -> Part:
        if self._running is None:  # it has crashed in an earlier part of this case
            return self._crash
        try:
            part: Part = self._running.receive()
            return part if isinstance(part, Failure) else all_spilled(part)
        except (EOFError, pickle.UnpicklingError):
            code, said = self._running.wait()
            self._running = None
            self._crashes += 1
            self._crash = Failure("Crash", how_it_ended(self._setup.lane, code), said)
            return self._crash


def _environment(lane: str) -> dict[str, str]:
    if lane != JAX_SHARDED.id:
        return {}
    several = f"--xla_force_host_platform_device_count={HOST_DEVICES}"
    return {"XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {several}".strip()}


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
        # it. Children of such a process stay in its group.
        self._leads = os.getsid(0) != os.getpid()
        with contextlib.ExitStack() as stack:
            self._errors = stack.enter_context(tempfile.TemporaryFile())
            self._process = subprocess.Popen(
                [sys.executable, "-m", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=self._leads,
                stderr=self._errors,
                env={**SHARING, **os.environ, **(environment or {})},
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._asked, self._answers = self._process.stdin, self._process.stdout
            self._files = stack.pop_all()

    def send(self, message: Any) -> Failure | None:
        """Send a message; return a `Failure` if that is impossible, else `None`."""
        data = attempt(pickle.dumps, message)
        if isinstance(data, Failure):
            return Failure(data.kind, f"the case cannot be sent to another process, {data.reason}")
        # A process that has ended reads nothing; `receive` notices that, too.
        with contextlib.suppress(OSError):
            self._asked.write(data)
            self._asked.flush()
        return None

    def receive(self, seconds: float | None = None) -> Any:
        """Wait for the next message of the process and return it.

        Args:
          seconds: the timeout after which the process is ended; none by default.

        Raises:
          EOFError, UnpicklingError: the process has ended, perhaps in the middle of the answer.
          TimeoutError: the process was ended after the timeout.
        """
        late = threading.Event()

        def end() -> None:
            late.set()
            self._kill()

        watch = threading.Timer(seconds, end) if seconds else None
        if watch:
            watch.daemon = True
            watch.start()
        try:
            return pickle.load(self._answers)
        except (EOFError, pickle.UnpicklingError):
            if late.is_set():
                raise TimeoutError from None
            raise
        finally:
            if watch:
                watch.cancel()

    def end(self) -> None:
        """Kill the process and all of its child processes."""
        self._kill()
        self.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if self._leads else os.kill)(self._process.pid, signal.SIGKILL)

    def wait(self) -> tuple[int, str]:
        """Wait for the process to end and return its exit status and its last error output."""
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace")[-_LONGEST_DETAIL:].strip()
        self._files.close()
        for stream in (self._asked, self._answers):
            with contextlib.suppress(OSError):  # the last message was never read
                stream.close()
        return code, said


def how_it_ended(lane: str, code: int) -> str:
    """Describe how a lane's process ended: `TensorFlow crashed (SIGSEGV)`, or that it exited."""
    if code >= 0:
        return f"the process ended by itself (exit code {code})"
    framework = "TensorFlow" if is_old(lane) else "JAX"
    return f"{framework} crashed ({signal_name(code)})"


def signal_name(code: int) -> str:
    """Return the name of the signal that a negative exit status encodes: `SIGSEGV` for -11."""
    names = {s.value: s.name for s in signal.Signals}
    return names.get(-code, f"signal {-code}")
