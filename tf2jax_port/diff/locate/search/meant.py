"""Search for an operation of the port that, replaced by a common alternative, fixes the outputs.

A port with a new design may compute intermediate values that the original lacks, so no value of the
original can be injected. Its own operations are replaced instead, each in every iteration of a loop and every
call of a function; the one whose replacement makes the outputs agree is reported.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.match.matching import flattened
from tf2jax_port.diff.locate.search.alternatives import changes
from tf2jax_port.diff.locate.search.injection import MEANT, Injection, Injector
from tf2jax_port.diff.locate.search.replay import replay
from tf2jax_port.diff.locate.watch.places import NOWHERE, Place
from tf2jax_port.diff.locate.watch.trail import Step

# In seconds of processor time.
BUDGET = 15.0


def meant(of: Injector) -> Injection | None:
    """Return the replacement of an operation that fixes the outputs, or `None`.

    Also return `None` if operations on several lines qualify.

    Args:
      of: the recorded runs of both programs.
    """
    until = time.process_time() + BUDGET
    near, others = _near(of)
    for steps in (near, others):
        found: dict[Place, Injection] = {}
        for group in groups(steps):
            if time.process_time() > until:
                return None
            one = None if group[0].place in found else _fixing_alternative(of, group)
            if one is not None:
                found[group[0].place] = one
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def _near(of: Injector) -> tuple[list[Step], list[Step]]:
    """Split the operations that outputs depend on into two lists, to try the more suspicious first.

    The first list has the operations that compute values which only the port has, or operands of these.
    """
    trail, inside = of.new.trail, of.new_region.values
    near: list[Step] = []
    others: list[Step] = []
    for step in trail.steps:
        if step.place == NOWHERE or of.useful.isdisjoint(step.results):
            continue
        users = (user for result in step.results for user in trail.users(result))
        reached = itertools.chain(step.results, *(user.results for user in users))
        (others if inside.isdisjoint(reached) else near).append(step)
    return near, others


def groups(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Yield groups of executions of one operation on one line.

    The groups of a line are: all its executions, its executions in each call of its function, and the executions of
    each position in the line. The last lines come first, since replaying from them is faster.
    """
    lines = _group_by(steps, lambda step: (step.name, step.place))
    for line in reversed(lines):
        yield line
        calls = _group_by(line, lambda step: step.places)
        if len(calls) > 1:
            yield from calls
        for call in calls:
            parts = _group_by(call, lambda step: step.key)
            if len(parts) > 1:
                yield from parts


def _group_by(steps: Sequence[Step], key: Callable[[Step], object]) -> list[list[Step]]:
    groups: dict[object, list[Step]] = {}
    for step in steps:
        groups.setdefault(key(step), []).append(step)
    return list(groups.values())


def _fixing_alternative(of: Injector, steps: Sequence[Step]) -> Injection | None:
    """Return the first replacement of given operations that makes all affected outputs agree."""
    trail = of.new.trail
    for instead in changes(trail, steps, less=True):
        result = replay(trail, {}, {}, of.useful, instead=instead)
        if result is None:
            continue
        reached = [path for path in of.differing if of.pairs[path][1] in result]
        # A count that agrees proves nothing; one that differs disproves the alternative.
        if not any(of.old.says_something(of.pairs[path][0]) for path in reached):
            continue
        if not all(of.agrees(path, result) for path in reached):
            continue
        values = {r: np.asarray(result[r]) for s in steps for r in s.results if r in result}
        first = steps[0].results[0]
        later = tuple((0, True) for _ in reached)
        theirs = _counterpart(of, result, reached)
        return Injection(MEANT, first, theirs, steps[0], True, len(later), later, values, {})
    return None


def _counterpart(of: Injector, result: Mapping[int, Any], reached: Collection[str]) -> int:
    """Return the original's first value that occurs in the port only after the replacement.

    If there is none, return the original's first output that the replacement changes.
    """
    for number in sorted(result):
        held = result[number]
        if of.new.says_something(number) and number in of.new_region.values:
            flat = flattened(np.asarray(held))
            twins = of.old_index.equal_to(flat, of.new.tolerance(number))
            mine = [twin for twin in twins if twin in of.old_region.values]
            if mine:
                return min(mine)
    return of.pairs[next(iter(reached))][0]
