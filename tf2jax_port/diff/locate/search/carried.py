"""Search for a wrong state of a loop: a carry that the body does not update, or updates with another value.

The port's own values are put in each other's place, so that every iteration gets what the iterations before it
then compute.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from tf2jax_port.diff.locate.search.injection import MISTAKEN, Injection
from tf2jax_port.diff.locate.search.trials import Trials
from tf2jax_port.diff.locate.watch.looping import end_of_body, loop_of
from tf2jax_port.diff.locate.watch.places import NOWHERE, Place
from tf2jax_port.diff.locate.watch.trail import Step

# In seconds of processor time.
_BUDGET = 5.0
# The number of a single operand in an operation of the loop's body.
Site = tuple[tuple[int, ...], int]
# What computes a value in every iteration: the operation and which of its results it is.
Origin = tuple[tuple[int, ...], int]


@dataclass
class _Loop:
    """The operations of a loop's body.

    Attributes:
      passes: for each operation of the body its executions.
      end: the number of the last step.
      carries: for each carry its uses in the body, by site: `(step, value)` from the second iteration on. A carry
        is known by the operation that computes it, or by the value that never changes.
    """

    passes: dict[tuple[int, ...], list[Step]] = field(default_factory=dict)
    end: int = 0
    carries: dict[Origin | int, dict[Site, list[tuple[Step, int]]]] = field(default_factory=dict)


def wrong_carry(of: Trials) -> Injection | None:
    """Return the exchange of values of a loop after which all outputs agree, or `None`.

    Args:
      of: the recorded runs of both programs.
    """
    until = time.process_time() + _BUDGET
    fixing: dict[Place, Injection] = {}
    for loop in _loops(of):
        for uses, outputs, first in _changes(of, loop):
            if of.is_over or time.process_time() > until:
                return next(iter(fixing.values()), None)
            step = of.new.trail.steps[min(step for step, _ in uses)] if uses else first
            # All changes of what the body returns are on one line.
            line = (end_of_body(step) if outputs else None) or step.place
            if line in fixing:
                continue
            used = next(iter(uses))[1] if uses else next(iter(outputs))
            theirs = _counterpart(of, first)
            found = of.tried(MISTAKEN, step, used, theirs, {}, uses, outputs)
            if found is not None and found.complete and found.mended == len(of.differing):
                fixing[line] = found
    first_found = next(iter(fixing.values()), None)
    return replace(first_found, only=True) if first_found and len(fixing) == 1 else first_found


def _loops(of: Trials) -> list[_Loop]:
    trail = of.new.trail
    loops: dict[tuple[Place, ...], _Loop] = {}
    for step in trail.steps:
        where = loop_of(step)
        if where and step.place != NOWHERE:
            loop = loops.setdefault(where, _Loop())
            loop.passes.setdefault(step.key, []).append(step)
            loop.end = step.number
    found = []
    for loop in loops.values():
        count = max(len(steps) for steps in loop.passes.values())
        loop.passes = {key: steps for key, steps in loop.passes.items() if len(steps) == count}
        if count > 1:
            _add_carries(of, loop)
            found.append(loop)
    return found


def _add_carries(of: Trials, loop: _Loop) -> None:
    """Find the carries of a loop among the operands of its body's operations."""
    trail = of.new.trail
    for steps in loop.passes.values():
        for at in range(len(steps[0].operands)):
            numbers = [step.operands[at] for step in steps]
            makers = [trail.maker(number) for number in numbers]
            last = makers[-1]
            is_constant = len({*numbers}) == 1
            if last is not None and last.key in loop.passes and last.passed == steps[-1].passed - 1:
                carry: Origin | int = (last.key, last.results.index(numbers[-1]))
            elif is_constant and not (last is None and numbers[0] not in trail.names):
                carry = numbers[0]
            else:
                continue
            site = (steps[0].key, at)
            loop.carries.setdefault(carry, {})[site] = list(zip(steps, numbers))[1:]


def _changes(
    of: Trials, loop: _Loop
) -> Iterator[tuple[dict[tuple[int, int], int], dict[int, int], Step]]:
    """Yield replacements of uses of a carry, those of outputs, and the operation that computes what is meant."""
    for carry, sites in loop.carries.items():
        every = list(itertools.chain(*sites.values()))
        for steps, which in _results_like(of, loop, every[0][1]):
            if (steps[0].key, which) == carry:
                continue
            # The body returns another value for the next iteration.
            before = {s.passed: s.results[which] for s in steps}
            uses = {(s.number, n): before[s.passed - 1] for s, n in every if s.passed - 1 in before}
            last = (
                loop.passes[carry[0]][-1].results[carry[1]] if isinstance(carry, tuple) else carry
            )
            meant = steps[-1].results[which]
            after = {
                (user.number, last): meant
                for user in of.new.trail.users(last)
                if user.number > loop.end and user.places != loop_of(steps[0])
            }
            yield uses | after, {last: meant}, steps[0]
            # One line uses the value of the iteration before in place of that of its own iteration.
            for site in sites.values():
                now = {s.passed: s for s in steps}
                own = {
                    (s.number, n): now[s.passed].results[which]
                    for s, n in _with_first(loop, site)
                    if s.passed in now and now[s.passed].number < s.number
                }
                if own:
                    yield own, {}, steps[0]


def _with_first(loop: _Loop, site: list[tuple[Step, int]]) -> list[tuple[Step, int]]:
    """Return the uses at a site in all iterations, the first one included."""
    step, number = site[0]
    first = loop.passes[step.key][0]
    return [(first, first.operands[step.operands.index(number)]), *site]


def _results_like(of: Trials, loop: _Loop, number: int) -> Iterator[tuple[list[Step], int]]:
    """Yield the operations of a body, and which of their results, that compute floats of a value's shape."""
    trail = of.new.trail
    shape, held = np.shape(trail.values[number]), trail.array(number)
    if held is None or held.dtype.kind != "f":
        return
    for steps in loop.passes.values():
        for which, result in enumerate(steps[0].results):
            array = trail.array(result)
            if array is not None and array.shape == shape and array.dtype == held.dtype:
                yield steps, which


def _counterpart(of: Trials, step: Step) -> int:
    """Return the original's value that equals an operation's result, else its first output that differs."""
    equal = (twin for result in step.results for twin in sorted(of.twins(result)))
    return next(equal, of.pairs[of.differing[0]][0])
