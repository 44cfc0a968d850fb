"""Judge each function of a code base by the outcomes of its calls."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from tf2jax_port.diff.code_bases.call_file import Calls, Function, is_constructor
from tf2jax_port.diff.code_bases.local_functions import LOCAL
from tf2jax_port.diff.code_bases.order import leaves_first, origins
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.code_bases.planted import STRENGTH, together
from tf2jax_port.diff.code_bases.port_files import Definition, PortFiles, home_of
from tf2jax_port.diff.code_bases.prove import Results
from tf2jax_port.diff.code_bases.replay import ALL_LANES, LANES
from tf2jax_port.diff.code_bases.slopes import GRADIENTS
from tf2jax_port.diff.proofs.proof import (
    NOWHERE,
    WITHIN,
    WRONG,
    Proof,
    Row,
    Share,
    Status,
    only_gradients_differ,
)
from tf2jax_port.diff.proofs.wording import listed
from tf2jax_port.diff.strength.strength import Strength
from tf2jax_port.messages.counts import counted

_MARKER = re.compile(r"#\s*(TJ3\d\d)\b")
_NO_DEFINITION = Definition("", 0, 0, frozenset(), 0)


class _Seen(NamedTuple):
    """The calls of a function: their numbers, and the outcomes of the replayed calls."""

    calls: list[int]
    replayed: dict[int, dict[str, Replayed]]


def judged(calls: Calls, results: Results, root: Path) -> Proof:
    """Return the proof that follows from outcomes.

    Args:
      calls: the captured calls.
      results: the outcome of each call in each lane.
      root: the folder of the port.
    """
    recorded = {call.function for call in calls.calls}
    definitions = PortFiles(root).definitions(calls.packages, recorded)
    seen: dict[Function, _Seen] = {}
    for index, call in enumerate(calls.calls):
        lanes = {lane: results[index, lane] for lane in ALL_LANES if (index, lane) in results}
        entry = seen.setdefault(call.function, _Seen([], {}))
        entry.calls.append(index)
        if lanes:
            entry.replayed[index] = lanes
    reached = _Reached(results.values(), {name for _, name in recorded})
    planted: dict[Function, list[Replayed]] = {}
    for (index, lane), each in results.items():
        if lane == STRENGTH:
            planted.setdefault(calls.calls[index].function, []).append(each)
    # A local function through which no tensor passes is part of what made it.
    idle = {one for one in calls.without_tensors if LOCAL not in one[1]}
    functions = leaves_first({*definitions, *seen, *idle}, calls.edges)
    rows = {
        function: _row(
            function,
            definitions.get(function),
            seen.get(function),
            calls,
            reached,
            root,
            together(planted.get(function, ())),
        )
        for function in functions
    }
    return Proof(
        tuple(_with_origins(rows, calls)),
        str(root),
        Counter(call.unfit for call in calls.calls if call.unfit),
        tuple(
            (calls.calls[index].function, lane, found.outcome.value, found.detail)
            for (index, lane), found in sorted(results.items())
            if lane != STRENGTH
        ),
    )


class _Reached:
    """The lines and branches that any call reached, by file and function."""

    def __init__(self, replayed: Iterable[Replayed], recorded: Collection[str]) -> None:
        self.lines: dict[str, set[int]] = {}
        self.branches: Counter[Function] = Counter()
        self.is_measured = False
        branches: set[tuple[str, str]] = set()
        for each in replayed:
            self.is_measured = self.is_measured or each.reached is not None
            for path, what in (each.reached or {}).items():
                self.lines.setdefault(path, set()).update(what["lines"])
                branches.update((path, name) for name in what["branches"])
        for path, name in branches:
            self.branches[path, home_of(name.rsplit(" ", 3)[0], recorded)] += 1


def _row(
    function: Function,
    definition: Definition | None,
    seen: _Seen | None,
    calls: Calls,
    reached: _Reached,
    root: Path,
    strength: Strength | None,
) -> Row:
    place = definition or _NO_DEFINITION
    lines = frozenset(reached.lines.get(place.path, ())) & place.lines
    seen = seen or _Seen([], {})
    status, why = _status(function, seen, calls, bool(lines))
    line = place.line
    if status in (Status.RAISES, Status.FAILS_UNDER_JIT):
        path, line = _place_of(seen, Outcome.ERROR, place)
        outside = path != place.path or not place.line <= line <= place.end
        why += f" (at {path}:{line})" if outside else ""
        line = place.line if outside else line
        left = _left_to_a_person(root / place.path, place) if place.path else ""
        why += f"; {left} must be written by hand" if left else ""
    if status is Status.DIFFERENT:
        path, found = _place_of(seen, Outcome.DIFFERENT, place)
        if path == place.path and place.line < found <= place.end:
            line = found
        elif only := _only_in_wrong_calls(seen, place):
            line = only[0]
            until = f"s {line} to {only[-1]}" if len(only) > 1 else f" {line}"
            why += f"; only calls with different results reach line{until}"
        if only_gradients_differ(_counts(seen)):
            why += "; `rewrite --exact` keeps TensorFlow's gradients"
    return Row(
        function,
        status,
        why,
        place.path,
        line,
        (place.line, place.end),
        len(seen.calls),
        len(seen.replayed),
        _counts(seen),
        Share(len(lines), len(place.lines)) if reached.is_measured else None,
        Share(min(reached.branches[place.path, function[1]], place.branches), place.branches)
        if reached.is_measured
        else None,
        reached=lines,
        possible=place.lines if reached.is_measured else frozenset(),
        strength=strength,
    )


def _counts(seen: _Seen) -> dict[str, Counter[str]]:
    """Return the number of calls with each outcome, by lane."""
    replayed = seen.replayed.values()
    return {
        lane: Counter(found[lane].outcome.value for found in replayed if lane in found)
        for lane in ALL_LANES
    }


def _status(function: Function, seen: _Seen, calls: Calls, ran: bool) -> tuple[Status, str]:
    """Return the status of a function, and its reason."""
    if not seen.calls:
        if function in calls.without_tensors:
            return Status.NO_TENSORS, "no tensor passes through the function"
        why = calls.unkept.get(function, "")
        if why:
            return (
                Status.NOT_REACHED,
                f"{why}; the function ran inside calls of other functions" if ran else why,
            )
        return Status.NOT_REACHED, WITHIN if ran else NOWHERE
    found = [each for lanes in seen.replayed.values() for each in lanes.values()]
    total = len(seen.calls)
    for outcome, status in ((Outcome.DIFFERENT, Status.DIFFERENT), (Outcome.ERROR, Status.RAISES)):
        wrong = [lanes for lanes in seen.replayed.values() if _has(lanes, outcome)]
        if wrong:
            compiled = status is Status.RAISES and _only_compiled(wrong)
            status = Status.FAILS_UNDER_JIT if compiled else status
            return status, _wrong(wrong, outcome, total)
    reasons = Counter(
        calls.calls[index].unfit for index in seen.calls if index not in seen.replayed
    )
    for lanes in seen.replayed.values():
        reasons.update(
            {each.detail for each in lanes.values() if each.outcome is Outcome.NOT_REPLAYABLE}
        )
    if all(each.outcome is Outcome.NOT_REPLAYABLE for each in found):
        return (
            Status.NOT_REPLAYED,
            f"the calls of the function cannot be replayed (reason: {listed(reasons)})",
        )
    limits = [
        *(
            f"{number} of {counted(total, 'call')} could not be replayed in every lane (reason: {reason})"
            for reason, number in reasons.items()
        ),
        *(
            ["the function draws random numbers"]
            if Outcome.RANDOM in {e.outcome for e in found}
            else []
        ),
        *dict.fromkeys(
            f"{_in_words(lane)}: {each.detail}"
            for lanes in seen.replayed.values()
            for lane, each in lanes.items()
            if each.outcome is Outcome.EQUAL and each.detail
        ),
    ]
    if limits:
        return Status.LIMITED, "; ".join(limits)
    if all(is_constructor(calls.calls[index]) for index in seen.calls):
        return (
            Status.PROVED,
            f"{counted(total, 'call')}: the objects of the port have the same values as the objects of the original",
        )
    sloped = sum(GRADIENTS in lanes for lanes in seen.replayed.values())
    why = f"{counted(total, 'call')} in {len(LANES)} lanes (eager, jit, function)"
    return Status.PROVED, why + (f", {sloped} with gradients" if sloped else "")


def _in_words(lane: str) -> str:
    return f"with {lane}" if lane == GRADIENTS else f"under {lane}"


def _only_compiled(wrong: list[dict[str, Replayed]]) -> bool:
    """Return whether calls raise when they are compiled, but run eagerly."""
    failed = {lane for w in wrong for lane, each in w.items() if each.outcome is Outcome.ERROR}
    return "eager" not in failed and failed != {GRADIENTS}


def _has(lanes: dict[str, Replayed], outcome: Outcome) -> bool:
    return any(each.outcome is outcome for each in lanes.values())


def _wrong(wrong: list[dict[str, Replayed]], outcome: Outcome, total: int) -> str:
    lanes = [
        lane for lane in ALL_LANES if any(w[lane].outcome is outcome for w in wrong if lane in w)
    ]
    where = "" if {*lanes} >= {*LANES} else f" {' and '.join(map(_in_words, lanes))}"
    first = next(
        w[lane] for lane in lanes for w in wrong if lane in w and w[lane].outcome is outcome
    )
    return f"{len(wrong)} of {counted(total, 'call')}{where}: {first.detail}"


def _place_of(seen: _Seen, outcome: Outcome, place: Definition) -> tuple[str, int]:
    """Return where calls of a function raise or begin to differ: the most frequent place, or else its `def`."""
    places = Counter(
        each.place
        for lanes in seen.replayed.values()
        for each in lanes.values()
        if each.outcome is outcome and each.place
    )
    if not places:
        return place.path, place.line
    path, _, line = places.most_common(1)[0][0].rpartition(":")
    return path, int(line)


def _left_to_a_person(path: Path, place: Definition) -> str:
    """Return the diagnostic of the first reference in a function that the rewriter did not rewrite, else `""`."""
    lines = path.read_text(errors="replace").splitlines()[place.line - 1 : place.end]
    found = _MARKER.search("\n".join(lines))
    return found[1] if found else ""


def _only_in_wrong_calls(seen: _Seen, place: Definition) -> list[int]:
    """Return the lines of a function that only calls with wrong results reach."""
    wrong: set[int] = set()
    right: set[int] = set()
    for lanes in seen.replayed.values():
        eager = lanes.get("eager")
        if eager is None or eager.reached is None:
            continue
        lines = eager.reached.get(place.path, {}).get("lines", [])
        (wrong if _has(lanes, Outcome.DIFFERENT) else right).update(lines)
    return sorted((wrong - right) & place.lines) if right else []


def _with_origins(rows: dict[Function, Row], calls: Calls) -> Iterable[Row]:
    """Yield the functions, each with the functions in which its fault may begin."""
    below = origins({f for f, row in rows.items() if row.status in WRONG}, calls.edges)
    above = Counter(callee for guilty in below.values() for callee in guilty)
    for function, row in rows.items():
        guilty = tuple(below.get(function, ()))
        yield dataclasses.replace(row, origins=guilty, above=above[function])
