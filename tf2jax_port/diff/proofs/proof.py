"""Define the proof of a code base: the results for each function, and the verdict for all functions."""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tf2jax_port.diff.code_bases.call_file import Function
from tf2jax_port.diff.code_bases.outcomes import Outcome
from tf2jax_port.diff.code_bases.slopes import GRADIENTS
from tf2jax_port.diff.strength.strength import Strength
from tf2jax_port.diff.vocabulary.verdicts import (
    DIFFERENT,
    EQUAL,
    EXIT_CODES,
    INCONCLUSIVE,
    LIMITED,
    NOT_REPLAYED,
)

# What no report may leave out.
SCOPE = "The values of recorded calls are compared; gradients are compared where the original has gradients."


# Why a function is not reached, if nothing more is known.
WITHIN, NOWHERE = (
    "the function ran only inside calls of other functions",
    "no recorded call reaches the function",
)


class Status(enum.StrEnum):
    """The statuses of a function, which its calls determine."""

    DIFFERENT = "different"
    RAISES = "raises"
    FAILS_UNDER_JIT = "fails under jit"  # and runs eagerly
    LIMITED = "equal within limits"
    NOT_REPLAYED = "could not be replayed"  # an object or value of its calls cannot be restored
    NOT_REACHED = "not reached"  # no call of it was recorded
    PROVED = "proved"
    NO_TENSORS = "no tensors"  # it was called, and no tensor passed through it


WRONG = (Status.DIFFERENT, Status.RAISES, Status.FAILS_UNDER_JIT)
_UNCERTAIN = (Status.LIMITED, Status.NOT_REACHED)


def only_gradients_differ(lanes: Mapping[str, Counter[str]]) -> bool:
    """Return whether the values of a function are right in every lane, and gradients are not."""
    wrong = {lane for lane, counts in lanes.items() if counts[Outcome.DIFFERENT.value]}
    return wrong == {GRADIENTS}


class Share(NamedTuple):
    """The number of lines or branches that were reached, and the number of all."""

    reached: int
    total: int

    def __add__(self, other: object) -> Share:
        """Add the counts of two shares."""
        assert isinstance(other, Share)
        return Share(self.reached + other.reached, self.total + other.total)

    @property
    def text(self) -> str:
        """Return the share in percent, `-` if there is nothing to reach."""
        return f"{100 * self.reached // self.total} %" if self.total else "-"


@dataclasses.dataclass(frozen=True)
class Row:
    """One function.

    Attributes:
      function: its module and name.
      status: what is known of it.
      why: the reason for the status, one line.
      path: its file, relative to the folder of the port; empty if the port does not have it.
      line: the line of its `def`; for a fault, the line at which it shows, if that is known.
      span: its first and last line.
      calls: the number of calls that were recorded.
      replayed: the number of those that were replayed.
      lanes: the outcomes of its calls in each lane, as counts.
      lines: the lines that all calls reached; `None` if they were not measured.
      branches: the same for its branches.
      origins: the wrong functions below it, in which its fault may begin.
      above: the number of wrong functions whose fault may begin here.
      reached: the lines that were reached, by their numbers.
      possible: all lines with instructions, empty if what is reached was not measured.
      strength: which planted faults its calls notice; `None` if none were planted.
    """

    function: Function
    status: Status
    why: str
    path: str
    line: int
    span: tuple[int, int]
    calls: int
    replayed: int
    lanes: Mapping[str, Counter[str]]
    lines: Share | None
    branches: Share | None
    origins: tuple[Function, ...] = ()
    above: int = 0
    reached: frozenset[int] = frozenset()
    possible: frozenset[int] = frozenset()
    strength: Strength | None = None

    @property
    def name(self) -> str:
        """Return the full name of the function."""
        return ".".join(self.function)

    @property
    def begins(self) -> bool:
        """Return whether a fault begins here: it is wrong, and nothing that it calls is."""
        return self.status in WRONG and not self.origins

    @property
    def place(self) -> str:
        """Return the file and line."""
        return f"{self.path}:{self.line}" if self.path else ""


@dataclasses.dataclass(frozen=True)
class Proof:
    """The functions of a code base, leaves of the call graph first.

    Attributes:
      rows: the functions.
      root: the folder of the port.
      unfit: how many calls cannot be replayed, by reason.
      outcomes: for each call in each lane, the function, the lane, the outcome and its detail.
    """

    rows: tuple[Row, ...]
    root: str
    unfit: Mapping[str, int]
    outcomes: tuple[tuple[Function, str, str, str], ...]

    @property
    def counts(self) -> dict[Status, int]:
        """Return the number of functions of each status."""
        found = Counter(row.status for row in self.rows)
        return {status: found[status] for status in Status}

    @property
    def verdict(self) -> str:
        """Return the verdict over all functions that tensors pass through."""
        counts = self.counts
        if any(counts[status] for status in WRONG):
            return DIFFERENT
        if not counts[Status.PROVED] + counts[Status.LIMITED]:
            return INCONCLUSIVE
        if counts[Status.NOT_REPLAYED]:
            return NOT_REPLAYED
        return LIMITED if any(counts[status] for status in _UNCERTAIN) else EQUAL

    @property
    def exit_code(self) -> int:
        """Return the exit code of the verdict."""
        return EXIT_CODES[self.verdict]

    @property
    def faults(self) -> list[Row]:
        """Return the functions in which a fault begins; functions that most others call come first."""
        return sorted((row for row in self.rows if row.begins), key=lambda row: -row.above)

    def files(self) -> dict[str, list[Row]]:
        """Return the functions of each file in the order of their lines, the files with faults first."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.path, []).append(row)
        for rows in found.values():
            rows.sort(key=lambda row: (row.span, row.name))
        return dict(sorted(found.items(), key=lambda item: (_severity(item[1]), item[0])))


def share(rows: Iterable[Row], which: str) -> Share | None:
    """Return the share of `lines` or `branches` of several functions; `None` if it was not measured."""
    found = [getattr(row, which) for row in rows]
    known = [each for each in found if each is not None]
    return sum(known, Share(0, 0)) if known else None


def _severity(rows: list[Row]) -> tuple[int, ...]:
    """Return the sort key of files: the number of functions of each status, the worst first."""
    counts = Counter(row.status for row in rows)
    return tuple(-counts[status] for status in Status)
