"""The ledger: every reference of every file with its state, as plain data."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tf2jax_port.rewrite.findings.findings import Finding, Outcome, State, count_states
from tf2jax_port.rewrite.findings.outside import is_computing

SCHEMA = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not rewritten, and the diagnostic that says why."""

    path: str
    code: str
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One file, its bytes before, and what was made of it.

    Attributes:
      path: where it is.
      before: its bytes, empty after `without_texts`.
      outcome: what was made of it.
      lines: how many it has.
      changed: whether its text becomes another one.
    """

    path: str
    before: bytes
    outcome: Outcome
    lines: int = -1
    changed: bool = False

    def __post_init__(self) -> None:
        """Counts the lines, unless they were counted."""
        if self.lines < 0:
            object.__setattr__(self, "lines", self.before.count(b"\n"))
            object.__setattr__(self, "changed", self.outcome.data != self.before)

    @property
    def effort(self) -> float:
        """Places for a person: one for each to write, a quarter for each to look at."""
        counts = count_states(self.outcome.findings)
        return counts[State.MANUAL] + counts[State.REVIEW] / 4

    @property
    def is_finished(self) -> bool:
        """Whether it has references, and `rewrite` leaves no TensorFlow in it."""
        left = (State.MANUAL, State.KEPT)
        findings = self.outcome.findings
        return bool(findings) and not any(finding.state in left for finding in findings)

    def without_texts(self) -> Entry:
        """The same entry without the bytes of the file, for those who only count."""
        outcome = dataclasses.replace(self.outcome, data=b"")
        return Entry(self.path, b"", outcome, self.lines, self.changed)


@dataclasses.dataclass(frozen=True, slots=True)
class Ledger:
    """All files of one run."""

    target: str
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all files."""
        return tuple(finding for entry in self.entries for finding in entry.outcome.findings)

    @property
    def needs_person(self) -> bool:
        """Whether anything is left to do for a person, skipped files included."""
        return bool(self.skipped) or any(e.outcome.needs_person for e in self.entries)

    def symbols(self, *states: State) -> list[tuple[str, int]]:
        """Symbols that ended in some states, the commonest first."""
        counts = Counter(finding.symbol for finding in self.findings if finding.state in states)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def document(self) -> dict[str, Any]:
        """The ledger as plain data for JSON."""
        return {
            "schema": SCHEMA,
            "target": self.target,
            "totals": {
                "files": len(self.entries),
                "lines": sum(entry.lines for entry in self.entries),
                "files_with_tensorflow": sum(bool(e.outcome.findings) for e in self.entries),
                "references": sum(entry.outcome.references for entry in self.entries),
                "states": count_states(self.findings),
                "computing": count_states(f for f in self.findings if is_computing(f.symbol)),
                "files_finished": sum(entry.is_finished for entry in self.entries),
                "imports": _imports(entry.outcome for entry in self.entries),
            },
            "files": [_file(entry) for entry in self.entries if _has_tensorflow(entry)],
            "blockers": [
                {"symbol": symbol, "references": count}
                for symbol, count in self.symbols(State.MANUAL)
            ],
            "skipped": [dataclasses.asdict(skipped) for skipped in self.skipped],
        }


def collect(results: Iterable[Entry | Skipped], target: str) -> Ledger:
    """The ledger of a whole run."""
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for result in results:
        if isinstance(result, Entry):
            entries.append(result)
        else:
            skipped.append(result)
    return Ledger(target, tuple(entries), tuple(skipped))


def _has_tensorflow(entry: Entry) -> bool:
    return entry.changed or bool(entry.outcome.references or entry.outcome.imports)


def _imports(outcomes: Iterable[Outcome]) -> dict[str, int]:
    counted = [(outcome.imports, outcome.imports_dropped) for outcome in outcomes]
    return {"names": sum(c[0] for c in counted), "dropped": sum(c[1] for c in counted)}


def _file(entry: Entry) -> dict[str, Any]:
    return {
        "path": entry.path,
        "lines": entry.lines,
        "changed": entry.changed,
        "effort": entry.effort,
        "references": entry.outcome.references,
        "states": count_states(entry.outcome.findings),
        "imports": _imports([entry.outcome]),
        "findings": [_finding(finding) for finding in entry.outcome.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        **({"cell": finding.cell} if finding.cell else {}),
        "line": finding.line,
        "column": finding.column,
        "symbol": finding.symbol,
        "kind": "method" if finding.method else "name",
        "computing": is_computing(finding.symbol),
        "state": finding.state.value,
        "code": finding.code,
        "message": finding.message,
        "before": finding.before,
        "after": finding.after,
    }
