"""Collect the reasons of a verdict; merge equal reasons and list all of their cases."""

from __future__ import annotations

import re
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


# Numbers, alone or in a list, in which the messages of one error differ.
_NUMBERS = re.compile(r"0x[0-9a-f]+|(?:[-+]?\d[\d.]*(?:e[-+]?\d+)?[\s,…]*)+")


def grouped_failures(entries: Iterable[tuple[str, str, int]]) -> list[Reason]:
    """Merge entries `(what, why, case)` whose errors differ in numbers only; the first of them stands for all."""
    first: dict[tuple[str, str], str] = {}
    others: dict[tuple[str, str], set[str]] = {}
    merged = []
    for what, why, case in entries:
        key = what, _NUMBERS.sub("#", why)
        first.setdefault(key, why)
        others.setdefault(key, set()).update({why} - {first[key]})
        merged.append((key, case))
    whole = {
        key: f"{why}, and {len(others[key])} similar" if others[key] else why
        for key, why in first.items()
    }
    return grouped((key[0], whole[key], case) for key, case in merged)


def _cases(cases: tuple[int, ...]) -> str:
    if not cases:
        return ""
    if len(cases) == 1:
        return f" (case {cases[0]})"
    shown = ", ".join(str(case) for case in cases[:4])
    more = f" and {len(cases) - 4} more" if len(cases) > 4 else ""
    return f" (cases {shown}{more})"
