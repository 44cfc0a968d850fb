"""The search for the first place of a port where the original's value mends what follows."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.candidates import Candidates, kind_of
from tf2jax_port.diff.locate.constants import wrong_number
from tf2jax_port.diff.locate.injection import (
    AS_IT_IS,
    EXCHANGED,
    MISTAKEN,
    OMITTED,
    RESULT,
    Injection,
    Injector,
    position,
    together,
)
from tf2jax_port.diff.locate.matching import SINGLE, Values, flattened, same
from tf2jax_port.diff.locate.meant import meant
from tf2jax_port.diff.locate.replay import Uses, replay
from tf2jax_port.diff.locate.trail import Step

# In seconds of the processor, so that a busy machine finds the same.
BUDGET = 60.0
# What a large program gets besides, in which one try is one run of a network.
_PER_ELEMENT, _MOST_MORE = 2e-6, 270.0
# Which part of what follows a place must agree, where the outputs do not.
_MOST = 0.5
# How many candidates are tried in every pass of a loop though they mend nothing in one pass.
_IN_LOOPS = 4
# Operations whose results have the elements of their operands.
_PICKING = {"max", "min", "clamp", "select_n", "reduce_max", "reduce_min"}
_LAYOUT = {"reshape", "squeeze", "broadcast_in_dim", "transpose", "convert_element_type", "copy"}


class Search(Injector):
    """The search for the first difference between two runs.

    Args:
      old: the original's values.
      new: the port's.
      pairs: the outputs, as numbers of values in either.
      until: when to give up, on the clock of the process; later for a large program.

    Attributes:
      may_be_meant: whether, where no value mends the port, its operations are exchanged for others.
    """

    def __init__(
        self, old: Values, new: Values, pairs: Mapping[str, tuple[int, int]], until: float
    ) -> None:
        super().__init__(old, new, pairs)
        elements = sum(int(np.size(held)) for held in new.trail.values)
        self._until = until + min(_MOST_MORE, elements * _PER_ELEMENT)
        self._candidates = Candidates(self)
        self._done: set[object] = set()
        self.may_be_meant = False

    def first(self) -> Injection | None:
        """The first place where the original's value mends the port."""
        number = wrong_number(self)
        if number is not None:
            return number
        partial: list[Injection] = []
        for at in sorted(self.new_region.values, key=lambda n: position(self.new, n)):
            if self.is_over:
                break
            for found in self._at(at):
                picked = self._picked(found) if found.kind == OMITTED else None
                if picked is not None:
                    return picked
                if found.complete:
                    return self._earliest(partial, found)
                partial.append(found)
        return (meant(self) if self.may_be_meant else None) or self._earliest(partial, None)

    def tried(self, *words: Any) -> Injection | None:
        """What comes of putting in some values; nothing when time is up."""
        return None if self.is_over else super().tried(*words)

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return time.process_time() > self._until

    def _picked(self, found: Injection) -> Injection | None:
        """Whether something is wrong that only the port has, and that a right value is picked from.

        It is a flag or a place, or, where each pass of a loop uses a part of it, an array.
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

    def _earliest(self, partial: Sequence[Injection], last: Injection | None) -> Injection | None:
        """The place to name: a mended output proves it, except where there is a fault before."""
        for found in self._unexplained(partial, last):
            if last is not None and found.step.place == last.step.place:
                return last
            if last is not None and (last.step.number, True) in found.later:
                # The last only passes on what is right by then; another fault hid that.
                return found
            between = [
                agrees for step, agrees in found.later if last is None or step < last.step.number
            ]
            if sum(between) > 1 and sum(between) >= _MOST * len(between):
                return found
        return last or (partial[0] if partial else None)

    def _unexplained(
        self, partial: Sequence[Injection], last: Injection | None
    ) -> Sequence[Injection]:
        """Without the results that are right once the last place is, or as they are."""
        if last is None or not any(found.step.number < last.step.number for found in partial):
            return partial
        partial = [found for found in partial if not self._counts_right(found, last)]
        changed = replay(self.new.trail, last.values, last.uses, self.useful) or {}
        return [found for found in partial if not self._is_right_in(changed, found)]

    def _counts_right(self, found: Injection, last: Injection) -> bool:
        """Whether a line computes counts or places before the last place, and gives the original's."""
        if not self.new.counts(found.new) or found.step.place == last.step.place:
            return False
        there = [
            step
            for step in self.new.trail.steps[found.step.number : last.step.number]
            if step.places == found.step.places
        ]
        return any(self._says(r) and bool(self.twins(r)) for r in there[-1].results)

    def _is_right_in(self, changed: Mapping[int, Any], found: Injection) -> bool:
        """Whether a result is one of the original's where other values are changed."""
        if found.kind != RESULT or found.new not in changed:
            return False
        flat = flattened(np.asarray(changed[found.new]))
        return self.old_index.has(flat, self.new.tolerance(found.new))

    def _at(self, number: int) -> Iterator[Injection]:
        """What mends the port at one of its values: at what it is computed from, or itself."""
        step = self.new.trail.maker(number)
        if step is None:
            return
        edges = self._edges(step)
        for edge in edges:
            near = itertools.chain(self._omitted(edge, step, True), self._mistaken(edge, step))
            for found in near:
                yield self._or_itself(found, number, step)
            yield from self._exchanged(edge, step)
        yield from self._result(number, step)
        # Much that is left out leaves what is right again, where one normalises twice for example.
        for edge in edges:
            yield from self._omitted(edge, step, False)

    def _edges(self, step: Step) -> list[int]:
        """The operands that the original has too; first what is the same as one before it.

        Where two operands are one value of the original, the later is likelier to be meant as another.
        """
        edges = [o for o in dict.fromkeys(step.operands) if o in self.new_region.edge]
        again = [
            o
            for at, o in enumerate(edges)
            if self._says(o) and any(self.twins(o) & self.twins(e) for e in edges[:at])
        ]
        return again + [o for o in edges if o not in again]

    def _or_itself(self, found: Injection, number: int, step: Step) -> Injection:
        """The operation itself, where what it gives in the original does not come from its change."""
        if found.complete:
            theirs = self.old.trail.maker(found.old)
            # It is done, in another way: again, rightly, may change nothing where one normalises.
            is_done = theirs is not None and kind_of(theirs) == step.name
            for result in self._result(number, step, traced=False):
                itself = is_done and result.old == found.old
                if result.complete and (itself or result.old not in self.behind(found.old)):
                    return self._traced(result)
        return found

    def _result(self, number: int, step: Step, traced: bool = True) -> Iterator[Injection]:
        best: Injection | None = None
        for rank, (other, array, turn) in enumerate(self._candidates.for_result(number, step)):
            found = self._not_turned(
                self.tried(RESULT, step, number, other, {number: array}, {}), turn
            )
            if (found is not None and not found.complete) or (found is None and rank < _IN_LOOPS):
                found = self._in_every_pass(RESULT, step, step, number, other, turn) or found
            if found is not None and found.complete:
                found = self._taken_apart(found) or found
                # A count that the original has too may have been right.
                found = (self._done_later(found) if self.twins(number) else None) or found
                yield self._traced(found) if traced else found
                return
            if found is not None and (best is None or found.mended > best.mended):
                best = found
        if best is not None:
            yield best

    def _taken_apart(self, found: Injection) -> Injection | None:
        """What takes another part of a value than the original, where the part was put in its place."""
        array = found.values.get(found.new)
        if array is None or array.size == self._size(found.new):
            return None
        for user in self.new.trail.users(found.new):
            for result in user.results:
                laid = self.laid(found.old, result)
                if laid is None or self._size(result) != array.size:
                    continue
                part = self.tried(RESULT, user, result, found.old, {result: laid}, {})
                if part is not None and part.complete:
                    return part
        return None

    def _not_turned(self, found: Injection | None, turn: int) -> Injection | None:
        """What lacks only an exchange of axes before it is used."""
        if (
            found is None
            or turn != AS_IT_IS
            or found.values[found.new].size != self._size(found.new)
        ):
            return found
        users = [
            s
            for s in self.new.trail.users(found.new)
            if not self.new_region.values.isdisjoint(s.results)
        ]
        return replace(found, kind=OMITTED, step=users[0]) if users else found

    def _size(self, number: int) -> int:
        return int(np.size(self.new.trail.values[number]))

    def _omitted(self, edge: int, step: Step, is_near: bool) -> Iterator[Injection]:
        """Whether the original does something more to a value before it is used."""
        says_something = self.new.says_something(edge)
        if not says_something and not (is_near and self._is_number(edge)):
            return
        if not self._fresh(OMITTED, edge, step.place, is_near):
            return
        best: Injection | None = None
        maker = self.new.trail.maker(edge)
        for other, array, turn in self._candidates.for_omitted(edge, is_near):
            found = None
            for uses in self._uses(edge, step, array, other, turn):
                found = self.tried(OMITTED, step, edge, other, {}, uses)
                if found is not None and found.complete:
                    break
                if found is None or not says_something:
                    continue
                # Further uses must mend further values.
                is_part = len(uses) == 1 or found.part >= _MOST
                if is_part or (best is not None and found.mended > best.mended):
                    best = max(best or found, found, key=lambda one: one.part)
            if (found is None or not found.complete) and maker is not None:
                found = self._in_every_pass(OMITTED, maker, step, edge, other, turn)
            if found is not None and found.complete:
                yield self._in_vain(found) or self._done_later(found) or found
                return
        if best is not None:
            yield best

    def _is_number(self, number: int) -> bool:
        """Whether it is one number, or one everywhere, that the program was given or computed."""
        array = self.new.trail.array(number)
        is_constant = self.new.trail.maker(number) is None and number not in self.new.trail.names
        if array is None or array.dtype.kind != "f" or is_constant or not array.size:
            return False
        return array.size == 1 or bool((array == array.flat[0]).all())

    def _in_vain(self, found: Injection) -> Injection | None:
        """Whether nothing is left out: it was done, and gave what it took, of something wrong."""
        theirs, maker = self.old.trail.maker(found.old), self.new.trail.maker(found.new)
        laid = self.laid(found.old, found.new)
        if theirs is None or maker is None or laid is None or kind_of(theirs) != maker.name:
            return None
        if not any(self.twins(o) & self.twins(found.new) for o in maker.operands):
            return None
        done = self.tried(RESULT, maker, found.new, found.old, {found.new: laid}, {})
        return self._traced(done) if done is not None and done.complete else None

    def _done_later(self, found: Injection) -> Injection | None:
        """Whether nothing is left out: it is done later, wrongly, and leaves as it is what is right.

        To put a thing into its bucket again, or between its limits, changes nothing.
        """
        right, held = self.old.flat(found.old), self.new.flat(found.new)
        if right is None or held is None or self.is_over:
            return None
        again = {
            n
            for n in self.behind(found.old) - {found.old} - set(self.old.trail.arranged)
            if (flat := self.old.flat(n)) is not None and same(flat, right, SINGLE)
            if (maker := self.old.trail.maker(n)) and kind_of(maker) not in _LAYOUT
        }
        changed = replay(self.new.trail, found.values, found.uses, self.useful)
        if again or changed is None:
            return None
        for number in sorted(changed, key=lambda n: position(self.new, n)):
            step, before_it = self.new.trail.maker(number), self.new.flat(number)
            flat = flattened(np.asarray(changed[number]))
            if step is None or number in found.values or step.name in _LAYOUT:
                continue
            if before_it is None or flat is None or not same(flat, right, SINGLE):
                continue
            laid = self.laid(found.old, number)
            if laid is None or same(before_it, held, SINGLE) or same(before_it, flat, SINGLE):
                continue
            done = self.tried(RESULT, step, number, found.old, {number: laid}, {})
            if done is not None and done.complete:
                return done
        return None

    def _mistaken(self, edge: int, step: Step) -> Iterator[Injection]:
        """Whether another value should be used in the place of one."""
        if not self._says(edge) or not self._fresh(MISTAKEN, edge, step.place):
            return
        for other, array, _ in self._candidates.for_mistaken(edge, step):
            for uses in self._uses(edge, step, array, other):
                found = self.tried(MISTAKEN, step, edge, other, {}, uses)
                if found is not None and found.complete:
                    yield self._picked(found) or self._traced(found)
                    return

    def _unconverted(self, found: Injection) -> Injection | None:
        """Back to the count or the place that was converted to what is wrong."""
        step = found.step
        maker = self.new.trail.maker(step.operands[0]) if step.operands else None
        if found.kind != RESULT or step.name != "convert_element_type" or maker is None:
            return None
        edge, right = step.operands[0], found.values.get(found.new)
        held = self.new.trail.array(edge)
        if edge not in self.new_region.values or held is None or held.dtype.kind not in "iu":
            return None
        if right is None or len(found.values) > 1 or np.any(right != np.rint(right)):
            return None
        counts = right.astype(held.dtype)
        earlier = self.tried(RESULT, maker, edge, found.old, {edge: counts}, {})
        return earlier if earlier is not None and earlier.complete else None

    def _traced(self, found: Injection) -> Injection:
        """Back to where a value was computed that is used by mistake."""
        found = self._unconverted(found) or found
        for _ in range(len(self.new.trail.steps)):
            if not found.uses:
                earlier = self._earlier(found)
                if earlier is None:
                    return found
                picked = self._picked(earlier)
                if picked is not None:
                    return picked
                found = earlier
            maker, laid = self.new.trail.maker(found.new), self.laid(found.old, found.new)
            if maker is None or laid is None or self._is_rightly_used(found):
                return found
            new, old = found.new, found.old
            whole = self.tried(MISTAKEN, maker, new, old, {new: laid}, {})
            if whole is None or not whole.complete:
                whole = self._in_every_pass(MISTAKEN, maker, maker, new, old)
            if whole is None or not whole.complete:
                return found
            found = whole
        return found

    def _is_rightly_used(self, found: Injection) -> bool:
        """Whether something else takes the value too, and gives what the original computes from it."""
        others = [
            s for s in self.new.trail.users(found.new) if (s.number, found.new) not in found.uses
        ]
        twins = self.twins(found.new)
        results = (r for s in others if s.name not in _LAYOUT for r in s.results if self._says(r))
        makers = (self.old.trail.maker(twin) for r in results for twin in self.twins(r))
        return any(maker is not None and twins & {*maker.operands} for maker in makers)

    def _earlier(self, found: Injection) -> Injection | None:
        """Whether an operand is another one than the original's, and that is all."""
        step, theirs = found.step, self.old.trail.maker(found.old)
        if theirs is None:
            return None
        before_it = [theirs, *(m for o in theirs.operands if (m := self.old.trail.maker(o)))]
        right = flattened(found.values.get(found.new))
        for edge in step.operands:
            if edge in self.new_region.values or not (self._says(edge) or self._is_picked(edge)):
                continue
            for other in dict.fromkeys([found.old, *(o for s in before_it for o in s.operands)]):
                maker = self.old.trail.maker(other)
                if maker is not None and maker.key == theirs.key and other != found.old:
                    # The same in another pass of a loop.
                    continue
                laid, flat = self.laid(other, edge), self.old.flat(other)
                if laid is None or flat is None or right is None or other in self.twins(edge):
                    continue
                if self.new.counts(edge) != self.old.counts(other):
                    continue
                if same(flat, right, SINGLE) and not self._hands_on(step, edge, found.new):
                    continue
                for uses in self._uses(edge, step, laid, other):
                    earlier = self.tried(MISTAKEN, step, edge, other, {}, uses)
                    if earlier is not None and earlier.complete:
                        return earlier
        return None

    def _is_picked(self, number: int) -> bool:
        """Whether it is one number of several, so that it may be another's by accident."""
        maker, array = self.new.trail.maker(number), self.new.trail.array(number)
        is_float = array is not None and array.size == 1 and array.dtype.kind == "f"
        return is_float and maker is not None and maker.name in _PICKING

    def _hands_on(self, step: Step, edge: int, result: int) -> bool:
        """Whether an operation gives what it takes, in another form or, these places, as they are."""
        given, taken = self.new.trail.array(result), self.new.trail.array(edge)
        is_same = self.new.counts(edge) and given is not None and np.array_equal(given, taken)
        return step.name in _LAYOUT or is_same

    def _exchanged(self, edge: int, step: Step) -> Iterator[Injection]:
        """Whether two values are used for each other."""
        held = self.new.trail.array(edge)
        for other in self._partners(edge):
            value = self.new.trail.array(other)
            if held is None or value is None:
                continue
            alike = held.shape == value.shape and held.dtype == value.dtype
            if other == edge or not alike or not (self._says(edge) and self._says(other)):
                continue
            a, b = self.new.trail.maker(edge), self.new.trail.maker(other)
            if (a is None) != (b is None):
                continue
            keys = frozenset(
                (m.key, m.results.index(n)) if m else n for m, n in ((a, edge), (b, other))
            )
            twins = self.twins(other)
            if not twins or not self._fresh(EXCHANGED, keys, None):
                continue
            uses = self._crossed(edge, other)
            found = self.tried(EXCHANGED, step, edge, min(twins), {}, uses)
            if found is not None and found.complete:
                yield found
                return

    def _partners(self, edge: int) -> list[int]:
        """The values that one may be exchanged with: what else is used, or computed on its line."""
        found = set(self.new_region.edge)
        maker = self.new.trail.maker(edge)
        if maker is not None:
            for other in self.new.trail.steps:
                if other.places == maker.places and other.passed == maker.passed:
                    found.update(other.results)
        return sorted(found)

    def _crossed(self, one: int, other: int) -> Uses:
        """Every use of one value as one of the other, in every pass."""
        trail = self.new.trail
        a, b = trail.maker(one), trail.maker(other)
        pairs = [(one, other)]
        if a is not None and b is not None:
            i, j = a.results.index(one), b.results.index(other)
            passes = trail.passes(a)[0], trail.passes(b)[0]
            if len(passes[0]) == len(passes[1]):
                pairs = [(x.results[i], y.results[j]) for x, y in zip(*passes)]
        return {
            (user.number, mine): theirs
            for pair in pairs
            for mine, theirs in (pair, pair[::-1])
            for user in trail.users(mine)
        }

    def _uses(
        self, edge: int, step: Step, array: np.ndarray, other: int, turn: int = 0
    ) -> Iterator[Uses]:
        """Which uses of a value are replaced: those that matter, all, on one line, in every pass, one."""
        trail = self.new.trail
        laid = array if turn == AS_IT_IS else array.reshape(np.shape(trail.values[edge]))
        every = [
            s
            for s in trail.users(edge)
            if s.number == step.number or not self.new_region.values.isdisjoint(s.results)
        ]
        yield {(s.number, edge): laid for s in every}
        # A sum of what lacks a scale may be, by accident, the mean of what has it.
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
                if not self._fresh("uses", mine[0].number, at, theirs[0].number, which, len(mine)):
                    continue
                uses: dict[tuple[int, int], Any] = {}
                everywhere: dict[tuple[int, int], Any] = {}
                for one, there in zip(mine, theirs):
                    held = self.laid(there.results[which], one.operands[at], turn)
                    if held is not None:
                        uses[one.number, one.operands[at]] = held
                        if held.size == self._size(one.operands[at]):
                            everywhere |= self._everywhere(one.operands[at], held)
                yield uses
                if everywhere.keys() - uses.keys():
                    yield everywhere
        if len(here) > 1:
            yield {(step.number, edge): laid}

    def _everywhere(self, number: int, held: np.ndarray) -> Uses:
        """All uses of a value, and of what is the same in another shape."""
        trail = self.new.trail
        while (maker := trail.maker(number)) is not None and maker.name in _LAYOUT - {"transpose"}:
            if self._size(maker.operands[0]) != held.size:
                break
            number = maker.operands[0]
        shaped = held.reshape(np.shape(trail.values[number]))
        return {(user.number, number): shaped for user in trail.users(number)}

    def _in_every_pass(
        self, kind: str, maker: Step, step: Step, number: int, other: int, turn: int = 0
    ) -> Injection | None:
        """The same in every pass of a loop, or every call of a function."""
        theirs = self.old.trail.maker(other)
        if theirs is None:
            return None
        which, whose = maker.results.index(number), theirs.results.index(other)
        passes = self.old.trail.passes_and_likes(theirs)
        for mine, others in together(self.new.trail.passes_and_likes(maker), passes, theirs):
            firsts = mine[0].results[which], others[0].results[whose]
            if not self._fresh(kind, firsts, turn, len(mine)):
                continue
            given = {h.results[which]: t.results[whose] for h, t in zip(mine, others)}
            unlike = next((n for n, o in given.items() if o not in self.twins(n)), number)
            if kind == OMITTED and not self.twins(unlike):
                continue  # what is another value already lacks nothing
            values = {}
            for here, there in zip(mine, others):
                laid = self.laid(there.results[whose], here.results[which], turn)
                if laid is not None:
                    values[here.results[which]] = laid
            found = self.tried(kind, step, number, other, values, {})
            if found is not None and found.complete:
                return replace(found, old=given.get(number, other))
        return None

    def _says(self, number: int) -> bool:
        """Whether it matters which value it is: places count here, flags and single numbers do not."""
        flat, array = self.new.flat(number), self.new.trail.array(number)
        if flat is None or array is None or array.dtype.kind == "b":
            return False
        return flat.size > 1 and bool(np.ptp(flat) if np.isfinite(flat).all() else True)

    def _fresh(self, *what: object) -> bool:
        """Whether something has not been tried before."""
        is_new = what not in self._done
        self._done.add(what)
        return is_new
