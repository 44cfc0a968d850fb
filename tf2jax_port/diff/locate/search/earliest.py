"""Choose which of the places where an injection has an effect is reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.match.matching import flattened
from tf2jax_port.diff.locate.search.injection import RESULT, Injection
from tf2jax_port.diff.locate.search.replay import replay
from tf2jax_port.diff.locate.search.trials import Trials

# The fraction of later values that must agree if the outputs do not.
MOST = 0.5


class Earliest:
    """Chooses among the places that were found."""

    def __init__(self, trials: Trials) -> None:
        self._trials = trials

    def of(self, partial: Sequence[Injection], last: Injection | None) -> Injection | None:
        """Return the place to report: the last, which fixes an output, unless a fault precedes it."""
        for found in self._unexplained(partial, last):
            if last is not None and found.step.place == last.step.place:
                return last
            if last is not None and (last.step.number, True) in found.later:
                # The last place only passes on a value that is right by then; another fault hid that.
                return found
            between = [
                agrees for step, agrees in found.later if last is None or step < last.step.number
            ]
            if sum(between) > 1 and sum(between) >= MOST * len(between):
                return found
        return last or (partial[0] if partial else None)

    def _unexplained(
        self, partial: Sequence[Injection], last: Injection | None
    ) -> Sequence[Injection]:
        """Exclude the places whose results are right, or become right once the last place is fixed."""
        if last is None or not any(found.step.number < last.step.number for found in partial):
            return partial
        partial = [found for found in partial if not self._counts_right(found, last)]
        changed = replay(self._trials.new.trail, last.values, last.uses, self._trials.useful) or {}
        return [found for found in partial if not self._is_right_in(changed, found)]

    def _counts_right(self, found: Injection, last: Injection) -> bool:
        """Return whether a line before the last place computes counts or indices correctly."""
        if not self._trials.new.counts(found.new) or found.step.place == last.step.place:
            return False
        there = [
            step
            for step in self._trials.new.trail.steps[found.step.number : last.step.number]
            if step.places == found.step.places
        ]
        return any(self._trials.says(r) and bool(self._trials.twins(r)) for r in there[-1].results)

    def _is_right_in(self, changed: Mapping[int, Any], found: Injection) -> bool:
        """Return whether a result equals one of the original's once other values are changed."""
        if found.kind != RESULT or found.new not in changed:
            return False
        flat = flattened(np.asarray(changed[found.new]))
        return self._trials.old_index.has(flat, self._trials.new.tolerance(found.new))
