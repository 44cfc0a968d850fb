"""Convert a migration plan to JSON data, described by `docs/schemas/plan.schema.json`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tf2jax_port.migration.steps import Step
from tf2jax_port.rewrite.findings.ledger import Skipped

SCHEMA = 1


def to_document(steps: Sequence[Step], skipped: Sequence[Skipped]) -> dict[str, Any]:
    """Convert the plan to dicts and lists for JSON."""
    return {
        "schema": SCHEMA,
        "totals": {
            "steps": len(steps),
            "files": sum(len(step.files) for step in steps),
            "lines": sum(step.lines for step in steps),
            "automatic": sum(step.automatic for step in steps),
            "review": sum(step.review for step in steps),
            "manual": sum(step.manual for step in steps),
        },
        "steps": [_step(step) for step in steps],
        "skipped": [dataclasses.asdict(one) for one in skipped],
    }


def _step(step: Step) -> dict[str, Any]:
    found = dataclasses.asdict(step)
    found["effort"] = step.effort
    found["blockers"] = [{"symbol": name, "references": n} for name, n in step.blockers]
    return found
