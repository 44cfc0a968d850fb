"""Sentences and scales that the terminal and the page share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tf2jax_port.diff.closeness.closeness import EXACT, FLOAT64, LIMIT
from tf2jax_port.diff.closeness.explain import DIFFERENT, EQUAL, KNIFE_EDGE, UNSTEADY
from tf2jax_port.diff.judge.judge import NOT_COVERED, Finding
from tf2jax_port.diff.report.report import Leaf, Report
from tf2jax_port.diff.vocabulary.lanes import title
from tf2jax_port.diff.vocabulary.numbers import number, short

# R on a logarithmic scale: a tenth of the original's own error to ten thousand times it.
_LEAST, _MOST = -1.0, 4.0

MOST_LEAVES = 16
# What is to be seen first.
_ORDER = (DIFFERENT, UNSTEADY, KNIFE_EDGE, NOT_COVERED, EQUAL)

STAGE_QUESTIONS = {
    "interface": "same structure, shapes and types?",
    "placement": "NaN and infinities in the same places?",
    "values": "same values?",
    "gradients": "same gradients?",
    "training": "same after the steps?",
}


def fraction(ratio: float) -> float:
    """Where R stands on the scale from 0 to 1."""
    if ratio <= 0 or math.isnan(ratio):
        return 0.0
    if math.isinf(ratio):
        return 1.0
    return min(1.0, max(0.02, (math.log10(ratio) - _LEAST) / (_MOST - _LEAST)))


LIMIT_FRACTION = fraction(LIMIT)


def measured(finding: Finding) -> str:
    """How close, in a few characters: `R 1.3` or `exact`."""
    closeness = finding.comparison.closeness
    if finding.outcome == NOT_COVERED or finding.stage in ("interface", "placement"):
        return ""
    if closeness.basis == EXACT:
        return "exact" if finding.outcome == EQUAL else ""
    return f"R {short(closeness.ratio)}"


def kind(finding: Finding) -> str:
    """`float32[7, 3]`, with both types where they differ."""
    old, new = finding.dtypes
    if not old:
        return ""
    shape = list(finding.shape)
    if old == new:
        return f"{old}{shape}"
    return f"{old}{shape} → {new}" if old != "None" else f"None → {new}"


def remark(leaf: Leaf) -> str:
    """What there is to say about a leaf that is not plainly equal."""
    finding = leaf.worst
    if leaf.state == DIFFERENT:
        worst = finding.comparison.worst
        where = ""
        if worst is not None:
            where = f" at {worst.place}: {number(worst.old)} → {number(worst.new)}"
        return f"case {finding.case}, {finding.comparison.problem}{where}"
    if finding.because:
        return f"case {finding.case}, {finding.because}"
    return finding.comparison.note


def ranked(leaves: Sequence[Leaf], most: int = MOST_LEAVES) -> tuple[list[Leaf], list[Leaf]]:
    """Those that fit a screen, and the others: the worst first, where not all of them fit."""
    if len(leaves) <= most:
        return list(leaves), []
    ordered = sorted(leaves, key=lambda leaf: (_ORDER.index(leaf.state), -_spent(leaf)))
    return ordered[:most], ordered[most:]


def _spent(leaf: Leaf) -> float:
    closeness = leaf.worst.comparison.closeness
    return closeness.ratio / closeness.limit if closeness.limit else closeness.ratio


def rest(leaves: Sequence[Leaf]) -> str:
    """What is left out, in a few words."""
    states: dict[str, int] = {}
    for leaf in leaves:
        states[leaf.state] = states.get(leaf.state, 0) + 1
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    ratios = [x.worst.comparison.closeness.ratio for x in leaves if measured(x.worst)[:2] == "R "]
    return f"{counts}; largest R {short(max(ratios))}" if ratios else counts


def worst_element(finding: Finding) -> list[str]:
    """The worst element in sentences; empty where no elements were compared."""
    worst = finding.comparison.worst
    if worst is None:
        return []
    share = f"{worst.mismatched} of {worst.total} elements"
    percent = short(100 * worst.mismatched / worst.total)
    lines = [
        f"{finding.quantity.title}, case {finding.case}, at {worst.place} of shape "
        f"{list(finding.shape)}",
        f"{title(finding.reference)} has {number(worst.old)}, "
        f"{title(finding.lane)} has {number(worst.new)}",
    ]
    if not math.isnan(worst.absolute):
        lines.append(f"absolute {short(worst.absolute)}, relative {short(worst.relative)}")
    lines.append(f"{share} are off ({percent} %)")
    closeness = finding.comparison.closeness
    if closeness.basis != EXACT and finding.stage != "placement":
        lines.append(
            f"R = {short(closeness.ratio)}, allowed are {short(closeness.limit)} "
            f"({basis(closeness.basis)})"
        )
    return lines


def basis(name: str) -> str:
    """What errors are measured from."""
    if name == FLOAT64:
        return "errors against the original in float64"
    return "no run in float64: errors against TF eager"


def summary(report: Report) -> str:
    """What was compared, in one line."""
    counts = report.counts
    return " · ".join(
        [
            _many(counts["cases"], "case"),
            _many(counts["outputs"], "output"),
            _many(counts["gradients"], "gradient"),
            _many(counts["shapes"], "combination") + " of shapes",
            f"seed {report.seed}",
            "x64 on" if report.terms["x64"] else "x64 off",
            *_asked(report),
        ]
    )


def _asked(report: Report) -> list[str]:
    """What was asked for besides."""
    terms = report.terms
    words = [str(terms["floats"])] if "floats" in terms else []
    words += [_many(int(str(terms["steps"])), "step")] if "steps" in terms else []
    words += [_many(int(str(terms["draws"])), "draw")] if "draws" in terms else []
    return words


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
