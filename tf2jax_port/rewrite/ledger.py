"""The ledger: every reference of every file with its state, as plain data."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tf2jax_port.rewrite.findings import Finding, Outcome, State, count_states

SCHEMA = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not rewritten, and the diagnostic that says why."""

    path: str
    code: str
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One file, its bytes before, and what was made of it."""

    path: str
    before: bytes
    outcome: Outcome

    @property
    def changed(self) -> bool:
        """Whether the text is another one."""
        return self.outcome.data != self.before


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
                "lines": sum(entry.before.count(b"\n") for entry in self.entries),
                "files_with_tensorflow": sum(bool(e.outcome.findings) for e in self.entries),
                "references": sum(entry.outcome.references for entry in self.entries),
                "states": count_states(self.findings),
                "imports": _imports(entry.outcome for entry in self.entries),
            },
            "files": [_file(entry) for entry in self.entries if _has_tensorflow(entry)],
            "skipped": [dataclasses.asdict(skipped) for skipped in self.skipped],
        }


def _has_tensorflow(entry: Entry) -> bool:
    return entry.changed or bool(entry.outcome.references or entry.outcome.imports)


def _imports(outcomes: Iterable[Outcome]) -> dict[str, int]:
    counted = [(outcome.imports, outcome.imports_dropped) for outcome in outcomes]
    return {"names": sum(c[0] for c in counted), "dropped": sum(c[1] for c in counted)}


def _file(entry: Entry) -> dict[str, Any]:
    return {
        "path": entry.path,
        "changed": entry.changed,
        "references": entry.outcome.references,
        "states": count_states(entry.outcome.findings),
        "imports": _imports([entry.outcome]),
        "findings": [_finding(finding) for finding in entry.outcome.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "line": finding.line,
        "column": finding.column,
        "symbol": finding.symbol,
        "kind": "method" if finding.method else "name",
        "state": finding.state.value,
        "code": finding.code,
        "message": finding.message,
        "before": finding.before,
        "after": finding.after,
    }
