"""Count the references of a scan by state, by file and by name."""

from __future__ import annotations

import dataclasses
import os.path
from collections import Counter, defaultdict
from collections.abc import Iterable

from tf2jax_port.rewrite.findings.findings import Finding, State, count_states
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger


@dataclasses.dataclass(frozen=True, slots=True)
class FileEffort:
    """The references of one file, counted by state.

    Attributes:
      entry: the entry of the file in the ledger.
      counts: the number of references in each state.
    """

    entry: Entry
    counts: dict[str, int]

    @property
    def total(self) -> int:
        """The number of references."""
        return sum(self.counts.values())

    @property
    def settled(self) -> int:
        """The number of references that need no manual work."""
        return self.total - self.counts[State.MANUAL] - self.counts[State.REVIEW]

    @property
    def effort(self) -> float:
        """The estimated manual work: 1 for each reference to write by hand, 1/4 for each to review."""
        return self.entry.effort


@dataclasses.dataclass(frozen=True, slots=True)
class Blocker:
    """A TensorFlow name whose uses have to be written by hand.

    Attributes:
      symbol: TensorFlow's name.
      codes: the diagnostics of its uses.
      message: the most common message of these findings.
      places: `(entry, finding)` of each reference.
      files: the number of files that use it.
      alone: the number of files in which no other name has to be written by hand.
    """

    symbol: str
    codes: tuple[str, ...]
    message: str
    places: tuple[tuple[Entry, Finding], ...]
    files: int
    alone: int


def by_file(ledger: Ledger) -> list[FileEffort]:
    """Return the files that refer to TensorFlow, sorted by the manual work left."""
    found = [
        FileEffort(entry, count_states(entry.outcome.findings))
        for entry in ledger.entries
        if entry.outcome.findings
    ]
    return sorted(found, key=lambda f: (-f.effort, -f.total, f.entry.path))


def blockers(ledger: Ledger) -> list[Blocker]:
    """Return the names whose uses have to be written by hand, the most common first."""
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
    """Return the common folder of all files; empty if there is none."""
    folders = {os.path.dirname(file.entry.path) for file in files}
    try:
        return os.path.commonpath(folders) if folders else ""
    except ValueError:  # on two drives, or some absolute and some not
        return ""


def share(part: int, whole: int) -> str:
    """Format a ratio as a percentage; only a part of zero gives 0 %, and only the whole 100 %."""
    if not whole:
        return ""
    per_cent = 100 * part / whole
    if 0 < part < whole:
        per_cent = min(max(per_cent, 0.1), 99.9)
        return f"{per_cent:.1f} %" if per_cent < 1 or per_cent > 99 else f"{per_cent:.0f} %"
    return f"{per_cent:.0f} %"


def finished(files: Iterable[FileEffort]) -> int:
    """Count the files that need no manual work."""
    return sum(file.effort == 0 for file in files)
