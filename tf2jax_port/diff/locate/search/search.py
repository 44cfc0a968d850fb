"""Search for the first operation of a port for which replacing the wrong result makes the outputs agree."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tf2jax_port.diff.locate.match.matching import Values
from tf2jax_port.diff.locate.search.candidates import Candidates, kind_of
from tf2jax_port.diff.locate.search.carried import wrong_carry
from tf2jax_port.diff.locate.search.constants import wrong_number
from tf2jax_port.diff.locate.search.earliest import Earliest
from tf2jax_port.diff.locate.search.exchanges import Exchanges
from tf2jax_port.diff.locate.search.injection import (
    AS_IT_IS,
    MISTAKEN,
    OMITTED,
    RESULT,
    Injection,
    position,
)
from tf2jax_port.diff.locate.search.meant import meant
from tf2jax_port.diff.locate.search.omissions import Omissions
from tf2jax_port.diff.locate.search.operands import with_wrong_operands
from tf2jax_port.diff.locate.search.origins import Origins
from tf2jax_port.diff.locate.search.trials import Trials
from tf2jax_port.diff.locate.watch.trail import Step

# In seconds of processor time, so that results do not depend on the machine's load.
BUDGET = 20.0
# The most candidates tried in every pass of a loop although they had no effect in one pass.
_IN_LOOPS = 4


class Search(Trials):
    """A search for the first divergence of two runs.

    Args:
      old: the original's values.
      new: the port's values.
      pairs: a dict from output paths to the value numbers in the two runs.
      until: the process time at which to give up; extended for a large program.

    Attributes:
      may_be_meant: whether to replace operations by alternatives if no injection fixes the port.
    """

    def __init__(
        self, old: Values, new: Values, pairs: Mapping[str, tuple[int, int]], until: float
    ) -> None:
        super().__init__(old, new, pairs, until)
        self._candidates = Candidates(self)
        self._origins = Origins(self, self._wrong_selection)
        self._omissions = Omissions(self, self._candidates, self._origins)
        self._exchanges = Exchanges(self)
        self._earliest = Earliest(self)
        self.may_be_meant = False

    def first(self) -> Injection | None:
        """Return the injection at the first divergence, or `None` if none is found."""
        told = wrong_number(self) or wrong_carry(self)
        if told is not None:
            return told
        partial: list[Injection] = []
        for at in sorted(self.new_region.values, key=lambda n: position(self.new, n)):
            if self.is_over:
                break
            for found in self._injections_at(at):
                picked = self._wrong_selection(found) if found.kind == OMITTED else None
                if picked is not None:
                    return picked
                if found.complete:
                    chosen = self._earliest.of(partial, with_wrong_operands(self, found))
                    return self._earlier_number(found) if chosen is found else chosen
                partial.append(found)
        return (meant(self) if self.may_be_meant else None) or self._earliest.of(partial, None)

    def _earlier_number(self, found: Injection) -> Injection:
        """Return the injection of the right number literal, if the port uses a wrong one before `found`.

        In a closed form, the values between the two have no counterpart. If there is none, return `found`.
        """
        number = wrong_number(self, 1) if found.kind == RESULT else None
        if number is None or number.step.place == found.step.place:
            return found
        return number if number.step.number < found.step.number else found

    def _wrong_selection(self, found: Injection) -> Injection | None:
        """Blame a wrong flag or index, which selects among correct values, for a fault.

        An array of which each iteration of a loop uses a part can be blamed, too. Return the injection of
        the right flag, index or array, or `None` if none fixes the outputs.
        """
        in_passes = found.kind == MISTAKEN and len(found.values or found.uses) > 1
        for number in sorted(self.unshared(found.new)):
            step = self.new.trail.maker(number)
            is_whole = in_passes and self.new.says_something(number)
            if step is None or not (self.new.counts(number) or is_whole) or self.is_over:
                continue
            for earlier in self._result(number, step):
                if earlier.complete:
                    return earlier
        return None

    def _injections_at(self, number: int) -> Iterator[Injection]:
        """Yield injections at the operands of the operation that computed a value, then at its result."""
        step = self.new.trail.maker(number)
        if step is None:
            return
        edges = self._edges(step)
        for edge in edges:
            near = itertools.chain(
                self._omissions.before_use(edge, step, True), self._mistaken(edge, step)
            )
            for found in near:
                yield self._or_itself(found, number, step)
            yield from self._exchanges.at_use(edge, step)
        yield from self._result(number, step)
        # Far omissions can agree by accident, for example before a second normalization.
        for edge in edges:
            yield from self._omissions.before_use(edge, step, False)

    def _edges(self, step: Step) -> list[int]:
        """Return the operands of a step that occur in both runs, the most suspicious first.

        If two operands equal the same value of the original, the later one is more likely to be wrong.
        """
        edges = [o for o in dict.fromkeys(step.operands) if o in self.new_region.edge]
        again = [
            o
            for at, o in enumerate(edges)
            if self.says(o) and any(self.twins(o) & self.twins(e) for e in edges[:at])
        ]
        return again + [o for o in edges if o not in again]

    def _or_itself(self, found: Injection, number: int, step: Step) -> Injection:
        """Prefer an injection at an operation's result to `found`, one at its operand, if both fix the outputs.

        The injected result must be the same value as `found` injects, or must not depend on that value.
        """
        if found.complete:
            theirs = self.old.trail.maker(found.old)
            # The operation is present, but wrong; normalizing again correctly may change nothing.
            is_done = theirs is not None and kind_of(theirs) == step.name
            for result in self._result(number, step, traced=False):
                itself = is_done and result.old == found.old
                if result.complete and (itself or result.old not in self.behind(found.old)):
                    return self._origins.traced(result)
        return found

    def _result(self, number: int, step: Step, traced: bool = True) -> Iterator[Injection]:
        best: Injection | None = None
        for rank, (other, array, turn) in enumerate(self._candidates.for_result(number, step)):
            found = self._as_missing_transpose(
                self.tried(RESULT, step, number, other, {number: array}, {}), turn
            )
            if (found is not None and not found.complete) or (found is None and rank < _IN_LOOPS):
                found = self.in_every_pass(RESULT, step, step, number, other, turn) or found
            if found is not None and found.complete:
                found = self._wrong_part(found) or found
                # A count that the original has too may be right.
                found = (self._omissions.done_later(found) if self.twins(number) else None) or found
                yield self._origins.traced(found) if traced else found
                return
            if found is not None and (best is None or found.mended > best.mended):
                best = found
        if best is not None:
            yield best

    def _wrong_part(self, found: Injection) -> Injection | None:
        """Return an injection at the operation that selects the wrong part of a value, or `None`.

        An injection puts a value of the original program into the port's run.

        Args:
          found: an injection of an array whose size differs from that of the replaced value.
        """
        array = found.values.get(found.new)
        if array is None or array.size == self.size(found.new):
            return None
        for user in self.new.trail.users(found.new):
            for result in user.results:
                laid = self.laid(found.old, result)
                if laid is None or self.size(result) != array.size:
                    continue
                part = self.tried(RESULT, user, result, found.old, {result: laid}, {})
                if part is not None and part.complete:
                    return part
        return None

    def _as_missing_transpose(self, found: Injection | None, turn: int) -> Injection | None:
        """Reclassify an injection as an omitted transpose, if it only exchanges axes.

        Return the reclassified injection; any other injection is returned unchanged.
        """
        if (
            found is None
            or turn != AS_IT_IS
            or found.values[found.new].size != self.size(found.new)
        ):
            return found
        users = [
            s
            for s in self.new.trail.users(found.new)
            if not self.new_region.values.isdisjoint(s.results)
        ]
        return replace(found, kind=OMITTED, step=users[0]) if users else found

    def _mistaken(self, edge: int, step: Step) -> Iterator[Injection]:
        """Yield an injection of another value in place of a shared value, if that fixes the outputs.

        A shared value occurs in the runs of both programs.

        Args:
          edge: the shared value, by its number in the port's run.
          step: the operation that uses it.
        """
        if not self.says(edge) or not self.is_fresh(MISTAKEN, edge, step.place):
            return
        for other, array, _ in self._candidates.for_mistaken(edge, step):
            for uses in self.uses_of(edge, step, array, other):
                found = self.tried(MISTAKEN, step, edge, other, {}, uses)
                if found is not None and found.complete:
                    yield self._wrong_selection(found) or self._origins.traced(found)
                    return
