"""Search for operations of the original that the port omits before it uses a value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tf2jax_port.diff.locate.match.matching import SINGLE, flattened, same
from tf2jax_port.diff.locate.search.candidates import Candidates, kind_of
from tf2jax_port.diff.locate.search.earliest import MOST
from tf2jax_port.diff.locate.search.injection import (
    LAYOUT,
    OMITTED,
    RESULT,
    Injection,
    position,
)
from tf2jax_port.diff.locate.search.origins import Origins
from tf2jax_port.diff.locate.search.replay import replay
from tf2jax_port.diff.locate.search.trials import Trials
from tf2jax_port.diff.locate.watch.trail import Step


class Omissions:
    """Finds operations that the port omits between a value and its use.

    Args:
      trials: the state of the search.
      candidates: proposes values of the original.
      origins: traces faults back to their origins.
    """

    def __init__(self, trials: Trials, candidates: Candidates, origins: Origins) -> None:
        self._trials, self._candidates, self._origins = trials, candidates, origins

    def before_use(self, edge: int, step: Step, is_near: bool) -> Iterator[Injection]:
        """Find an operation that the port omits between a shared value and one of its uses.

        A shared value occurs in the runs of both programs. Yield the successful substitutions
        (`Injection`) of the operand by a value that the original computes from the shared value.

        Args:
          edge: the number of the shared value in the port.
          step: the operation that uses it.
          is_near: whether to try values one or two operations later, instead of those further on.
        """
        says_something = self._trials.new.says_something(edge)
        if not says_something and not (is_near and self._is_number(edge)):
            return
        if not self._trials.is_fresh(OMITTED, edge, step.place, is_near):
            return
        best: Injection | None = None
        maker = self._trials.new.trail.maker(edge)
        for other, array, turn in self._candidates.for_omitted(edge, is_near):
            found = None
            for uses in self._trials.uses_of(edge, step, array, other, turn):
                found = self._trials.tried(OMITTED, step, edge, other, {}, uses)
                if found is not None and found.complete:
                    break
                if found is None or not says_something:
                    continue
                # More uses must make more values agree.
                is_part = len(uses) == 1 or found.part >= MOST
                if is_part or (best is not None and found.mended > best.mended):
                    best = max(best or found, found, key=lambda one: one.part)
            if (found is None or not found.complete) and maker is not None:
                found = self._trials.in_every_pass(OMITTED, maker, step, edge, other, turn)
            if found is not None and found.complete:
                yield self._in_vain(found) or self.done_later(found) or found
                return
        if best is not None:
            yield best

    def _is_number(self, number: int) -> bool:
        """Return whether a value is a single float, or a float array with equal elements.

        Constants of the program do not count.
        """
        array = self._trials.new.trail.array(number)
        is_constant = (
            self._trials.new.trail.maker(number) is None
            and number not in self._trials.new.trail.names
        )
        if array is None or array.dtype.kind != "f" or is_constant or not array.size:
            return False
        return array.size == 1 or bool((array == array.flat[0]).all())

    def _in_vain(self, found: Injection) -> Injection | None:
        """Return an injection at the port's operation that seems omitted but only has no effect.

        It has no effect because another operand is wrong. Return `None` if there is no such operation.
        """
        theirs, maker = (
            self._trials.old.trail.maker(found.old),
            self._trials.new.trail.maker(found.new),
        )
        laid = self._trials.laid(found.old, found.new)
        if theirs is None or maker is None or laid is None or kind_of(theirs) != maker.name:
            return None
        if not any(self._trials.twins(o) & self._trials.twins(found.new) for o in maker.operands):
            return None
        done = self._trials.tried(RESULT, maker, found.new, found.old, {found.new: laid}, {})
        return self._origins.traced(done) if done is not None and done.complete else None

    def done_later(self, found: Injection) -> Injection | None:
        """Return an injection at a later operation that does the work of an omitted one wrongly.

        Return `None` if there is none. The later operation must leave a correct value unchanged, as
        clipping twice does.
        """
        right, held = self._trials.old.flat(found.old), self._trials.new.flat(found.new)
        if right is None or held is None or self._trials.is_over:
            return None
        again = {
            n
            for n in self._trials.behind(found.old)
            - {found.old}
            - set(self._trials.old.trail.arranged)
            if (flat := self._trials.old.flat(n)) is not None and same(flat, right, SINGLE)
            if (maker := self._trials.old.trail.maker(n)) and kind_of(maker) not in LAYOUT
        }
        changed = replay(self._trials.new.trail, found.values, found.uses, self._trials.useful)
        if again or changed is None:
            return None
        for number in sorted(changed, key=lambda n: position(self._trials.new, n)):
            step, before_it = self._trials.new.trail.maker(number), self._trials.new.flat(number)
            flat = flattened(np.asarray(changed[number]))
            if step is None or number in found.values or step.name in LAYOUT:
                continue
            if before_it is None or flat is None or not same(flat, right, SINGLE):
                continue
            laid = self._trials.laid(found.old, number)
            if laid is None or same(before_it, held, SINGLE) or same(before_it, flat, SINGLE):
                continue
            done = self._trials.tried(RESULT, step, number, found.old, {number: laid}, {})
            if done is not None and done.complete:
                return done
        return None
