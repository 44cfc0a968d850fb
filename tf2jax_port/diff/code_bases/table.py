"""Count the outcomes of replayed calls per module, and list what is not equal."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from tf2jax_port.diff.code_bases.call_file import Calls
from tf2jax_port.diff.code_bases.outcomes import Outcome
from tf2jax_port.diff.code_bases.prove import Results
from tf2jax_port.diff.code_bases.replay import LANES

Counts = dict[str, Counter[str]]  # by lane


def count(calls: Calls, results: Results) -> dict[str, Counts]:
    """Return the number of outcomes of each module in each lane."""
    found: dict[str, Counts] = defaultdict(lambda: {lane: Counter() for lane in LANES})
    for index, call in enumerate(calls.calls):
        for lane in LANES:
            replayed = results.get((index, lane))
            outcome = Outcome.NOT_REPLAYABLE if replayed is None else replayed.outcome
            found[call.module][lane][outcome.value] += 1
    return dict(sorted(found.items()))


def as_lines(calls: Calls, results: Results) -> list[str]:
    """Return the table of the modules, and one line for each call that is not equal."""
    counts = count(calls, results)
    columns = [outcome.value for outcome in Outcome]
    lines = [f"| module | lane | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    whole: Counts = {lane: Counter() for lane in LANES}
    for module, lanes in counts.items():
        lines += [_line(module, lane, lanes[lane]) for lane in LANES]
        for lane in LANES:
            whole[lane] += lanes[lane]
    lines += [_line("all", lane, whole[lane]) for lane in LANES]
    for (index, lane), replayed in sorted(results.items()):
        if replayed.outcome in (Outcome.DIFFERENT, Outcome.ERROR):
            call = calls.calls[index]
            where = f"{call.module}.{call.name} ({lane})"
            lines.append(f"{where}: {replayed.outcome.value}: {replayed.detail}")
    return lines


def as_document(calls: Calls, results: Results) -> dict[str, Any]:
    """Return the outcomes as data for JSON."""
    entries = [
        {
            "module": calls.calls[index].module,
            "function": calls.calls[index].name,
            "lane": lane,
            "outcome": replayed.outcome.value,
            "detail": replayed.detail,
        }
        for (index, lane), replayed in sorted(results.items())
    ]
    unfit = Counter(call.unfit for call in calls.calls if call.unfit)
    return {"modules": count(calls, results), "calls": entries, "not_replayable": dict(unfit)}


def _line(module: str, lane: str, counts: Counter[str]) -> str:
    return f"| {module} | {lane} | {' | '.join(str(counts[o.value]) for o in Outcome)} |"
