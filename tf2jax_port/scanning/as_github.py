"""Render findings as workflow commands, which GitHub shows beside the code of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.ledger import Ledger


def to_lines(ledger: Ledger) -> Iterator[str]:
    """Yield an error for each place to write and each file not read, a warning for each review."""
    for entry in ledger.entries:
        for finding in entry.outcome.findings:
            if not finding.state.needs_person:
                continue
            level = "error" if finding.state is State.MANUAL else "warning"
            place = {} if finding.cell else {"line": finding.line, "col": finding.column}
            text = f"{entry.path}:{finding.place}: {finding.symbol}: {finding.message}"
            yield _command(level, entry.path, finding.code, text, place)
    for skipped in ledger.skipped:
        text = f"{skipped.path}: {skipped.reason}"
        yield _command("error", skipped.path, skipped.code, text, {})


def _command(level: str, path: str, code: str, text: str, place: dict[str, int]) -> str:
    properties = {"title": f"tf2jax-port {code}", "file": path, **place}
    said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {said}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
