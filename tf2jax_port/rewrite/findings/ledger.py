"""Collect the results of all files of a run in a ledger, which can be written as JSON."""

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
    """A file that was not rewritten, and the diagnostic that gives the reason."""

    path: str
    code: str
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """The target that suits a file, among those that were tried on it.

    Attributes:
      target: the target.
      reason: why, in one line.
      states: for each target that was tried the number of references in each state.
    """

    target: str
    reason: str
    states: dict[str, dict[str, int]]


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """The result of rewriting one file, with the original bytes.

    Attributes:
      path: the path of the file.
      before: the original bytes, empty after `without_texts`.
      outcome: the result of rewriting the file.
      lines: the number of lines.
      changed: whether the text changes.
      target: the target of this result.
      choice: the recommended target, if the targets were compared.
      root: the named folder that contains the file; nothing outside of it is written.
    """

    path: str
    before: bytes
    outcome: Outcome
    lines: int = -1
    changed: bool = False
    target: str = "jax"
    choice: Choice | None = None
    root: str = "."

    def __post_init__(self) -> None:
        """Count the lines if their number is not given."""
        if self.lines < 0:
            object.__setattr__(self, "lines", self.before.count(b"\n"))
            object.__setattr__(self, "changed", self.outcome.data != self.before)

    @property
    def effort(self) -> float:
        """The estimated manual work: 1 for each manual finding, 1/4 for each review."""
        counts = count_states(self.outcome.findings)
        return counts[State.MANUAL] + counts[State.REVIEW] / 4

    @property
    def is_finished(self) -> bool:
        """Whether the file has references, and none of them is kept or left for manual work."""
        left = (State.MANUAL, State.KEPT)
        findings = self.outcome.findings
        return bool(findings) and not any(finding.state in left for finding in findings)

    @property
    def computing(self) -> tuple[Finding, ...]:
        """The findings of references that compute, as opposed to reading files, logging, types."""
        return tuple(f for f in self.outcome.findings if is_computing(f.symbol))

    @property
    def has_computing_done(self) -> bool:
        """Whether the file computes, and nothing that computes is left for manual work."""
        found = self.computing
        return bool(found) and not any(f.state is State.MANUAL for f in found)

    def without_texts(self) -> Entry:
        """Return a copy without the bytes of the file, to save memory."""
        outcome = dataclasses.replace(self.outcome, data=b"")
        return dataclasses.replace(self, before=b"", outcome=outcome)


@dataclasses.dataclass(frozen=True, slots=True)
class Ledger:
    """The results of all files of one run."""

    target: str
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all files."""
        return tuple(finding for entry in self.entries for finding in entry.outcome.findings)

    @property
    def needs_person(self) -> bool:
        """Whether a person must still edit or review something, or a file was skipped."""
        return bool(self.skipped) or any(e.outcome.needs_person for e in self.entries)

    def symbols(self, *states: State) -> list[tuple[str, int]]:
        """Return `(symbol, count)` of the findings in the given states, most frequent first."""
        counts = Counter(finding.symbol for finding in self.findings if finding.state in states)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def document(self) -> dict[str, Any]:
        """Return the ledger as dicts and lists for JSON."""
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
                "files_computing": sum(bool(entry.computing) for entry in self.entries),
                "files_computing_done": sum(e.has_computing_done for e in self.entries),
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
    """Build the ledger of a run from its entries and skipped files."""
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    for result in results:
        if isinstance(result, Entry):
            entries.append(result)
        else:
            skipped.append(result)
    return Ledger(target, tuple(entries), tuple(skipped))


def _has_tensorflow(entry: Entry) -> bool:
    """Return whether a file changes, refers to TensorFlow or imports it."""
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
        "target": entry.target,
        **({} if entry.choice is None else {"recommended": dataclasses.asdict(entry.choice)}),
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
