"""Collect the reasons of a verdict; merge equal reasons and list all of their cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why something was not compared, or a description of a difference.

    Attributes:
      what: the lane, output or gradient that the reason concerns.
      why: the reason, as the rest of the sentence.
      cases: the cases that it applies to; empty if it applies to all.
    """

    what: str
    why: str
    cases: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The reason as one line."""
        return f"{self.what}: {self.why}{_cases(self.cases)}"


def grouped(entries: Iterable[tuple[str, str, int]]) -> list[Reason]:
    """Merge entries `(what, why, case)` with equal `what` and `why` into one `Reason` each."""
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
