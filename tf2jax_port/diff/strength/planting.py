"""Plant faults into the recorded runs of a port, and count the faults that change an output."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.match.frontier import before
from tf2jax_port.diff.locate.match.matching import SINGLE, Values, flattened, same
from tf2jax_port.diff.locate.search.replay import replay
from tf2jax_port.diff.locate.watch.places import NOWHERE, Stack
from tf2jax_port.diff.locate.watch.trail import Step, Trail
from tf2jax_port.diff.locate.watch.watch_jax import watch_jax
from tf2jax_port.diff.strength.kinds import faults
from tf2jax_port.diff.strength.strength import Missed
from tf2jax_port.diff.values.arguments import Arguments

# Identifies a fault in all cases: file, line, primitive and kind.
Key = tuple[str, int, str, str]


@dataclass(frozen=True, slots=True)
class Planting:
    """A fault, and how to plant it into the run of one case.

    Attributes:
      missed: how it is reported if no case notices it.
      is_noticed: plants it; returns whether an output changes, `None` if the port cannot run with it.
    """

    missed: Missed
    is_noticed: Callable[[], bool | None]


class Planter:
    """Plants faults into a port, one case at a time.

    Args:
      port: the Python function of the port.
      seed: the seed of its random numbers.
      budget: the processor time for all cases, in seconds.

    Attributes:
      noticed: the faults that some case notices.
      missed: the faults that ran and that no case has noticed yet.
      skipped: the number of trials for which no time was left.
    """

    def __init__(self, port: Callable[..., Any], seed: int, budget: float) -> None:
        self._port, self._seed = port, seed
        code = getattr(port, "__code__", None)
        self._stack = Stack((code.co_filename,) if code else ())
        self._until = time.process_time() + budget
        self.noticed: set[Key] = set()
        self.missed: dict[Key, Missed] = {}
        self._untried: set[Key] = set()

    def extend(self, budget: float) -> None:
        """Give the planter this many more seconds of processor time from now on."""
        self._until = time.process_time() + budget

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return time.process_time() > self._until

    @property
    def skipped(self) -> int:
        """The number of faults that were never planted because time ran out."""
        return len(self._untried - self.noticed - self.missed.keys())

    def run(self, case: Arguments) -> Trail:
        """Record the port's run on a case."""
        return watch_jax(self._port, case, self._seed, self._stack)

    def plant(self, trail: Trail, only: Iterable[Key] | None = None) -> set[Key]:
        """Plant all faults that are not noticed yet into a run; return the faults that it notices.

        Args:
          trail: the port's run on a case.
          only: the faults to plant; all by default.
        """
        chosen = None if only is None else set(only)
        found: set[Key] = set()
        for key, one in _plantings(trail):
            if key in self.noticed or (chosen is not None and key not in chosen):
                continue
            if self.is_over:
                self._untried.add(key)
                continue
            changes = one.is_noticed()
            if changes:
                self.noticed.add(key)
                self.missed.pop(key, None)
                found.add(key)
            elif changes is not None:
                self.missed.setdefault(key, one.missed)
        return found


def _plantings(trail: Trail) -> Iterator[tuple[Key, Planting]]:
    values, useful = Values(trail), before(trail, list(trail.outputs.values()))
    groups: dict[tuple[str, int, str], list[Step]] = {}
    for step in trail.steps:
        if step.place != NOWHERE and not useful.isdisjoint(step.results):
            key = (step.place.file, step.place.line, step.name)
            groups.setdefault(key, []).append(step)
    for key, steps in groups.items():
        place = steps[0].place
        for fault in faults(trail, steps):
            shown = Missed(fault.kind, f"{place.shown}:{place.line}", place.text, fault.needs)
            run = functools.partial(_is_noticed, trail, values, useful, fault.instead)
            yield (*key, fault.kind), Planting(shown, run)


def _is_noticed(trail: Trail, values: Values, useful: set[int], instead: Any) -> bool | None:
    result = replay(trail, {}, {}, useful, instead=instead)
    if result is None:
        return None
    return any(
        not _same(trail.array(number), result[number], values.tolerance(number))
        for number in trail.outputs.values()
        if number in result
    )


def _same(own: np.ndarray | None, other: Any, tolerance: float) -> bool:
    a, b = flattened(own), flattened(np.asarray(other))
    if a is None or b is None or a.size != b.size:
        return np.shape(own) == np.shape(other)
    return same(a, b, max(tolerance, SINGLE))


def measured(planter: Planter, cases: Sequence[Arguments]) -> None:
    """Plant all faults into the port's runs on all cases."""
    for case in cases:
        trail = planter.run(case)
        if trail.error is None:
            planter.plant(trail)
