"""Replay captured calls against a port, and go on after a crash or a call that takes too long."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from tf2jax_port.diff.code_bases.call_file import Calls, read_calls
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed

Results = dict[tuple[int, str], Replayed]
_MODULE = "tf2jax_port.diff.code_bases.replay"


def prove(file: Path, root: Path, timeout: float) -> tuple[Calls, Results]:
    """Replay all captured calls; return them, and the outcome of each call in each lane.

    Args:
      file: the captured calls.
      root: the folder from which the port's packages are imported.
      timeout: the time limit of one call in one lane, in seconds.
    """
    calls = read_calls(file)
    results: Results = {}
    first = 0
    while first < len(calls.calls):
        left = _replay_from(file, root, first, timeout, results)
        if left is None:
            break
        first = left + 1
    for (index, lane), replayed in results.items():
        eager = results.get((index, "eager"), replayed)
        if eager.outcome is Outcome.RANDOM and replayed.outcome is Outcome.DIFFERENT:
            results[index, lane] = replayed._replace(outcome=Outcome.RANDOM)
    return calls, results


def _replay_from(
    file: Path, root: Path, first: int, timeout: float, results: Results
) -> int | None:
    """Replay calls from a position on; return the call at which the process ended early, `None` at the end."""
    paths = [str(Path(__file__).resolve().parents[3]), os.environ.get("PYTHONPATH", "")]
    environment = {
        "KERAS_BACKEND": "jax",
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", _MODULE, str(file), str(root), str(first)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
    reader.start()
    at: tuple[int, str] | None = None
    why = "the process ended"
    while True:
        try:
            line = lines.get(timeout=timeout)
        except queue.Empty:
            why = f"no result within {timeout:g} seconds"
            process.kill()
            break
        if line is None:
            break
        at = _take(line, results)
    ended = process.wait()
    reader.join()
    process.stdout.close()
    if ended == 0 or at is None:
        return None
    results.setdefault(at, Replayed(Outcome.ERROR, why))
    return at[0]


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in stream:
        if line.startswith('{"replay"'):
            lines.put(line)
    lines.put(None)


def _take(line: str, results: Results) -> tuple[int, str]:
    """Store the outcome in a line; return the call and the lane that it is about."""
    said = json.loads(line)["replay"]
    place = (int(said["call"]), str(said["lane"]))
    if "outcome" in said:
        results[place] = Replayed(Outcome(said["outcome"]), str(said["detail"]))
    return place
