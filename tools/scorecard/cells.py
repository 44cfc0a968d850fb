"""Derive the state of one symbol in one lane from the records."""

from __future__ import annotations

import collections
import dataclasses
from typing import NamedTuple

from tests.lanes.cases import CASES
from tests.table import cases, test_jit, test_poison, test_vmap, test_xla
from tf2jax_port.table import Keep, Manual
from tools.scorecard.lanes import CASES_IN, LANES
from tools.scorecard.symbols import Symbol

STATES = {
    "pass": "equal to TensorFlow",
    "differs": "equal to TensorFlow, except for intended differences that the table names",
    "none": "TensorFlow has no such result",
    "n/a": "does not apply",
    "untested": "no test was run for this page",
    "fail": "a test fails",
    "absent": "not offered",
}
GREEN = ("pass", "differs", "none", "n/a")


@dataclasses.dataclass(frozen=True)
class Cell:
    """One symbol in one lane.

    Attributes:
      state: a key of `STATES`.
      tests: the number of tests that found it.
      why: the reason, where the state alone is not enough.
    """

    state: str
    tests: int = 0
    why: str = ""


class Ran(NamedTuple):
    """A test that ran: `passed` or `failed`, and the verdict of a passed one, `state: why`."""

    test: str
    outcome: str
    verdict: str = ""


Outcomes = dict[tuple[str, str], list[Ran]]


def by_subject(records: list[dict]) -> Outcomes:
    """Group the tests that ran by `(symbol, lane)`; the latest run of a test counts."""
    latest = {line["test"]: line for line in records}
    found: Outcomes = collections.defaultdict(list)
    for test, line in latest.items():
        for symbol, lane in line["subjects"]:
            found[symbol, lane].append(Ran(test, line["outcome"], line.get("verdict", "")))
    return found


def of_symbol(symbol: Symbol, outcomes: Outcomes) -> dict[str, Cell]:
    """Return the cells of one symbol."""
    if not symbol.is_offered:
        cell = Cell("absent", why=_why_absent(symbol))
        return dict.fromkeys(LANES, cell)
    return {lane: _cell(symbol, lane, outcomes.get((symbol.name, lane), [])) for lane in LANES}


def _why_absent(symbol: Symbol) -> str:
    if symbol.row is not None and isinstance(symbol.row.target, (Keep, Manual)):
        return symbol.row.target.reason
    return f"outside: {symbol.family}" if symbol.is_outside else "no row"


def _cell(symbol: Symbol, lane: str, ran: list[Ran]) -> Cell:
    failed = sorted(each.test.rpartition("::")[2] for each in ran if each.outcome == "failed")
    if failed:
        return Cell("fail", len(ran), ", ".join(failed[:3]))
    row = symbol.row
    assert row is not None  # a symbol that is offered has one
    if not row.inputs:
        # A case names its symbol and is of one lane; the words of other tests only suggest both.
        ran = [each for each in ran if each.test.startswith(CASES_IN)] or ran
        why_no_case = _why_no_case(symbol.name, lane)
        if why_no_case:
            return Cell("n/a", 0, why_no_case)
    passed = sum(each.outcome == "passed" for each in ran)
    if lane == "gradient" and row.no_gradient:
        return Cell("none", passed, row.no_gradient)
    if lane == "jit_compile" and passed and row.xla != "same":
        return Cell("differs", passed, f"TensorFlow's XLA {row.xla}")
    if not passed:
        why = _why_nothing(row, lane)
        return Cell("n/a", 0, why) if why else Cell("untested")
    verdicts = [each.verdict.partition(": ") for each in ran if each.outcome == "passed"]
    states = {state for state, _, _ in verdicts}
    if states == {"none"} or states == {"n/a"}:
        return Cell(states.pop(), passed, verdicts[0][2])
    named = {why for state, _, why in verdicts if state == "differs"}
    named |= set(filter(None, (_reason(case, lane) for case in row.inputs)))
    return Cell("differs", passed, "; ".join(sorted(named))) if named else Cell("pass", passed)


def _reason(case, lane: str) -> str:
    kind, _, why = case.differs.partition(": ")
    shown = {"eager": "value", "function": "value", "gradient": "gradient"}.get(lane)
    if lane == "jit_compile" and case.xla:
        return f"TensorFlow's XLA {case.xla}"
    return f"{case.id}: {why}" if shown and kind == shown else ""


def _why_no_case(name: str, lane: str) -> str:
    """Explain why no written case covers a lane; `""` if one does, or none is written."""
    reasons = [case.why_not(lane) for case in CASES if name in case.symbols]
    return "; ".join(sorted(set(reasons))) if reasons and all(reasons) else ""


def _why_nothing(row, lane: str) -> str:
    """Explain why no test made from a row covers a lane; `""` if one should."""
    if row.gives and lane not in ("eager", "function"):
        return f"gives {row.gives}"
    if not row.inputs:
        return ""
    points = [p for p in cases.POINTS if p.row is row]
    answered = list(filter(cases.succeeds, points))
    if lane == "gradient" and not any(map(cases.floating, answered)):
        return "no floating-point operand"
    if lane == "vmap":
        if row.fresh:
            return "each row has a size of its own"
        if not any(map(test_vmap.is_batched, points)):
            return "no floating-point operand to map over"
    if lane == "poison" and not any(map(test_poison.is_answered, points)):
        return "no case of an unknown size that the inputs bound"
    if lane == "jit_compile" and not any(map(test_xla.compiles, points)):
        return "TensorFlow's XLA refuses every case"
    if lane == "function" and not any(map(test_jit.has_arrays, points)):
        return "takes no arrays"
    return ""
