"""Compare ports with their originals, and locate the first divergence of faulty ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from benchmarks.locate.fault import Fault
from benchmarks.locate.ports import edited, edited_lines, original, port_text, written
from tf2jax_port.diff.functions.loading import named
from tf2jax_port.diff.golden_file.golden import Golden
from tf2jax_port.diff.goldens.record import record
from tf2jax_port.diff.goldens.verify import verify
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions.located import located
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT


@dataclass(frozen=True)
class Outcome:
    """The outcome of one port.

    Attributes:
      program: the name of the program.
      kind: the kind of fault; empty for a correct port.
      verdict: the verdict of the comparison.
      right_line: whether the located line was edited.
      named: the located line.
    """

    program: str
    kind: str
    verdict: str
    right_line: bool = False
    named: str = ""


class Bench:
    """The originals, each run once.

    Args:
      folder: the folder for the ports' files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._goldens: dict[str, Golden] = {}
        self._written = 0

    def fault(self, fault: Fault) -> Outcome:
        """Check whether a fault is found, and at which line."""
        right = port_text(fault.program)
        text = edited(right, fault.edits)
        report, port = self._report(fault.program, text)
        if report.verdict != DIFFERENT:
            return Outcome(fault.program, fault.kind, report.verdict)
        old, _ = original(fault.program)
        cases = [case.case for case in self._golden(fault.program).cases]
        found = located(report, old, port, cases, 0).located
        new = getattr(found, "new", None)
        # Lines are counted in the whole text, and only the first fault is looked for.
        wanted = edited_lines(edited(right, fault.edits[1:]), text)
        if new is None:
            return Outcome(fault.program, fault.kind, report.verdict)
        hit = new.place.line in wanted
        return Outcome(fault.program, fault.kind, report.verdict, hit, new.shown)

    def right(self, program: str, text: str) -> Outcome:
        """Return the outcome of a correct port."""
        report, _ = self._report(program, text)
        return Outcome(program, "", report.verdict, named=report.headline)

    def _report(self, program: str, text: str) -> tuple[Report, Callable[..., Any]]:
        self._written += 1
        port = written(text, self._folder, f"{program}_{self._written}")
        golden = self._golden(program)
        # Compiled programs keep maps of memory, and a process may have only so many: after some 150
        # comparisons it would end in a segmentation fault.
        jax.clear_caches()
        return verify(golden, self._folder, named(port), beside=False), port

    def _golden(self, program: str) -> Golden:
        if program not in self._goldens:
            old, cases = original(program)
            self._goldens[program] = record(named(old), cases, "", framework="tensorflow")
        return self._goldens[program]


def by_kind(outcomes: Iterable[Outcome]) -> dict[str, Sequence[Outcome]]:
    """Group the outcomes by kind of fault."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.kind, []).append(outcome)
    return dict(sorted(found.items()))
