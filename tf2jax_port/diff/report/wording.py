"""Provide the sentences and scales that the terminal and HTML reports share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tf2jax_port.diff.closeness.closeness import EXACT, FLOAT64, LIMIT
from tf2jax_port.diff.closeness.explain import DIFFERENT, EQUAL, KNIFE_EDGE, UNSTEADY
from tf2jax_port.diff.judge.judge import NOT_COVERED, RAISED, Finding
from tf2jax_port.diff.report.report import Leaf, Pair, Report
from tf2jax_port.diff.vocabulary.lanes import NEW_LANES, title
from tf2jax_port.diff.vocabulary.numbers import number, short
from tf2jax_port.diff.vocabulary.reasons import Reason

# The range of R on a logarithmic scale: from 0.1 to 10,000.
_LEAST, _MOST = -1.0, 4.0

MOST_LEAVES = 16
# The order in which leaves are shown.
_ORDER = (DIFFERENT, UNSTEADY, KNIFE_EDGE, NOT_COVERED, EQUAL)

STAGE_QUESTIONS = {
    "interface": "same structure, shapes and types?",
    "placement": "NaN and infinities at the same positions?",
    "values": "same values?",
    "gradients": "same gradients?",
    "training": "are the variables the same after the training steps?",
}


def fraction(ratio: float) -> float:
    """Map R, the port's error divided by the original's, to 0..1 on a logarithmic scale."""
    if ratio <= 0 or math.isnan(ratio):
        return 0.0
    if math.isinf(ratio):
        return 1.0
    return min(1.0, max(0.02, (math.log10(ratio) - _LEAST) / (_MOST - _LEAST)))


LIMIT_FRACTION = fraction(LIMIT)


def measured(finding: Finding) -> str:
    """Describe the error of the port: `R 1.3`, its ratio to the original's error; `exact` if no digit differs.

    Empty if values that are compared exactly differ, or if no values were compared.
    """
    closeness = finding.comparison.closeness
    if finding.outcome == NOT_COVERED or finding.stage in ("interface", "placement"):
        return ""
    if closeness.basis == EXACT:
        return "exact" if finding.outcome == EQUAL else ""
    return f"R {short(closeness.ratio)}"


def kind(finding: Finding) -> str:
    """Describe dtype and shape of a compared value: `float32[7, 3]`; add the port's dtype if it differs."""
    old, new = finding.dtypes
    if not old:
        return ""
    shape = list(finding.shape)
    if old == new:
        return f"{old}{shape}"
    return f"{old}{shape} → {new}" if old != "None" else f"None → {new}"


def remark(leaf: Leaf) -> str:
    """Return a remark on an output or gradient that is not simply equal."""
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
    """Split outputs and gradients into those to show and the rest.

    If there is a rest, those with the largest errors come first.
    """
    if len(leaves) <= most:
        return list(leaves), []
    ordered = sorted(leaves, key=lambda leaf: (_ORDER.index(leaf.state), -_fraction_of_limit(leaf)))
    return ordered[:most], ordered[most:]


def _fraction_of_limit(leaf: Leaf) -> float:
    closeness = leaf.worst.comparison.closeness
    return closeness.ratio / closeness.limit if closeness.limit else closeness.ratio


def rest(leaves: Sequence[Leaf]) -> str:
    """Summarize the outputs and gradients that are not shown."""
    states: dict[str, int] = {}
    for leaf in leaves:
        states[leaf.state] = states.get(leaf.state, 0) + 1
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    ratios = [x.worst.comparison.closeness.ratio for x in leaves if measured(x.worst)[:2] == "R "]
    return f"{counts}; largest R {short(max(ratios))}" if ratios else counts


def worst_element(finding: Finding) -> list[str]:
    """Describe the worst element in sentences; empty if no elements were compared."""
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
            f"the error is {times(closeness.ratio)} TensorFlow's own rounding error, but at most "
            f"{times(closeness.limit)} is allowed ({basis(closeness.basis)})"
        )
    return lines


# What the column R of the tables is.
R_IN_WORDS = (
    "R: the port's error divided by TensorFlow's own rounding error; the line in the bar marks the largest R that "
    "is allowed"
)


def times(ratio: float) -> str:
    """Write a ratio out: `4.5 times`, `270,000 times`."""
    if not math.isfinite(ratio) or ratio >= 1e15:
        return "more than 1e15 times"
    return f"{float(f'{ratio:.2g}'):,.0f} times" if ratio >= 10 else f"{short(ratio)} times"


def against(finding: Finding) -> str:
    """Describe where a difference was found: `case 0, JAX eager against TF eager, stage values`."""
    lanes = f"{title(finding.lane)} against {title(finding.reference)}"
    return f"case {finding.case}, {lanes}, stage {finding.stage}"


def three(report: Report) -> list[tuple[str, str, str, str]]:
    """Return the three worst outputs, then gradients, that differ: name, value, what it should be, and where."""
    rows = []
    for leaf in sorted(
        report.leaves, key=lambda leaf: (leaf.kind != "output", -_fraction_of_limit(leaf))
    ):
        worst = leaf.worst.comparison.worst
        if leaf.state == DIFFERENT and worst is not None:
            share = f"{worst.mismatched} of {worst.total} off, worst at {worst.place}, case {leaf.worst.case}"
            rows.append((leaf.title, number(worst.new), number(worst.old), share))
    return rows[:3]


def basis(name: str) -> str:
    """Describe the reference for errors: the original in float64, or in TensorFlow's eager mode."""
    if name == FLOAT64:
        return "errors against the original in float64"
    return "no run in float64: errors against TF eager"


def fewer_cases(report: Report, pair: Pair) -> str:
    """Return `1 of 4 ran` for a pair with a lane of the port that raised an error in the other cases, else nothing."""
    raised = {
        leaf_lane
        for leaf in report.leaves
        if leaf.title == RAISED.title
        for leaf_lane in leaf.lanes
    }
    counts = [
        state.values for state in report.lanes if state.lane in raised.intersection(pair.lanes)
    ]
    return f"{min(counts)} of {report.counts['cases']} ran" if counts else ""


SAME = "same"


def same(report: Report, pair: Pair) -> str:
    """Return the word for a pair without a difference: `values only` if a lane of the port has no gradient in any case."""
    gradients = [leaf.lanes for leaf in report.leaves if leaf.kind == "gradient"]
    compared = {
        lane for lanes in gradients for lane, state in lanes.items() if state != NOT_COVERED
    }
    bare = {new.id for new in NEW_LANES} - compared if compared else set()
    return "values only" if bare.intersection(pair.lanes) else SAME


def uncovered(report: Report, told: Sequence[Reason]) -> Iterator[tuple[str, Reason]]:
    """Yield why lanes did not run, except for reasons already given: pairs of a lane and a reason."""
    for lane in report.lanes:
        for reason in lane.reasons:
            if not any(
                title(lane.lane) in one.what
                and reason.why in one.why
                and {*reason.cases} <= {*one.cases}
                for one in told
            ):
                yield lane.lane, reason


def summary(report: Report) -> str:
    """Summarize in one line how much was compared."""
    counts = report.counts
    return " · ".join(
        [
            cases_in_words(report),
            _count_noun(counts["outputs"], "output"),
            _count_noun(counts["gradients"], "gradient"),
            _count_noun(counts["shapes"], "combination") + " of shapes",
            f"seed {report.seed}",
            "x64 on" if report.terms["x64"] else "x64 off",
            *_requested_extras(report),
            *_open_reviews(report),
        ]
    )


def cases_in_words(report: Report) -> str:
    """Return how many cases there are, and how many of them ran if some did not: `5 cases, 2 of them ran`."""
    counts = report.counts
    words = _count_noun(counts["cases"], "case")
    return words if counts["ran"] == counts["cases"] else f"{words}, {counts['ran']} of them ran"


def _open_reviews(report: Report) -> list[str]:
    """Return the number of open reviews: references to review for which no case shows a difference."""
    count = report.counts["reviews"]
    return [f"{_count_noun(count, 'finding')} to review"] if count else []


def _requested_extras(report: Report) -> list[str]:
    """List the optional parts of the comparison that the user requested."""
    terms = report.terms
    words = [str(terms["floats"])] if "floats" in terms else []
    words += [_count_noun(int(str(terms["steps"])), "step")] if "steps" in terms else []
    words += [_count_noun(int(str(terms["draws"])), "draw")] if "draws" in terms else []
    return words


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
