"""Holding a port against a golden: no TensorFlow, no network, nothing but the file and JAX."""

from __future__ import annotations

import contextlib
import functools
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tf2jax_port.diff import run
from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.facts import Facts
from tf2jax_port.diff.goldens.golden import Golden, GoldenCase
from tf2jax_port.diff.lane_program import Setup
from tf2jax_port.diff.lanes import JAX_EAGER
from tf2jax_port.diff.loading import Loaded
from tf2jax_port.diff.observe import input_sizes
from tf2jax_port.diff.original import feed
from tf2jax_port.diff.port import Port
from tf2jax_port.diff.reasons import Reason
from tf2jax_port.diff.report import Report


def verify(
    golden: Golden,
    path: Path,
    new: Loaded,
    *,
    only: Sequence[int] = (),
    beside: bool = True,
    step: run.Step = lambda done, total, lane: None,
) -> Report:
    """The report on a port, with the golden in the place of the original.

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
    from tf2jax_port.diff.jax_lanes import set_x64

    set_x64(golden.x64)
    kept = {case.case.index: case for case in golden.cases}
    chosen = run.chosen([case.case for case in golden.cases], only)
    setups = {}
    if beside and new.importable:
        search = tuple(sys.path)
        setups[JAX_EAGER.id] = Setup(JAX_EAGER.id, new.spec, "", golden.seed, golden.x64, search)
    old = Loaded(golden.spec, golden.terms["old"]["name"], _absent, golden.terms["old"]["sha256"])
    request = run.Request(old, new, "", golden.seed, golden.x64, tuple(only))
    skipped = tuple(Reason(*entry) for entry in golden.skipped)
    plan = run.Plan(golden.x64, tuple(chosen), skipped, golden.terms)
    with contextlib.closing(Port(new.function, golden.seed, setups)) as port:
        observe = functools.partial(_observe, golden, kept, port)
        report = run.judged(request, plan, observe, step)
    again = _command(path, new, report, only)
    return replace(report, reproduce=again, notes=(*report.notes, *_about(golden)))


def _absent(*arguments: Any) -> Any:
    raise NotImplementedError("the original is in the golden")


def _observe(
    golden: Golden,
    kept: dict[int, GoldenCase],
    port: Port,
    case: Arguments,
    step: Callable[[str], None],
) -> Facts:
    known = kept[case.index]
    fed = feed(known.lanes, golden.seed, case)
    port.start(case, fed)
    return Facts(
        case=case.index,
        lanes={**known.lanes, **port.results(case, fed, step)},
        in_double=known.in_double,
        in_single=known.in_single,
        x64=golden.x64,
        input_sizes=input_sizes(case),
        rerun=lambda: known.reruns,
        port_in_double=functools.cache(lambda: port.in_double(case, fed)),
    )


def _command(path: Path, new: Loaded, report: Report, only: Sequence[int]) -> str:
    words = ["tf2jax-port", "verify", str(path), new.spec]
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
