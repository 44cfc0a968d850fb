"""Summarize the observations and findings of all cases in the tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tf2jax_port.diff.closeness.explain import DIFFERENT, EQUAL, KNIFE_EDGE, UNSTEADY
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.judge.judge import NOT_COVERED, STRUCTURE, Finding
from tf2jax_port.diff.judge.matrix import PairState
from tf2jax_port.diff.report.report import CaseRow, LaneState, Leaf, Pair
from tf2jax_port.diff.values.arguments import Arguments, Slot
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import COTANGENTS
from tf2jax_port.diff.vocabulary.lanes import EVERY_STAGE, is_old, pairs, ports, present, title
from tf2jax_port.diff.vocabulary.numbers import number
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped, grouped_failures

_SEVERITY = (NOT_COVERED, EQUAL, KNIFE_EDGE, UNSTEADY, DIFFERENT)


def pair_table(states: Sequence[PairState], requested: Sequence[str]) -> tuple[Pair, ...]:
    """Summarize the comparisons of every pair of lanes over all cases."""
    by_pair: dict[tuple[str, str], list[PairState]] = {pair: [] for pair in pairs(requested)}
    for state in states:
        by_pair[state.pair].append(state)
    return tuple(_make_pair(pair, found) for pair, found in by_pair.items())


def _make_pair(pair: tuple[str, str], states: Sequence[PairState]) -> Pair:
    differing = [state for state in states if state.stage]
    if not states:
        return Pair(pair, "not covered", None, 0, 0, "")
    if not differing:
        return Pair(pair, "equal", None, len(states), 0, "")
    first = min(differing, key=lambda state: EVERY_STAGE.index(state.stage or EVERY_STAGE[-1]))
    example = f"{first.quantity.title} of case {first.case}: {first.comparison.problem}"
    return Pair(pair, "different", first.stage, len(states), len(differing), example)


def lane_table(facts: Sequence[Facts], requested: Sequence[str]) -> tuple[LaneState, ...]:
    """Count the cases in which each lane returned outputs and gradients."""
    return tuple(_make_lane_state(lane.id, facts) for lane in present(requested))


def _make_lane_state(lane: str, facts: Sequence[Facts]) -> LaneState:
    values = gradients = 0
    reasons: list[tuple[str, str, int]] = []
    details: list[str] = []
    for fact in facts:
        observation = fact.lanes[lane]
        failures = [observation.outputs, *observation.gradients.values()]
        failed = [f for f in failures if isinstance(f, Failure)]
        values += observation.ran
        gradients += bool(observation.gradients) and observation.ran and not failed
        if failed:
            what = "values" if not observation.ran else "gradients"
            reasons.append((what, failed[0].advised, fact.case))
            details.append(failed[0].detail)
        if observation.note:
            reasons.append(("run with", observation.note, fact.case))
    return LaneState(
        lane, values, gradients, tuple(grouped_failures(reasons)), tuple(dict.fromkeys(details))
    )


def leaf_table(findings: Sequence[Finding]) -> tuple[Leaf, ...]:
    """Summarize every output and gradient over all cases and all lanes of the port."""
    found: dict[object, list[Finding]] = {}
    for finding in findings:
        if finding.quantity == STRUCTURE and finding.outcome == NOT_COVERED:
            continue  # a whole lane is missing, which `lane_table` reports
        found.setdefault(finding.quantity, []).append(finding)
    return tuple(_make_leaf(group) for group in found.values())


def _make_leaf(findings: Sequence[Finding]) -> Leaf:
    worst = max(findings, key=lambda f: (_SEVERITY.index(f.outcome), _fraction_of_limit(f)))
    quantity = worst.quantity
    compared = {f.case for f in findings if f.outcome != NOT_COVERED}
    lanes: dict[str, str] = {}
    for f in sorted(findings, key=lambda f: _SEVERITY.index(f.outcome)):
        lanes[f.lane] = f.outcome
    return Leaf(quantity.title, quantity.kind, worst.outcome, len(compared), worst, lanes)


def _fraction_of_limit(finding: Finding) -> float:
    """Return R, the port's error divided by the original's, as a fraction of the largest R allowed."""
    closeness = finding.comparison.closeness
    return closeness.ratio / closeness.limit if closeness.limit else closeness.ratio


def case_table(
    cases: Sequence[Arguments], facts: Sequence[Facts], findings: Sequence[Finding]
) -> tuple[CaseRow, ...]:
    """Return a row of the report's table for every case that was run."""
    arguments = {case.index: case for case in cases}
    return tuple(_make_case_row(arguments[fact.case], fact, findings) for fact in facts)


def _make_case_row(case: Arguments, fact: Facts, findings: Sequence[Finding]) -> CaseRow:
    here = [f for f in findings if f.case == fact.case]
    states: dict[str, str] = {}
    for lane in present(fact.lanes):
        states[lane.id] = "ran" if fact.lanes[lane.id].ran else "not covered"
    for lane in ports(fact.lanes):
        mine = [f.outcome for f in here if f.lane == lane.id]
        if mine and fact.lanes[lane.id].ran:
            states[lane.id] = max(mine, key=_SEVERITY.index)
    telling = [f for f in here if f.outcome in (DIFFERENT, KNIFE_EDGE, UNSTEADY)]
    sentence = ""
    if telling:
        worst = max(telling, key=lambda f: _SEVERITY.index(f.outcome))
        why = worst.because or worst.comparison.problem
        sentence = f"{worst.quantity.title}: {why}"
    return CaseRow(case.index, describe_inputs(case), states, sentence)


def describe_inputs(case: Arguments) -> tuple[str, ...]:
    """Describe every argument of a case briefly: `x float32[7, 3]`, `k=2`."""
    words = [
        f"{path} {array.dtype.name}{list(array.shape)}"
        for path, array in zip(case.paths, case.arrays)
    ]
    written = [repr(part) for part in case.template if not _has_slot(part)]
    return (*words, *written)


def _has_slot(part: object) -> bool:
    return isinstance(part, (Slot, dict, list, tuple))


def knife_edges(states: Sequence[PairState], findings: Sequence[Finding]) -> tuple[Reason, ...]:
    """Describe the inputs on which lanes of the original program disagree, with both results."""
    entries: list[tuple[str, str, int]] = []
    for state in states:
        if state.stage and all(is_old(lane) for lane in state.pair):
            entries.append((state.quantity.title, _describe_sides(state), state.case))
    named = {(e[0], e[2]) for e in entries}
    for finding in findings:
        key = (finding.quantity.title, finding.case)
        if finding.outcome == KNIFE_EDGE and key not in named:
            entries.append((key[0], finding.because, finding.case))
    return tuple(grouped(entries))


def _describe_sides(state: PairState) -> str:
    first, second = (title(lane) for lane in state.pair)
    worst = state.comparison.worst
    if worst is None:
        return f"{first} against {second}: {state.comparison.problem}"
    return f"{first} has {number(worst.old)}, {second} {number(worst.new)} at {worst.place}"


def _ran_on_both(fact: Facts) -> bool:
    """Return whether the original and its port each returned a result in some lane."""
    sides = {is_old(lane) for lane, seen in fact.lanes.items() if seen.ran}
    return len(sides) == 2


def counts(
    findings: Sequence[Finding], cases: Sequence[Arguments], facts: Sequence[Facts]
) -> Mapping[str, int]:
    """Count the cases, outputs, gradients and inputs that were compared."""
    compared = [f for f in findings if f.outcome != NOT_COVERED]
    paths = {f.quantity.path for f in compared if f.quantity.cotangent in COTANGENTS}
    return {
        "cases": len(facts),
        "ran": sum(_ran_on_both(fact) for fact in facts),
        "outputs": len({f.quantity for f in compared if f.quantity.kind == "output"}),
        "gradients": len({f.quantity for f in compared if f.quantity.kind == "gradient"}),
        "inputs": len({path for case in cases for path in case.paths}),
        "differentiated": len(paths),
        "comparisons": len(compared),
        "reviews": 0,
        "shapes": len({tuple(a.shape for a in case.arrays) for case in cases}),
    }
