"""Replay captured calls against a port in processes, and go on after a crash or a call that takes too long."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path

from tf2jax_port.diff.code_bases.call_file import Calls, read_calls
from tf2jax_port.diff.code_bases.kept import Kept, keys
from tf2jax_port.diff.code_bases.order import leaves_first
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.code_bases.planted import STRENGTH
from tf2jax_port.diff.code_bases.port_files import PortFiles
from tf2jax_port.diff.code_bases.replay import lanes_of
from tf2jax_port.diff.functions import keras_use
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.processes.running import Running

Place = tuple[int, str]  # a call's number, and a lane
Results = dict[Place, Replayed]
Step = Callable[[int, int], None]
_POLL = 0.2  # seconds between two looks at threads
_START = 300  # seconds that a process has for its imports
_PROGRAM = "tf2jax_port.diff.code_bases.replay_program"


class ProveError(DiffError):
    """Raised if no call can be replayed here."""


def prove(
    file: Path,
    root: Path,
    timeout: float,
    kept: Path | None = None,
    step: Step | None = None,
    jobs: int = 1,
    *,
    strength: bool = False,
) -> tuple[Calls, Results]:
    """Replay all captured calls; return them, and the outcome of each call in each lane.

    Args:
      file: the captured calls.
      root: the folder from which the port's packages are imported.
      timeout: the time limit of one call in one lane, in seconds.
      kept: a file with outcomes; only calls that it does not have are replayed, and added to it.
      step: called before each call with the number of finished calls and the number of all calls.
      jobs: the number of processes that replay calls.
      strength: whether faults are planted into each call that is equal, to tell which of them it notices.

    Raises:
      ProveError: the calls cannot be read, or the process that replays them cannot be started.
    """
    try:
        calls = read_calls(file)
    except (OSError, ValueError) as error:
        raise ProveError(f"{file}: the file was not written by `capture`: {error}") from error
    if calls.calls and not any(_is_in(root, package) for package in calls.packages):
        held = " nor ".join(calls.packages)
        raise ProveError(
            f"{root}: the folder contains no package {held}.\n  Required: the folder from which the port is imported"
        )
    named = keys(calls, PortFiles(root)) if kept else [""] * len(calls.calls)
    results: Results = {}
    with Kept(kept) as store:
        left = []
        for place in _in_order(calls, STRENGTH if strength else ""):
            known = store.get(named[place[0]], place[1])
            if known is None:
                left.append(place)
            else:
                results[place] = known
        _Run(
            file,
            root,
            timeout,
            lambda p, found: store.add(named[p[0]], p[1], found),
            step or (lambda done, total: None),
        ).replay(left, results, jobs)
    for (index, lane), replayed in results.items():
        eager = results.get((index, "eager"), replayed)
        if eager.outcome is Outcome.RANDOM and replayed.outcome is Outcome.DIFFERENT:
            results[index, lane] = replayed._replace(outcome=Outcome.RANDOM)
    return calls, results


def _is_in(root: Path, package: str) -> bool:
    return (
        PortFiles(root).file_of(package) is not None or root.joinpath(*package.split(".")).is_dir()
    )


def _in_order(calls: Calls, last: str) -> list[Place]:
    """Return what to replay: functions before their callers. `last` is one more lane of all calls, unless empty."""
    by_function: dict[tuple[str, str], list[int]] = {}
    for index, call in enumerate(calls.calls):
        if not call.unfit:
            by_function.setdefault(call.function, []).append(index)
    ordered = leaves_first(by_function, calls.edges)
    return [
        (index, lane)
        for function in ordered
        for index in by_function[function]
        for lane in (*lanes_of(calls.calls[index]), *([last] if last else []))
    ]


def _shares(places: list[Place], number: int) -> list[list[Place]]:
    """Distribute the calls over several processes; one process gets all lanes of a call."""
    dealt: list[list[Place]] = [[] for _ in range(number)]
    turn, last = -1, -1
    for place in places:
        turn += place[0] != last
        last = place[0]
        dealt[turn % number].append(place)
    return [share for share in dealt if share]


class _Run:
    """Replays calls in child processes.

    Args:
      file: the captured calls.
      root: the folder of the port.
      timeout: the time limit of one call in one lane.
      keep: called with each outcome that another run may use again.
      step: called with the number of finished calls and the number of all calls.
    """

    def __init__(
        self,
        file: Path,
        root: Path,
        timeout: float,
        keep: Callable[[Place, Replayed], None],
        step: Step,
    ) -> None:
        self._file, self._root, self._timeout, self._keep = file, root, timeout, keep
        self._step = step
        self._lock = threading.Lock()
        self._done = self._total = 0
        self._failed: list[ProveError] = []

    def replay(self, left: list[Place], results: Results, jobs: int) -> None:
        """Replay calls in several processes, and add their outcomes to the results."""
        self._total = len(left)
        shares = _shares(left, jobs)
        if len(shares) < 2:
            for share in shares:
                self._replay_all(share, results)
            return
        threads = [
            threading.Thread(target=self._try_all, args=(share, results), daemon=True)
            for share in shares
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():  # a join without a timeout may not be interruptible
                thread.join(_POLL)
        if self._failed:
            raise self._failed[0]

    def _try_all(self, left: list[Place], results: Results) -> None:
        try:
            self._replay_all(left, results)
        except ProveError as error:
            self._failed.append(error)

    def _replay_all(self, left: list[Place], results: Results) -> None:
        done = 0
        while done < len(left):
            done += self._replay_some(left[done:], results)

    def _add(self, place: Place, found: Replayed, *, keep: bool) -> None:
        with self._lock:
            self._done += 1
            if keep:
                self._keep(place, found)

    def _replay_some(self, places: list[Place], results: Results) -> int:
        """Replay calls until the process ends; return how many have an outcome."""
        library = str(Path(__file__).resolve().parents[3])
        paths = [library, os.environ.get("PYTHONPATH", "")]
        process = Running(
            _PROGRAM,
            {keras_use.VARIABLE: keras_use.JAX, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        done = 0
        at: Place | None = None
        why = "the process ended"
        try:
            process.send((str(self._file.resolve()), str(self._root), places))
            while done < len(places):
                self._step(self._done, self._total)
                at = process.receive(self._timeout if done else max(self._timeout, _START))
                found = process.receive(self._timeout)
                results[at] = Replayed(Outcome(found[0]), *found[1:])
                self._add(at, results[at], keep=True)
                done += 1
        except TimeoutError:
            why = f"no result within {self._timeout:g} seconds"
        except (EOFError, pickle.UnpicklingError):
            pass  # what it said last tells how it ended
        finally:
            code, said = process.end()
        if done == len(places):
            return done
        if at is None:
            raise ProveError(f"the process that replays calls ended (exit code {code}): {said}")
        results[places[done]] = Replayed(Outcome.ERROR, why)
        self._add(places[done], results[places[done]], keep=False)
        return done + 1
