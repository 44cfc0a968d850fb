"""Convert a scan to SARIF 2.1.0, a format that code hosts and editors display beside the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tf2jax_port.formats import sarif
from tf2jax_port.formats.release import documentation
from tf2jax_port.rewrite.findings.findings import Finding, State
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger, Skipped
from tf2jax_port.rewrite.rules.codes import RULES
from tf2jax_port.rewrite.rules.pages import page
from tf2jax_port.rewrite.rules.rule import Rule

# References without manual work are notes; files that could not be read are errors.
_LEVELS = {
    State.REWRITTEN: "note",
    State.SHIM: "note",
    State.KEPT: "none",
    State.REVIEW: "warning",
    State.MANUAL: "warning",
    None: "error",
}


def level(state: State | None) -> str:
    """Return the SARIF level of a finding's state; `None` means a file that was skipped."""
    return _LEVELS[state]


_INDEX = {rule.code: index for index, rule in enumerate(RULES)}


def to_document(ledger: Ledger) -> dict[str, Any]:
    """Convert the scan to the dicts and lists of a SARIF document."""
    address = documentation()
    rules = [_rule(rule, address) for rule in RULES]
    return sarif.document(rules, _results(ledger), map(_notification, ledger.skipped))


def _rule(rule: Rule, address: str) -> dict[str, Any]:
    """Convert a diagnostic to a SARIF rule; without a documentation URL it has no `helpUri`."""
    text = page(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.code}: {rule.name.replace('-', ' ')}"},
        "fullDescription": {"text": rule.why},
        "help": {"text": text, "markdown": text},
        **({"helpUri": f"{address}/rules/{rule.code}.md"} if address else {}),
        "defaultConfiguration": {"level": level(rule.state)},
    }


def _results(ledger: Ledger) -> Iterator[dict[str, Any]]:
    for entry in ledger.entries:
        for finding in entry.outcome.findings:
            yield _result(entry, finding)
    for skipped in ledger.skipped:
        yield {
            "ruleId": skipped.code,
            "ruleIndex": _INDEX[skipped.code],
            "level": level(None),
            "message": {"text": skipped.reason},
            "locations": [sarif.at_line(skipped.path)],
        }


def _result(entry: Entry, finding: Finding) -> dict[str, Any]:
    region: dict[str, Any] = {
        "startLine": finding.line,
        "startColumn": finding.column,
        **_end(finding),
        "snippet": {"text": finding.before},
    }
    location: dict[str, Any] = {"artifactLocation": sarif.artifact(entry.path), "region": region}
    where = f"cell {finding.cell}, line {finding.line}: " if finding.cell else ""
    if finding.cell:
        del location["region"]  # line numbers in a cell are not those of the file
    return {
        "ruleId": finding.code,
        "ruleIndex": _INDEX[finding.code],
        "level": level(finding.state),
        "message": {"text": f"{where}{finding.symbol}: {finding.message}"},
        "locations": [{"physicalLocation": location}],
        "properties": {
            "state": finding.state.value,
            "symbol": finding.symbol,
            "replacement": finding.after,
        },
    }


def _end(finding: Finding) -> dict[str, int]:
    """Return the end of a finding's region in SARIF; `endColumn` is one past its last character."""
    lines = finding.before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = finding.column if len(lines) == 1 else 1
    return {"endLine": finding.line + len(lines) - 1, "endColumn": first + len(lines[-1])}


def _notification(skipped: Skipped) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": f"{skipped.code}: {skipped.reason}"},
        "locations": [sarif.at_line(skipped.path)],
    }
