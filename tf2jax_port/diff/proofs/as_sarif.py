"""Render a proof as SARIF 2.1.0: one result for each function that is not proved."""

from __future__ import annotations

import os.path
from typing import Any

from tf2jax_port.diff.proofs.proof import Proof, Row, Status
from tf2jax_port.diff.proofs.wording import short
from tf2jax_port.formats import sarif

# Each status that is reported: the name of its rule, its level, and what it means.
_RULES = {
    Status.DIFFERENT: (
        "different",
        "error",
        "A recorded call returns different values in the port.",
    ),
    Status.RAISES: ("raises", "error", "A recorded call raises an error in the port."),
    Status.FAILS_UNDER_JIT: (
        "fails-under-jit",
        "error",
        "A recorded call runs eagerly, but raises an error if the port is compiled.",
    ),
    Status.LIMITED: (
        "limited",
        "note",
        "The values are equal, but some results were not compared.",
    ),
    Status.NOT_REPLAYED: ("not-replayed", "warning", "No recorded call can be replayed."),
    Status.NOT_REACHED: ("not-reached", "note", "No call of the function was recorded."),
}
_INDEX = {status: index for index, status in enumerate(_RULES)}


def to_document(proof: Proof) -> dict[str, Any]:
    """Convert a proof to the dicts and lists of a SARIF document."""
    rules = [
        {
            "id": f"prove/{name}",
            "name": name,
            "shortDescription": {"text": f"prove: {name.replace('-', ' ')}"},
            "fullDescription": {"text": meaning},
            "help": {"text": meaning, "markdown": meaning},
            "defaultConfiguration": {"level": level},
        }
        for name, level, meaning in _RULES.values()
    ]
    results = [_result(proof, row) for row in proof.rows if row.status in _RULES and row.path]
    return sarif.document(rules, results)


def _result(proof: Proof, row: Row) -> dict[str, Any]:
    name, level, _ = _RULES[row.status]
    # A fault that may come from a function below is told there first.
    level = "warning" if row.origins else level
    below = f" (it calls {', '.join(map('.'.join, row.origins))})" if row.origins else ""
    return {
        "ruleId": f"prove/{name}",
        "ruleIndex": _INDEX[row.status],
        "level": level,
        "message": {"text": f"{short(row)}: {row.status}, {row.why}{below}"},
        "locations": [sarif.at_line(os.path.join(proof.root, row.path), max(row.line, 1))],
        "properties": {"status": row.status.value, "function": row.name},
    }
