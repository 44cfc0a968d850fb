"""Render a proof as JSON data that conforms to `docs/schemas/proof.schema.json`."""

from __future__ import annotations

import dataclasses
from typing import Any

from tf2jax_port.diff.proofs.proof import SCOPE, Proof, Row, Share, share
from tf2jax_port.diff.proofs.wording import headline
from tf2jax_port.diff.strength.strength import Strength

FORMAT = 1


def to_document(proof: Proof) -> dict[str, Any]:
    """Convert a proof to dictionaries and lists."""
    return {
        "format": FORMAT,
        "verdict": proof.verdict,
        "headline": headline(proof),
        "scope": SCOPE,
        "root": proof.root,
        "counts": {status.value: number for status, number in proof.counts.items()},
        "lines": _share(share(proof.rows, "lines")),
        "branches": _share(share(proof.rows, "branches")),
        "faults": [row.name for row in proof.faults],
        "files": [_file(path, rows) for path, rows in proof.files().items()],
        "calls": [
            {
                "module": module,
                "function": name,
                "lane": lane,
                "outcome": outcome,
                "detail": detail,
            }
            for (module, name), lane, outcome, detail in proof.outcomes
        ],
        "not_replayable": dict(proof.unfit),
    }


def _file(path: str, rows: list[Row]) -> dict[str, Any]:
    return {
        "path": path,
        "lines": _share(share(rows, "lines")),
        "branches": _share(share(rows, "branches")),
        "functions": [_function(row) for row in rows],
    }


def _function(row: Row) -> dict[str, Any]:
    return {
        "module": row.function[0],
        "function": row.function[1],
        "status": row.status.value,
        "why": row.why,
        "line": row.line,
        "calls": row.calls,
        "replayed": row.replayed,
        "lanes": {lane: dict(counts) for lane, counts in row.lanes.items()},
        "lines": _share(row.lines),
        "branches": _share(row.branches),
        "begins": row.begins,
        "origins": [".".join(function) for function in row.origins],
        **({"strength": _strength(row.strength)} if row.strength else {}),
    }


def _strength(found: Strength) -> dict[str, Any]:
    return {
        "planted": found.planted,
        "noticed": found.noticed,
        "missed": [dataclasses.asdict(one) for one in found.missed],
        "unreached": list(found.unreached),
        "skipped": found.skipped,
    }


def _share(found: Share | None) -> dict[str, int] | None:
    return None if found is None else {"reached": found.reached, "total": found.total}
