"""Run a lane in a separate process, in parallel with the others and isolated from their crashes."""

from __future__ import annotations

import os
import pickle
import signal

from tf2jax_port.diff.lanes.parts import Part, collected
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.processes.running import Running
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.cotangents import Fed
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.values.spill import all_spilled
from tf2jax_port.diff.vocabulary.lanes import JAX_SHARDED, is_old

# Each new process imports for some seconds, and a lane that crashed this often will crash again.
MOST_CRASHES = 3
_NOT_TRIED = Failure("Crash", f"not run, because the limit of {MOST_CRASHES} crashes was reached")
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


def how_it_ended(lane: str, code: int) -> str:
    """Describe how a lane's process ended: `TensorFlow crashed (SIGSEGV)`, or that it exited."""
    if code >= 0:
        return f"the process exited before it returned a result (exit code {code})"
    framework = "TensorFlow" if is_old(lane) else "JAX"
    return f"{framework} crashed ({signal_name(code)})"


def signal_name(code: int) -> str:
    """Return the name of the signal that a negative exit status encodes: `SIGSEGV` for -11."""
    names = {s.value: s.name for s in signal.Signals}
    return names.get(-code, f"signal {-code}")
