"""Render findings as workflow commands, which GitHub shows beside the code of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from tf2jax_port.formats.github import command
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.ledger import Ledger


def to_lines(ledger: Ledger, *, every: bool = False) -> Iterator[str]:
    """Yield an error for each reference to rewrite by hand and each unread file, and a warning for each review.

    With `every`, also yield a warning for each reference that needs no person.
    """
    for entry in ledger.entries:
        for finding in entry.outcome.findings:
            if not (every or finding.state.needs_person):
                continue
            level = "error" if finding.state is State.MANUAL else "warning"
            place = {} if finding.cell else {"line": finding.line, "col": finding.column}
            text = f"{entry.path}:{finding.place}: {finding.symbol}: {finding.message}"
            yield command(level, entry.path, finding.code, text, place)
    for skipped in ledger.skipped:
        text = f"{skipped.path}: {skipped.reason}"
        yield command("error", skipped.path, skipped.code, text, {})
