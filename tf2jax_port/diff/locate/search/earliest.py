"""Choose the injection to report, among several that make later values of the port correct."""

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
    """Chooses the injection to report.

    Args:
      trials: the state of the search.
    """

    def __init__(self, trials: Trials) -> None:
        self._trials = trials

    def of(self, partial: Sequence[Injection], last: Injection | None) -> Injection | None:
        """Return the injection to report: the last one, unless an earlier fault explains more.

        An injection puts a value of the original program into the port's run.

        Args:
          partial: the injections that fix some later values, in the order in which they were found.
          last: the injection that fixes an output, or `None`.
        """
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
        """Return the injections in `partial` whose values stay wrong once the last fault is fixed.

        An injection puts a value of the original program into the port's run.
        """
        if last is None or not any(found.step.number < last.step.number for found in partial):
            return partial
        partial = [found for found in partial if not self._counts_right(found, last)]
        changed = replay(self._trials.new.trail, last.values, last.uses, self._trials.useful) or {}
        return [found for found in partial if not self._is_right_in(changed, found)]

    def _counts_right(self, found: Injection, last: Injection) -> bool:
        """Return whether an injection replaces an integer on a line that later computes a right integer.

        Only lines before that of `last` count.
        """
        if not self._trials.new.counts(found.new) or found.step.place == last.step.place:
            return False
        there = [
            step
            for step in self._trials.new.trail.steps[found.step.number : last.step.number]
            if step.places == found.step.places
        ]
        return any(self._trials.says(r) and bool(self._trials.twins(r)) for r in there[-1].results)

    def _is_right_in(self, changed: Mapping[int, Any], found: Injection) -> bool:
        """Return whether a replay makes an operation's result equal to a value of the original."""
        if found.kind != RESULT or found.new not in changed:
            return False
        flat = flattened(np.asarray(changed[found.new]))
        return self._trials.old_index.has(flat, self._trials.new.tolerance(found.new))
