"""Run a program while its calls are recorded."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import tf2jax_port
from tf2jax_port.diff.code_bases.call_file import Calls, merged, read_calls
from tf2jax_port.diff.code_bases.recorder import VARIABLE
from tf2jax_port.diff.functions import keras_use
from tf2jax_port.diff.processes.guard import guarded

# Python runs `sitecustomize` before any program; the one that it hides is run as well.
_HOOK = """import os, sys
sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
this = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = this
from tf2jax_port.diff.code_bases import recorder
recorder.start()
"""
CAN_MONITOR = hasattr(sys, "monitoring")  # since Python 3.12
ANOTHER_PYTHON = "create an environment with Python 3.12 or 3.13 for `capture`; `diff` and `record` also run on Python 3.11"
_PATIENCE = 60  # seconds until a program that does not end is killed
_TIMED_OUT, _INTERRUPTED = 124, 130  # the exit codes that shells use


class CaptureError(Exception):
    """Raised if calls cannot be recorded here."""


def capture(
    command: Sequence[str], packages: Sequence[str], output: Path, most: int, timeout: float
) -> tuple[Calls, int]:
    """Run a command, and write the calls of the watched packages to a file.

    Args:
      command: the program and its arguments.
      packages: the import names of the packages to watch.
      output: the file to write.
      most: the most calls that are kept for a function.
      timeout: the time limit in seconds; what was recorded by processes that ended before is kept.

    Returns:
      The calls, and the exit code of the command.

    Raises:
      CaptureError: Python is older than 3.12, or the program cannot be started.
    """
    if not CAN_MONITOR:
        raise CaptureError(
            f"capture needs Python 3.12 or later, which can monitor calls.\n  Do:       {ANOTHER_PYTHON}"
        )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "sitecustomize.py").write_text(_HOOK)
        home = str(Path(tf2jax_port.__file__).resolve().parents[1])
        paths = [scratch, os.environ.get("PYTHONPATH", ""), home]
        asked = json.dumps({"packages": list(packages), "most": most, "folder": scratch})
        environment = {
            **os.environ,
            keras_use.VARIABLE: keras_use.TENSORFLOW,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            VARIABLE: asked,
        }
        code = _run(command, environment, timeout)
        calls = merged([read_calls(file) for file in sorted(folder.glob("*.npz"))])
    calls.write(output)
    return calls, code


def _run(command: Sequence[str], environment: dict[str, str], timeout: float) -> int:
    """Run a command; return its exit code, 124 if it was ended at the time limit, 130 if it was interrupted.

    The command and all processes that it starts end when this process ends, however it ends.
    """
    if shutil.which(command[0]) is None:
        raise CaptureError(f"{command[0]}: there is no program with this name")
    watched, held = os.pipe()
    try:
        # A group of its own: an interrupt reaches the command once, from here.
        process = subprocess.Popen(
            guarded(command, watched), env=environment, pass_fds=(watched,), start_new_session=True
        )
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return _end(process, _TIMED_OUT)
        except KeyboardInterrupt:
            return _end(process, _INTERRUPTED)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    finally:
        os.close(watched)
        os.close(held)


def _end(process: subprocess.Popen[bytes], code: int) -> int:
    """Let the program end in its own way, so that its calls are written; return the exit code."""
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
    return code
