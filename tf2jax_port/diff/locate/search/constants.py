"""Search for a wrong number literal that the port uses on several lines."""

from __future__ import annotations

import numpy as np

from tf2jax_port.diff.locate.match.matching import SINGLE, Values
from tf2jax_port.diff.locate.search.injection import MISTAKEN, Injection, Injector
from tf2jax_port.diff.locate.watch.places import NOWHERE

# The most numbers tried of those that only one program has.
_FEW = 8


def wrong_number(of: Injector, lines: int = 2) -> Injection | None:
    """Find a number literal of the port that should be another literal of the original.

    Return the substitution (`Injection`) that makes all outputs agree, or `None`.

    Args:
      of: the recorded runs of both programs.
      lines: the least number of lines that use the literal.
    """
    mine, theirs = _number_literals(of.new), _number_literals(of.old)
    own = [n for n in mine if not _contains_nearly(theirs, n)][:_FEW]
    others = [n for n in theirs if not _contains_nearly(mine, n)][:_FEW]
    for number in own:
        uses = [(s, n) for n in mine[number] for s in of.new.trail.users(n) if s.place != NOWHERE]
        uses = [(s, n) for s, n in uses if not of.new_region.values.isdisjoint(s.results)]
        # The main search tells more about the line of a number that is used on one line only.
        if len({step.place for step, _ in uses}) < lines:
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


def _number_literals(values: Values) -> dict[float, list[int]]:
    """Return a dict from a program's float literals to the numbers of the values that hold them."""
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


def _contains_nearly(numbers: dict[float, list[int]], number: float) -> bool:
    return any(abs(one - number) <= SINGLE * abs(number) for one in numbers)
