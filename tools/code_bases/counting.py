"""Count what became of the references, files and calls of a code base, and why."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tf2jax_port.diff.code_bases.call_file import Calls
from tf2jax_port.diff.code_bases.outcomes import Outcome
from tf2jax_port.diff.code_bases.replay import ALL_LANES, LANES

_TESTS = re.compile(r"(^|/)(tests?|testing)/|(^|/)test_[^/]*$|_test\.py$")
# What differs from call to call in a message: names in quotes, paths, shapes, numbers, tracers.
_VARIABLE_PARTS = (
    (re.compile(r"(?s)(Traced<|JitTracer|\[|\(Tensor|array\().*"), "…"),
    (re.compile(r"'[^']{25,}'|\"[^\"]*\"|`[^`]{25,}`"), "…"),
    (re.compile(r"(/[\w.-]+)+(:\d+)?"), "…"),
    (re.compile(r"\d+(\.\d+)?(e-?\d+)?"), "N"),
)
_WORDS = 100  # characters of a reason


def rewriting(ledger: dict[str, Any], port: str) -> tuple[dict[str, int], Counter[str]]:
    """Count the references and files of a ledger, and the reasons why files are not finished."""
    counts: Counter[str] = Counter(dict(ledger["totals"]["states"]))
    counts["references"] = ledger["totals"]["references"]
    counts["skipped"] = len(ledger["skipped"])
    reasons: Counter[str] = Counter()
    for file in ledger["files"]:
        left = [f for f in file["findings"] if f["state"] == "manual"]
        computing = [f for f in file["findings"] if f["computing"]]
        counts["computing"] += len(computing)
        counts["computing done"] += sum(f["state"] != "manual" for f in computing)
        if computing and not _TESTS.search(file["path"].removeprefix(port)):
            counts["files"] += 1
            counts["finished"] += not left
            counts["finished computing"] += not any(f["computing"] for f in left)
            reasons.update({f"{f['code']}: `{f['symbol']}`" for f in left})
    return dict(counts), reasons


def replays(
    calls: Calls, outcomes: list[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Counter[str]]]:
    """Count the outcomes of calls, in all and per module, and the reasons by kind of failure."""
    unfit = Counter(call.unfit for call in calls.calls if call.unfit)
    counts: dict[str, Any] = {
        "captured": len(calls.calls),
        "functions": len({(call.module, call.name) for call in calls.calls}),
        "replayable": len(calls.calls) - unfit.total(),
        **{lane: Counter() for lane in ALL_LANES},
        "differences": [],
    }
    modules: dict[str, dict[str, Counter[str]]] = {}
    reasons: dict[str, Counter[str]] = {"not replayable": Counter(map(kind, unfit.elements()))}
    for entry in outcomes:
        lane, outcome = entry["lane"], entry["outcome"]
        counts[lane][outcome] += 1
        modules.setdefault(entry["module"], {n: Counter() for n in ALL_LANES})[lane][outcome] += 1
        if outcome == Outcome.DIFFERENT:
            counts["differences"].append({k: v for k, v in entry.items() if k != "outcome"})
        if outcome == Outcome.NOT_REPLAYABLE and lane == LANES[0]:
            reasons["not replayable"][kind(entry["detail"])] += 1
        if outcome == Outcome.ERROR:
            reasons.setdefault(lane, Counter())[kind(entry["detail"])] += 1
    counts["modules"] = modules
    counts["replayable"] -= counts[LANES[0]][Outcome.NOT_REPLAYABLE]
    return counts, reasons


def kind(message: str) -> str:
    """Return a message without what differs from call to call."""
    for pattern, instead in _VARIABLE_PARTS:
        message = pattern.sub(instead, message)
    return message[:_WORDS].replace("|", "/").strip()
