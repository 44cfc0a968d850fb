"""Render the report as JSON that conforms to `docs/schemas/diff.schema.json`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from tf2jax_port.diff.closeness.comparison import Worst
from tf2jax_port.diff.judge.judge import Finding
from tf2jax_port.diff.locate.result.showing import to_data as located
from tf2jax_port.diff.report.report import LaneState, Leaf, Pair, Report
from tf2jax_port.diff.vocabulary.numbers import finite
from tf2jax_port.diff.vocabulary.reasons import Reason

FORMAT = 1


def to_json(report: Report) -> str:
    """Return the report as JSON text that ends in a newline."""
    return json.dumps(to_data(report), indent=2, allow_nan=False) + "\n"


def to_data(report: Report) -> dict[str, Any]:
    """Convert the report to dictionaries, lists, text and finite numbers.

    Non-finite numbers become text: `"NaN"`, `"Infinity"`, `"-Infinity"`.
    """
    return {
        "format": FORMAT,
        "verdict": report.verdict,
        "stage": report.stage,
        "headline": report.headline,
        "reasons": [_reason(r) for r in report.reasons],
        "lanes": [_pair(pair) for pair in report.pairs],
        "leaves": [_leaf(leaf) for leaf in report.leaves],
        "located": located(report.located),
        "strength": None if report.strength is None else asdict(report.strength),
        "covered": {
            **report.counts,
            "seed": report.seed,
            "lanes": [_lane(lane) for lane in report.lanes],
            "knife_edges": [_reason(r) for r in report.knife_edges],
            "notes": [_reason(r) for r in report.notes],
        },
        "reproduce": report.reproduce,
        "contract": report.contract,
        "terms": dict(report.terms),
        "old": report.old,
        "new": report.new,
        "cases": [
            {
                "case": row.index,
                "inputs": list(row.inputs),
                "lanes": dict(row.states),
                "sentence": row.sentence,
            }
            for row in report.cases
        ],
        "versions": dict(report.versions),
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {"what": reason.what, "why": reason.why, "cases": list(reason.cases)}


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "pair": list(pair.lanes),
        "state": pair.state,
        "stage": pair.stage,
        "compared": pair.compared,
        "differing": pair.differing,
        "example": pair.example,
    }


def _lane(lane: LaneState) -> dict[str, Any]:
    return {
        "lane": lane.lane,
        "values": lane.values,
        "gradients": lane.gradients,
        "reasons": [_reason(r) for r in lane.reasons],
    }


def _leaf(leaf: Leaf) -> dict[str, Any]:
    finding = leaf.worst
    return {
        "leaf": leaf.title,
        "kind": leaf.kind,
        "path": finding.quantity.path,
        "cotangent": finding.quantity.cotangent or None,
        "state": leaf.state,
        "stage": finding.stage,
        "compared": leaf.compared,
        "because": finding.because or finding.comparison.problem,
        "shape": list(finding.shape),
        "dtypes": {"old": finding.dtypes[0], "new": finding.dtypes[1]},
        "close": _closeness(finding),
        "worst": _worst(finding, finding.comparison.worst),
    }


def _closeness(finding: Finding) -> dict[str, Any]:
    closeness = finding.comparison.closeness
    return {
        "basis": closeness.basis,
        "R": finite(closeness.ratio),
        "limit": closeness.limit,
        "port_error": finite(closeness.port_error),
        "own_error": finite(closeness.own_error),
        "ill_conditioned": finding.ill_conditioned,
    }


def _worst(finding: Finding, worst: Worst | None) -> dict[str, Any] | None:
    if worst is None:
        return None
    return {
        "case": finding.case,
        "lanes": [finding.reference, finding.lane],
        "index": list(worst.index),
        "old": finite(worst.old),
        "new": finite(worst.new),
        "absolute": finite(worst.absolute),
        "relative": finite(worst.relative),
        "mismatched": worst.mismatched,
        "total": worst.total,
    }
