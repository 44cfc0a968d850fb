"""Holding a port against a golden: no TensorFlow, no network, nothing but the file and JAX."""

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
    """The report on a port, with the golden in the place of the original; the port runs here.

    Args:
      golden: what was recorded.
      path: where it is, for the command that does it again.
      new: the port.
      only: the numbers of the cases to run; empty for all.
      beside: run the port's eager lane in a process of its own, if another process can import it.
      step: told the number of cases done, their total, and the lane that runs next.

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
    """The same, with the port in processes that nothing depends on.

    Args:
      golden: what was recorded.
      path: where it is.
      new: the specification of the port.
      only: the numbers of the cases to run; empty for all.
      jobs: how many processes run cases.
      timeout: how long one lane of one case may take, in seconds.
      step: told the number of cases done, their total, and the lane that runs next.
      worker: a process that stays afterwards; by default a new one that ends.

    Raises:
      DiffError: there is no such case, or the port does not import.
      KeyboardInterrupt: it came before the first case was through.
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
    """The request as far as a report needs it."""
    old = Loaded(golden.spec, golden.terms["old"]["name"], _absent, golden.terms["old"]["sha256"])
    return run.Request(old, new, "", golden.seed, golden.x64, tuple(only))


def finished(report: Report, golden: Golden, path: Path, new: str, only: Sequence[int]) -> Report:
    """The report with what is particular to a golden."""
    again = _command(path, new, report, only)
    return replace(report, reproduce=again, notes=(*report.notes, *_about(golden)))


def _absent(*arguments: Any) -> Any:
    raise NotImplementedError("the original is in the golden")


def _command(path: Path, new: str, report: Report, only: Sequence[int]) -> str:
    words = ["tf2jax-port", "verify", str(path), new]
    for case in [report.culprit.case] if report.culprit else only:
        words += ["--case", str(case)]
    return shlex.join(words)


def _about(golden: Golden) -> list[Reason]:
    """What the original's side of the report is."""
    made = ", ".join(
        f"{name} {golden.versions[name]}"
        for name in (golden.framework, "python")
        if name in golden.versions
    )
    words = f"replayed from what {made} gave on {golden.device}"
    if golden.framework == "jax":
        words += "; its lanes are those of the recorded port, not of TensorFlow"
    return [Reason("original", words)]
