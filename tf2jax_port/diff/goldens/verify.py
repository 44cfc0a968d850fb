"""Compare a port with a golden; this needs JAX but not TensorFlow."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tf2jax_port.diff.functions.loading import Loaded
from tf2jax_port.diff.golden_file.golden import Golden
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions import run
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.sessions.replaying import Replay
from tf2jax_port.diff.supervision.supervisor import Worker, supervised
from tf2jax_port.diff.vocabulary.reasons import Reason


def verify(
    golden: Golden,
    path: Path,
    new: Loaded,
    *,
    only: Sequence[int] = (),
    beside: bool = True,
    step: run.Step = lambda done, total, lane: None,
) -> Report:
    """Compare a port, which runs in this process, with a golden in place of the original program.

    Args:
      golden: the recorded results.
      path: the file, for the command that reproduces the report.
      new: the port.
      only: the numbers of the cases to run; empty for all.
      beside: run the port's eager lane in a separate process, if another process can import it.
      step: called with the number of cases done, their total, and the lane that runs next.

    Raises:
      DiffError: there is no such case.
    """
    request = request_of(golden, new, only)
    with contextlib.closing(Replay(golden, new, only, beside)) as session:
        report = run.judged(request, session.plan, session.observe, step)
    return finished(report, golden, path, new.spec, only)


def verify_elsewhere(
    golden: Golden,
    path: Path,
    new: str,
    *,
    only: Sequence[int] = (),
    jobs: int = 1,
    timeout: float,
    step: run.Step = lambda done, total, lane: None,
    worker: Worker | None = None,
) -> Report:
    """Compare a port, which runs in child processes, with a golden.

    Args:
      golden: the recorded results.
      path: the file.
      new: the specification of the port.
      only: the numbers of the cases to run; empty for all.
      jobs: the number of processes that run cases.
      timeout: the time limit for one lane of one case, in seconds.
      step: called with the number of cases done, their total, and the lane that runs next.
      worker: a process that keeps running; by default a new one that ends.

    Raises:
      DiffError: there is no such case, or importing the port fails.
      KeyboardInterrupt: it came before the first case was finished.
    """
    order = Order(
        golden.spec,
        new,
        "",
        golden.seed,
        golden.x64,
        tuple(only),
        None,
        False,
        beside=jobs == 1,
        worst=False,
        path=tuple(sys.path),
        golden=str(path.resolve()),
    )
    request = request_of(golden, Loaded(new, new, _absent, ""), only)
    report = supervised(order, jobs, timeout, step, request, worker)
    return finished(report, golden, path, new, only)


def request_of(golden: Golden, new: Loaded, only: Sequence[int]) -> run.Request:
    """Make the request that is shown in the report of a comparison with a golden."""
    old = Loaded(golden.spec, golden.terms["old"]["name"], _absent, golden.terms["old"]["sha256"])
    return run.Request(old, new, "", golden.seed, golden.x64, tuple(only))


def finished(report: Report, golden: Golden, path: Path, new: str, only: Sequence[int]) -> Report:
    """Add the command that reproduces the report, and a note on the golden, to the report."""
    again = _command(path, new, report, only)
    return replace(report, reproduce=again, notes=(*report.notes, *_describe_golden(golden)))


def _absent(*arguments: Any) -> Any:
    raise NotImplementedError("the original is in the golden")


def _command(path: Path, new: str, report: Report, only: Sequence[int]) -> str:
    words = ["tf2jax-port", "verify", str(path), new]
    for case in [report.culprit.case] if report.culprit else only:
        words += ["--case", str(case)]
    return shlex.join(words)


def _describe_golden(golden: Golden) -> list[Reason]:
    """Return notes on how a golden was recorded: library versions and device."""
    made = ", ".join(
        f"{name} {golden.versions[name]}"
        for name in (golden.framework, "python")
        if name in golden.versions
    )
    words = f"replayed from results of {made} on {golden.device}"
    if golden.framework == "jax":
        words += "; the lanes are the lanes of the recorded port, not of TensorFlow"
    return [Reason("original", words)]
