"""What a scan comes to: by state, by file, by name."""

from __future__ import annotations

import dataclasses
import os.path
from collections import Counter, defaultdict
from collections.abc import Iterable

from tf2jax_port.rewrite.findings.findings import Finding, State, count_states
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger


@dataclasses.dataclass(frozen=True, slots=True)
class FileEffort:
    """One file.

    Attributes:
      entry: its entry in the ledger.
      counts: references by state.
    """

    entry: Entry
    counts: dict[str, int]

    @property
    def total(self) -> int:
        """How many references it has."""
        return sum(self.counts.values())

    @property
    def settled(self) -> int:
        """References that need nobody."""
        return self.total - self.counts[State.MANUAL] - self.counts[State.REVIEW]

    @property
    def effort(self) -> float:
        """Places for a person: one for each to write, a quarter for each to look at."""
        return self.entry.effort


@dataclasses.dataclass(frozen=True, slots=True)
class Blocker:
    """A name that a person has to write.

    Attributes:
      symbol: TensorFlow's name.
      codes: the diagnostics that it ended in.
      message: what the commonest of them says.
      places: `(entry, finding)` of each.
      files: how many files have it.
      alone: files in which nothing else is in the way.
    """

    symbol: str
    codes: tuple[str, ...]
    message: str
    places: tuple[tuple[Entry, Finding], ...]
    files: int
    alone: int


def by_file(ledger: Ledger) -> list[FileEffort]:
    """The files that refer to TensorFlow, those with most to do first."""
    found = [
        FileEffort(entry, count_states(entry.outcome.findings))
        for entry in ledger.entries
        if entry.outcome.findings
    ]
    return sorted(found, key=lambda f: (-f.effort, -f.total, f.entry.path))


def blockers(ledger: Ledger) -> list[Blocker]:
    """The names that are left to a person, the commonest first."""
    places: dict[str, list[tuple[Entry, Finding]]] = defaultdict(list)
    alone: Counter[str] = Counter()
    for entry in ledger.entries:
        manual = [f for f in entry.outcome.findings if f.state is State.MANUAL]
        for finding in manual:
            places[finding.symbol].append((entry, finding))
        symbols = {f.symbol for f in manual}
        if len(symbols) == 1:
            alone.update(symbols)
    found = [_blocker(symbol, each, alone[symbol]) for symbol, each in places.items()]
    return sorted(found, key=lambda b: (-len(b.places), b.symbol))


def _blocker(symbol: str, places: list[tuple[Entry, Finding]], alone: int) -> Blocker:
    messages = Counter(finding.message for _, finding in places)
    return Blocker(
        symbol,
        tuple(sorted({finding.code for _, finding in places})),
        messages.most_common(1)[0][0],
        tuple(places),
        len({entry.path for entry, _ in places}),
        alone,
    )


def common_folder(files: Iterable[FileEffort]) -> str:
    """The folder that holds all files, empty where they have none in common."""
    folders = {os.path.dirname(file.entry.path) for file in files}
    try:
        return os.path.commonpath(folders) if folders else ""
    except ValueError:  # on two drives, or some absolute and some not
        return ""


def share(part: int, whole: int) -> str:
    """A share in per cent that says 100 only of everything and 0 only of nothing."""
    if not whole:
        return ""
    per_cent = 100 * part / whole
    if 0 < part < whole:
        per_cent = min(max(per_cent, 0.1), 99.9)
        return f"{per_cent:.1f} %" if per_cent < 1 or per_cent > 99 else f"{per_cent:.0f} %"
    return f"{per_cent:.0f} %"


def finished(files: Iterable[FileEffort]) -> int:
    """How many files have nothing left for a person."""
    return sum(file.effort == 0 for file in files)
