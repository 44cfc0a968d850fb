"""Format the result of a parity run as a table and as JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tf2jax_port.diff.parity.operators import DIFFERS, NOT_RUN, PAIRS, SAME, State
from tf2jax_port.diff.vocabulary.lanes import title

FORMAT = 1


def totals(rows: Mapping[str, Sequence[State]]) -> list[tuple[str, int, int, int, int]]:
    """Count the cases for each pair of lanes: equal, different as expected, not run, unexpected."""
    found = []
    for pair in PAIRS:
        states = [state for row in rows.values() for state in row if state.pair == pair]
        odd = [s for s in states if s.unexpected]
        rest = [s for s in states if not s.unexpected]
        count = {k: sum(s.state == k for s in rest) for k in (SAME, DIFFERS, NOT_RUN)}
        name = " and ".join(title(lane) for lane in pair)
        found.append((name, count[SAME], count[DIFFERS], count[NOT_RUN], len(odd)))
    return found


def lines(rows: Mapping[str, Sequence[State]]) -> list[str]:
    """Return the lines of the table, and a line for every unexpected case."""
    told = [f"{'lanes':24}{'same':>8}{'known':>8}{'not run':>9}{'unexpected':>12}"]
    told += [
        f"{name:24}{same:>8}{known:>8}{out:>9}{odd:>12}"
        for name, same, known, out, odd in totals(rows)
    ]
    for name, states in rows.items():
        for state in states:
            if state.unexpected:
                lanes = " and ".join(title(lane) for lane in state.pair)
                gone = f"this known difference no longer occurs: {state.known}"
                why = gone if state.state == SAME else f"{state.state}: {state.why}"
                told.append(f"{name}, {state.case}: {lanes}: {why}")
    return told


def to_data(rows: Mapping[str, Sequence[State]], versions: Mapping[str, str], device: str) -> Any:
    """Convert the results to JSON data; cases with equal results are counted and not listed."""
    return {
        "format": FORMAT,
        "device": device,
        "versions": dict(versions),
        "operators": len(rows),
        "totals": [
            dict(zip(("lanes", "same", "known", "not_run", "unexpected"), line))
            for line in totals(rows)
        ],
        "cases": [
            {
                "operator": name,
                "case": state.case,
                "lanes": list(state.pair),
                "state": state.state,
                "why": state.why,
                "known": state.known,
                "unexpected": state.unexpected,
            }
            for name, states in rows.items()
            for state in states
            if state.state != SAME or state.unexpected
        ],
    }
