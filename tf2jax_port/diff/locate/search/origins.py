"""Trace a wrong operand back to the operation that computed it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tf2jax_port.diff.locate.match.matching import SINGLE, flattened, same
from tf2jax_port.diff.locate.search.candidates import kind_of
from tf2jax_port.diff.locate.search.injection import LAYOUT, MISTAKEN, RESULT, Injection
from tf2jax_port.diff.locate.search.trials import Trials
from tf2jax_port.diff.locate.watch.trail import Step

_PICKING = {"max", "min", "clamp", "select_n", "reduce_max", "reduce_min"}


class Origins:
    """Traces a located fault back to its origin.

    Args:
      trials: the state of the search.
      picked: a function that returns the injection at an operation that selects the wrong one of
        several correct values, if any.
    """

    def __init__(self, trials: Trials, picked: Callable[[Injection], Injection | None]) -> None:
        self._trials, self._picked = trials, picked

    def traced(self, found: Injection) -> Injection:
        """Trace a fault back to the operation that computed the wrong value.

        Return the injection of the right value at that operation.
        """
        found = self._unconverted(found) or found
        for _ in range(len(self._trials.new.trail.steps)):
            if not found.uses:
                earlier = self._earlier(found)
                if earlier is None:
                    return found
                picked = self._picked(earlier)
                if picked is not None:
                    return picked
                found = earlier
            maker, laid = (
                self._trials.new.trail.maker(found.new),
                self._trials.laid(found.old, found.new),
            )
            if maker is None or laid is None or self._is_rightly_used(found):
                return found
            if self._is_rightly_computed(found.new, maker):
                return found
            new, old = found.new, found.old
            whole = self._trials.tried(MISTAKEN, maker, new, old, {new: laid}, {})
            if whole is None or not whole.complete:
                whole = self._trials.in_every_pass(MISTAKEN, maker, maker, new, old)
            if whole is None or not whole.complete:
                return found
            found = whole
        return found

    def _unconverted(self, found: Injection) -> Injection | None:
        """Blame the computation of an integer for a wrong value that was converted from the integer.

        Return the injection of the right integer, or `None` if it does not fix the outputs.
        """
        step = found.step
        maker = self._trials.new.trail.maker(step.operands[0]) if step.operands else None
        if found.kind != RESULT or step.name != "convert_element_type" or maker is None:
            return None
        edge, right = step.operands[0], found.values.get(found.new)
        held = self._trials.new.trail.array(edge)
        if (
            edge not in self._trials.new_region.values
            or held is None
            or held.dtype.kind not in "iu"
        ):
            return None
        if right is None or len(found.values) > 1 or np.any(right != np.rint(right)):
            return None
        counts = right.astype(held.dtype)
        earlier = self._trials.tried(RESULT, maker, edge, found.old, {edge: counts}, {})
        return earlier if earlier is not None and earlier.complete else None

    def _is_rightly_used(self, found: Injection) -> bool:
        """Return whether another operation of the port uses the operand as the original program does.

        Then the operand is right, and only the given use of it is wrong.
        """
        others = [
            s
            for s in self._trials.new.trail.users(found.new)
            if (s.number, found.new) not in found.uses
        ]
        twins = self._trials.twins(found.new)
        results = (
            r for s in others if s.name not in LAYOUT for r in s.results if self._trials.says(r)
        )
        makers = (
            self._trials.old.trail.maker(twin) for r in results for twin in self._trials.twins(r)
        )
        return any(maker is not None and twins & {*maker.operands} for maker in makers)

    def _is_rightly_computed(self, number: int, maker: Step) -> bool:
        """Return whether the port computes a value as the original does, and on no other line.

        If so, the value is right, and only its use is wrong. If the port computes a value on two lines, one of these
        lines
        was probably meant to compute another value.
        """
        of, trail = self._trials, self._trials.new.trail
        if not of.new.says_something(number):
            return False
        equal = of.new_index.equal_to(of.new.flat(number), of.new.tolerance(number))
        makers = [m for n in equal if (m := trail.maker(n)) is not None]
        if any(m.name == maker.name and m.place != maker.place for m in makers):
            return False
        if not all(of.twins(o) for o in maker.operands if of.new.says_something(o)):
            return False
        theirs = [of.old.trail.maker(twin) for twin in of.twins(number)]
        return any(one is None or kind_of(one) == maker.name for one in theirs)

    def _earlier(self, found: Injection) -> Injection | None:
        """Blame a single wrong operand of an operation, if the operand alone explains the fault.

        Return the injection of the right operand, or `None` if no operand explains the fault.
        """
        step, theirs = found.step, self._trials.old.trail.maker(found.old)
        if theirs is None:
            return None
        before_it = [
            theirs,
            *(m for o in theirs.operands if (m := self._trials.old.trail.maker(o))),
        ]
        right = flattened(found.values.get(found.new))
        for edge in step.operands:
            if edge in self._trials.new_region.values or not (
                self._trials.says(edge) or self._is_picked(edge)
            ):
                continue
            for other in dict.fromkeys([found.old, *(o for s in before_it for o in s.operands)]):
                maker = self._trials.old.trail.maker(other)
                if maker is not None and maker.key == theirs.key and other != found.old:
                    # This is the same value in another pass of a loop.
                    continue
                laid, flat = self._trials.laid(other, edge), self._trials.old.flat(other)
                if (
                    laid is None
                    or flat is None
                    or right is None
                    or other in self._trials.twins(edge)
                ):
                    continue
                if self._trials.new.counts(edge) != self._trials.old.counts(other):
                    continue
                if same(flat, right, SINGLE) and not self._hands_on(step, edge, found.new):
                    continue
                for uses in self._trials.uses_of(edge, step, laid, other):
                    earlier = self._trials.tried(MISTAKEN, step, edge, other, {}, uses)
                    if earlier is not None and earlier.complete:
                        return earlier
        return None

    def _is_picked(self, number: int) -> bool:
        """Return whether a value is a float selected from several, which may match by coincidence."""
        maker, array = self._trials.new.trail.maker(number), self._trials.new.trail.array(number)
        is_float = array is not None and array.size == 1 and array.dtype.kind == "f"
        return is_float and maker is not None and maker.name in _PICKING

    def _hands_on(self, step: Step, edge: int, result: int) -> bool:
        """Return whether an operation only returns its operand, unchanged or in a different layout."""
        given, taken = self._trials.new.trail.array(result), self._trials.new.trail.array(edge)
        is_same = (
            self._trials.new.counts(edge) and given is not None and np.array_equal(given, taken)
        )
        return step.name in LAYOUT or is_same
