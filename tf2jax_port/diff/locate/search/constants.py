"""A number that stands in the program, and is used on several lines: is it another one in the original?"""

from __future__ import annotations

import numpy as np

from tf2jax_port.diff.locate.match.matching import SINGLE, Values
from tf2jax_port.diff.locate.search.injection import MISTAKEN, Injection, Injector
from tf2jax_port.diff.locate.watch.places import NOWHERE

# How many numbers that only one of the two has are tried.
_FEW = 8


def wrong_number(of: Injector) -> Injection | None:
    """Where one of the original's numbers in the place of one of the port's mends everything."""
    mine, theirs = _numbers(of.new), _numbers(of.old)
    own = [n for n in mine if not _has(theirs, n)][:_FEW]
    others = [n for n in theirs if not _has(mine, n)][:_FEW]
    for number in own:
        uses = [(s, n) for n in mine[number] for s in of.new.trail.users(n) if s.place != NOWHERE]
        uses = [(s, n) for s, n in uses if not of.new_region.values.isdisjoint(s.results)]
        # On one line it is found there, and said what else is wrong with the line.
        if len({step.place for step, _ in uses}) < 2:
            continue
        for other in others:
            given = {
                (s.number, n): np.full_like(of.new.trail.array(n), other, dtype=np.float64)
                for s, n in uses
            }
            first, held = uses[0]
            found = of.tried(MISTAKEN, first, held, theirs[other][0], {}, given)
            if found is not None and found.complete:
                return found
    return None


def _numbers(values: Values) -> dict[float, list[int]]:
    """The numbers that nothing computes, and where they are."""
    found: dict[float, list[int]] = {}
    trail = values.trail
    for step in trail.steps:
        for operand in step.operands:
            if trail.maker(operand) is not None or operand in trail.names:
                continue
            array = trail.array(operand)
            if array is None or array.size != 1 or array.dtype.kind != "f":
                continue
            if not np.isfinite(array).all():
                continue
            held = found.setdefault(float(array.item()), [])
            if operand not in held:
                held.append(operand)
    return found


def _has(numbers: dict[float, list[int]], number: float) -> bool:
    return any(abs(one - number) <= SINGLE * abs(number) for one in numbers)
