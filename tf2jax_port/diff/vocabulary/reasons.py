"""Reasons, each said once with the cases that it holds for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was not compared, or what differs.

    Attributes:
      what: a lane, an output, a gradient.
      why: the rest of the sentence.
      cases: the cases it holds for; empty where it holds for all.
    """

    what: str
    why: str
    cases: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """One line."""
        return f"{self.what}: {self.why}{_cases(self.cases)}"


def grouped(entries: Iterable[tuple[str, str, int]]) -> list[Reason]:
    """One `Reason` for each what and why, in the order in which they first appear."""
    found: dict[tuple[str, str], list[int]] = {}
    for what, why, case in entries:
        cases = found.setdefault((what, why), [])
        if case not in cases:
            cases.append(case)
    return [Reason(what, why, tuple(cases)) for (what, why), cases in found.items()]


def _cases(cases: tuple[int, ...]) -> str:
    if not cases:
        return ""
    if len(cases) == 1:
        return f" (case {cases[0]})"
    shown = ", ".join(str(case) for case in cases[:4])
    more = f" and {len(cases) - 4} more" if len(cases) > 4 else ""
    return f" (cases {shown}{more})"
