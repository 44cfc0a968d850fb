"""Leave out the findings that an earlier ledger has, so that only new findings count."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections import Counter
from typing import Any

from tf2jax_port.rewrite.findings.findings import Finding
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger

# A file, a name, a diagnostic and the text of the reference: lines may move.
_Key = tuple[str, str, str, str]


class BaselineError(Exception):
    """Raised if a file is not a ledger."""


def read_baseline(path: str) -> Counter[_Key]:
    """Return how often a ledger, as `scan --format json` prints it, has each finding."""
    try:
        document: dict[str, Any] = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        return Counter(
            (file["path"], found["symbol"], found["code"], found["before"])
            for file in document["files"]
            for found in file["findings"]
        )
    except (ValueError, LookupError, TypeError) as error:
        raise BaselineError(
            f"{path} is not a ledger. Write one with `tf2jax-port scan --format json`."
        ) from error


def without_known(ledger: Ledger, known: Counter[_Key]) -> tuple[Ledger, int]:
    """Return a ledger without the findings of a baseline, and the number of removed findings that need a person.

    If a file has more equal findings than the baseline, the first findings are left out.
    """
    rest = Counter(known)
    hidden = 0

    def is_new(entry: Entry, finding: Finding) -> bool:
        nonlocal hidden
        key = entry.path, finding.symbol, finding.code, finding.before
        if not rest[key]:
            return True
        rest[key] -= 1
        hidden += finding.state.needs_person
        return False

    entries = []
    for entry in ledger.entries:
        new = tuple(f for f in entry.outcome.findings if is_new(entry, f))
        outcome = dataclasses.replace(entry.outcome, findings=new, references=len(new))
        entries.append(dataclasses.replace(entry, outcome=outcome))
    return dataclasses.replace(ledger, entries=tuple(entries)), hidden
