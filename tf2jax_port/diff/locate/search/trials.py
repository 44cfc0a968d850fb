"""Try injections at selected uses of values and in all iterations of loops."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.match.matching import Values
from tf2jax_port.diff.locate.search.injection import (
    AS_IT_IS,
    LAYOUT,
    OMITTED,
    Injection,
    Injector,
    together,
)
from tf2jax_port.diff.locate.search.replay import Uses
from tf2jax_port.diff.locate.watch.trail import Step

# Extra seconds for a large program, in which each trial runs a network.
_PER_ELEMENT, _MOST_MORE = 2e-6, 270.0


class Trials(Injector):
    """An injector with a time limit that never repeats a trial.

    Args:
      old: the original's values.
      new: the port's values.
      pairs: a dict from output paths to the value numbers in the two runs.
      until: the process time at which to give up; extended for a large program.
    """

    def __init__(
        self, old: Values, new: Values, pairs: Mapping[str, tuple[int, int]], until: float
    ) -> None:
        super().__init__(old, new, pairs)
        elements = sum(int(np.size(held)) for held in new.trail.values)
        self._until = until + min(_MOST_MORE, elements * _PER_ELEMENT)
        self._done: set[object] = set()

    def tried(self, *words: Any) -> Injection | None:
        """Put values of the original into the port's run, and compare the values computed after them.

        Return the injection; `None` if no later value agrees with the original's or time is up.
        """
        return None if self.is_over else super().tried(*words)

    @property
    def is_over(self) -> bool:
        """Whether the time limit is reached."""
        return time.process_time() > self._until

    def says(self, number: int) -> bool:
        """Return whether a value is so distinctive that an equal one is no coincidence.

        Integer arrays are distinctive here; booleans, constant arrays and single numbers are not.
        """
        flat, array = self.new.flat(number), self.new.trail.array(number)
        if flat is None or array is None or array.dtype.kind == "b":
            return False
        return flat.size > 1 and bool(np.ptp(flat) if np.isfinite(flat).all() else True)

    def is_fresh(self, *what: object) -> bool:
        """Record a trial; return whether it was not made before."""
        is_new = what not in self._done
        self._done.add(what)
        return is_new

    def size(self, number: int) -> int:
        """Return the number of elements of a value of the port."""
        return int(np.size(self.new.trail.values[number]))

    def uses_of(
        self, edge: int, step: Step, array: np.ndarray, other: int, turn: int = 0
    ) -> Iterator[Uses]:
        """Yield dicts from uses of a value to the arrays that replace it there, one per trial.

        The trials cover all relevant uses, all uses, the uses on one line, those in every
        iteration, and one use.

        Args:
          edge: the value of the port.
          step: an operation that uses it.
          array: the replacement.
          other: the value of the original from which the replacement comes.
          turn: the index of the order of axes, or `AS_IT_IS`.
        """
        trail = self.new.trail
        laid = array if turn == AS_IT_IS else array.reshape(np.shape(trail.values[edge]))
        every = [
            s
            for s in trail.users(edge)
            if s.number == step.number or not self.new_region.values.isdisjoint(s.results)
        ]
        yield {(s.number, edge): laid for s in every}
        # A sum that lacks a scale may accidentally equal the mean of a scaled value.
        if len(every) < len(trail.users(edge)):
            yield {(s.number, edge): laid for s in trail.users(edge)}
        here = {(s.number, edge): laid for s in every if s.place == step.place}
        if len(here) < len(every):
            yield here
        maker = self.old.trail.maker(other)
        if maker is not None:
            which, at = maker.results.index(other), step.operands.index(edge)
            those = self.old.trail.passes_and_likes(maker)
            for mine, theirs in together(trail.passes_and_likes(step), those, maker):
                if not self.is_fresh(
                    "uses", mine[0].number, at, theirs[0].number, which, len(mine)
                ):
                    continue
                uses: dict[tuple[int, int], Any] = {}
                everywhere: dict[tuple[int, int], Any] = {}
                for one, there in zip(mine, theirs):
                    held = self.laid(there.results[which], one.operands[at], turn)
                    if held is not None:
                        uses[one.number, one.operands[at]] = held
                        if held.size == self.size(one.operands[at]):
                            everywhere |= self._everywhere(one.operands[at], held)
                yield uses
                if everywhere.keys() - uses.keys():
                    yield everywhere
        if len(here) > 1:
            yield {(step.number, edge): laid}

    def in_every_pass(
        self, kind: str, maker: Step, step: Step, number: int, other: int, turn: int = 0
    ) -> Injection | None:
        """Inject values in every iteration of a loop, or every call of a function.

        Return the injection, or `None` if it does not fix the outputs.

        Args:
          kind: the kind of fault.
          maker: the operation that computed the value.
          step: the operation to report.
          number: the value of the port.
          other: the value of the original.
          turn: the index of the order of axes, or `AS_IT_IS`.
        """
        theirs = self.old.trail.maker(other)
        if theirs is None:
            return None
        which, whose = maker.results.index(number), theirs.results.index(other)
        passes = self.old.trail.passes_and_likes(theirs)
        for mine, others in together(self.new.trail.passes_and_likes(maker), passes, theirs):
            firsts = mine[0].results[which], others[0].results[whose]
            if not self.is_fresh(kind, firsts, turn, len(mine)):
                continue
            given = {h.results[which]: t.results[whose] for h, t in zip(mine, others)}
            unlike = next((n for n, o in given.items() if o not in self.twins(n)), number)
            if kind == OMITTED and not self.twins(unlike):
                continue  # a value without counterpart does not lack an operation
            values = {}
            for here, there in zip(mine, others):
                laid = self.laid(there.results[whose], here.results[which], turn)
                if laid is not None:
                    values[here.results[which]] = laid
            found = self.tried(kind, step, number, other, values, {})
            if found is not None and found.complete:
                return replace(found, old=given.get(number, other))
        return None

    def _everywhere(self, number: int, held: np.ndarray) -> Uses:
        """Return replacements for all uses of a value, or of the array from which it was reshaped."""
        trail = self.new.trail
        while (maker := trail.maker(number)) is not None and maker.name in LAYOUT - {"transpose"}:
            if self.size(maker.operands[0]) != held.size:
                break
            number = maker.operands[0]
        shaped = held.reshape(np.shape(trail.values[number]))
        return {(user.number, number): shaped for user in trail.users(number)}
