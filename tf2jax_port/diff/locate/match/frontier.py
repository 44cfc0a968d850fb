"""Find the values between the last values that both runs share and the differing outputs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tf2jax_port.diff.locate.watch.trail import Trail


@dataclass(frozen=True, slots=True)
class Region:
    """The values on the way to differing outputs that occur in only one of the two runs.

    Attributes:
      values: the values that do not occur in the other run, and the outputs.
      edge: the shared values from which they are computed.
    """

    values: frozenset[int]
    edge: frozenset[int]


def region(trail: Trail, shared: Collection[int], outputs: Collection[int]) -> Region:
    """Return the region from the given outputs back to the nearest values that both runs share."""
    values: set[int] = set()
    edge: set[int] = set()
    waiting = list(outputs)
    while waiting:
        number = waiting.pop()
        if number in values or number in edge:
            continue
        if number in shared and number not in outputs:
            edge.add(number)
            continue
        values.add(number)
        maker = trail.maker(number)
        if maker is not None:
            waiting += maker.operands
        # The results of a loop may be shared as one array.
        waiting += trail.views.get(number, ())
    return Region(frozenset(values), frozenset(edge))


def behind(trail: Trail, number: int) -> set[int]:
    """Return a value and all values that depend on it."""
    parts = trail.parts(number)
    found = {number, *parts, *(view for part in parts for view in trail.views.get(part, ()))}
    first = trail.makers[parts[0]]
    for step in trail.steps[0 if first is None else first :]:
        if not found.isdisjoint(step.operands):
            found.update(step.results)
            found.update(view for one in step.results for view in trail.views.get(one, ()))
    return found


def before(trail: Trail, numbers: Collection[int]) -> set[int]:
    """Return the given values and all values on which they depend."""
    found = set(numbers)
    for step in reversed(trail.steps):
        if not found.isdisjoint(step.results):
            found.update(step.operands)
    return found | {view for one in found for view in trail.views.get(one, ())}
