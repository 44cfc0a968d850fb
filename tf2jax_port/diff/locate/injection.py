"""Which operation it is: the original's value is put into the port, and the rest agrees."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.locate.frontier import Region, before, behind, region
from tf2jax_port.diff.locate.matching import Index, Values, flattened, same, size_of
from tf2jax_port.diff.locate.replay import Changed, Uses, replay
from tf2jax_port.diff.locate.trail import Step

# How many of the original's values are tried at one place of the port.
_TRIES = 10
# How many of them may have another number of elements.
_RESIZED = 4
# In seconds.
BUDGET = 30.0
# Which part of what follows a place must agree, where the outputs do not.
_MOST = 0.5


@dataclass(frozen=True, slots=True)
class Injection:
    """A place of the port where the original's value makes what follows agree.

    Attributes:
      new: the value of the port that was replaced.
      old: the value of the original that replaced it.
      step: the operation of the port that gave the value; for an omission, the one that takes it.
      omitted: whether the original has an operation more between this value and its user.
      complete: whether all outputs that depend on it then agree.
      mended: how many later values agree that did not.
      later: for each value behind it the number of its step, and whether it agrees.
      values: everything that was replaced, in every pass of a loop.
      uses: the uses that were replaced.
    """

    new: int
    old: int
    step: Step
    omitted: bool
    complete: bool
    mended: int
    later: tuple[tuple[int, bool], ...]
    values: Mapping[int, np.ndarray]
    uses: Uses


class Search:
    """The search for the first difference between two runs.

    Args:
      old: the original's values.
      new: the port's.
      pairs: the outputs, as numbers of values in either.
      until: when to give up, on the monotonic clock.
    """

    def __init__(
        self, old: Values, new: Values, pairs: Mapping[str, tuple[int, int]], until: float
    ) -> None:
        self.old, self.new, self.pairs = old, new, pairs
        self.old_index, self.new_index = Index(old), Index(new)
        self._until = until
        self.differing = [path for path in pairs if not self._agrees(path, {})]
        self.old_region = self.new_region = Region(frozenset(), frozenset())
        self._useful: set[int] = set()
        if self.differing:
            self.old_region, self.new_region = self._regions()
            self._useful = before(new.trail, [pairs[path][1] for path in self.differing])

    def first(self) -> Injection | None:
        """The first place where the original's value mends the port."""
        partial: list[Injection] = []
        for number in sorted(self.new_region.values, key=self._position):
            if time.monotonic() > self._until:
                break
            for found in self._at(number):
                if found.complete:
                    return self._earliest(partial, found)
                partial.append(found)
        return self._earliest(partial, None)

    def _earliest(self, partial: Sequence[Injection], last: Injection | None) -> Injection | None:
        """The place to name: a mended output proves it, except where there is a fault before."""
        for found in partial:
            if last is not None and found.step.place == last.step.place:
                return last
            between = [
                agrees for step, agrees in found.later if last is None or step < last.step.number
            ]
            if sum(between) > 1 and sum(between) >= _MOST * len(between):
                return found
        return last or (partial[0] if partial else None)

    def _regions(self) -> tuple[Region, Region]:
        """What only the original has, and what only the port has."""
        found = []
        sides = ((self.old, self.new_index), (self.new, self.old_index))
        for side, (values, index) in enumerate(sides):
            outputs = {self.pairs[path][side] for path in self.differing}
            shared = {
                number
                for number in before(values.trail, outputs)
                if not (values.counts(number) and values.trail.makers[number] is not None)
                and index.has(values.flat(number), values.tolerance(number))
            }
            found.append(region(values.trail, shared, outputs))
        return found[0], found[1]

    def _position(self, number: int) -> int:
        maker = self.new.trail.makers[number]
        return -1 if maker is None else maker

    def _at(self, number: int) -> Iterator[Injection]:
        """What mends the port at one of its values: an operation left out before it, or itself."""
        step = self.new.trail.maker(number)
        if step is None:
            return
        for edge in dict.fromkeys(step.operands):
            if edge in self.new_region.edge:
                yield from self._omitted(edge, step)
        best: Injection | None = None
        for candidate, array in self._candidates(number):
            found = self._tried(step, {number: array}, {}, number, candidate)
            if found is not None and not found.complete:
                found = self._in_every_pass(found) or found
            if found is not None and found.complete:
                yield found
                return
            if found is not None and (best is None or found.mended > best.mended):
                best = found
        if best is not None:
            yield best

    def _omitted(self, edge: int, step: Step) -> Iterator[Injection]:
        """Whether the original does something more to a value before it is used."""
        flat = self.new.flat(edge)
        if flat is None or not self.new.says_something(edge):
            return
        twins = set(self.old_index.equal_to(flat, self.new.tolerance(edge)))
        for number in sorted((self.old_region.values | self.old_region.edge) - twins):
            maker, array = self.old.trail.maker(number), self.old.trail.array(number)
            if maker is None or array is None or array.size != flat.size:
                continue
            if self.old.counts(number) or not self._comes_from(maker, twins):
                continue
            for uses in self._uses(edge, step, array, maker.results.index(number), maker):
                found = self._tried(step, {}, uses, edge, number)
                if found is not None and (found.complete or len(uses) == 1):
                    yield found
                    return

    def _uses(
        self, edge: int, step: Step, array: np.ndarray, which: int, maker: Step
    ) -> Iterator[Uses]:
        """Which uses of a value are replaced: all, those on one line, in every pass, only one."""
        trail = self.new.trail
        laid = array.reshape(np.shape(trail.values[edge]))
        behind_it = [s for s in trail.steps[step.number :] if edge in s.operands]
        every = [s for s in behind_it if not self.new_region.values.isdisjoint(s.results)]
        yield {(s.number, edge): laid for s in every}
        yield {(s.number, edge): laid for s in every if s.place == step.place}
        position = step.operands.index(edge)
        for mine, theirs in self._together(step, maker):
            uses = {}
            for here, there in zip(mine, theirs):
                held = self._laid(there.results[which], here.operands[position])
                if held is not None:
                    uses[here.number, here.operands[position]] = held
            yield uses
        yield {(step.number, edge): laid}

    def _comes_from(self, maker: Step, twins: set[int]) -> bool:
        """Whether a step comes one or two operations after one of some values."""
        if not twins.isdisjoint(maker.operands):
            return True
        steps = (self.old.trail.maker(o) for o in maker.operands)
        return any(step is not None and not twins.isdisjoint(step.operands) for step in steps)

    def _candidates(self, number: int) -> list[tuple[int, np.ndarray]]:
        """The original's values that could stand here, the nearest first."""
        held, flat = self.new.trail.array(number), self.new.flat(number)
        if held is None or flat is None:
            return []
        found, resized = [], []
        for other in sorted(self.old_region.values | self.old_region.edge):
            array = self.old.trail.array(other)
            if array is None or self.old.trail.makers[other] is None or not array.size:
                continue
            if array.size != flat.size:
                if array.ndim == held.ndim > 0:
                    resized.append((abs(array.size - flat.size), other, array))
                continue
            for laid in layouts(array, held.shape):
                rank = (*self._unlike(number, other), _distance(flat, flattened(laid)))
                if rank[-1]:
                    found.append((rank, other, laid))
        found.sort(key=lambda entry: entry[:2])
        nearest = [(other, laid) for _, other, laid in found[:_TRIES]]
        resized.sort(key=lambda entry: entry[:2])
        return nearest + [(other, array) for _, other, array in resized[:_RESIZED]]

    def _unlike(self, new: int, old: int) -> tuple[bool, int]:
        """Whether one value is a count or a flag and the other is not, and how many passes apart."""
        apart = 0
        mine, theirs = self.new.trail.maker(new), self.old.trail.maker(old)
        if self.new.counts(new) and mine is not None and theirs is not None:
            apart = abs(mine.passed - theirs.passed)
        return self.new.counts(new) != self.old.counts(old), apart

    def _in_every_pass(self, found: Injection) -> Injection | None:
        """The same in every pass of a loop, or every call of a function."""
        maker = self.old.trail.maker(found.old)
        if maker is None:
            return None
        which, whose = found.step.results.index(found.new), maker.results.index(found.old)
        for mine, theirs in self._together(found.step, maker):
            values = {}
            for here, there in zip(mine, theirs):
                laid = self._laid(there.results[whose], here.results[which])
                if laid is not None:
                    values[here.results[which]] = laid
            again = self._tried(found.step, values, {}, found.new, found.old)
            if again is not None and again.complete:
                return again
        return None

    def _together(self, mine: Step, theirs: Step) -> Iterator[tuple[list[Step], list[Step]]]:
        """The passes of two steps, where there are as many of the one as of the other."""
        for some in self.new.trail.passes(mine):
            for others in self.old.trail.passes(theirs):
                if len(some) == len(others) > 1:
                    yield some, others

    def _laid(self, old: int, new: int) -> np.ndarray | None:
        """A value of the original in the shape of one of the port's."""
        array, shape = self.old.trail.array(old), np.shape(self.new.trail.values[new])
        if array is None or array.size != int(np.prod(shape)):
            return None
        return array.reshape(shape)

    def _tried(
        self, step: Step, values: Mapping[int, np.ndarray], uses: Uses, new: int, old: int
    ) -> Injection | None:
        """What comes of putting in some values; nothing if nothing is mended by it."""
        if not values and not uses:
            return None
        result = replay(self.new.trail, values, uses, self._useful)
        if result is None:
            return None
        reached = [p for p in self.differing if self.pairs[p][1] in result]
        if reached and all(self._agrees(path, result) for path in reached):
            later, complete = tuple((0, True) for _ in reached), True
        else:
            given = flattened(next(iter([*values.values(), *uses.values()])))
            later, complete = self._later(result, {*values, new}, given, old), False
        mended = sum(agrees for _, agrees in later)
        if not mended:
            return None
        return Injection(new, old, step, bool(uses), complete, mended, later, values, uses)

    def _later(
        self, result: Changed, replaced: set[int], given: np.ndarray | None, candidate: int
    ) -> tuple[tuple[int, bool], ...]:
        """For each value that came out otherwise its step, and whether the original has it now."""
        later = behind(self.old.trail, candidate) & self.old_region.values - {candidate}
        found = []
        for changed, held in result.items():
            if changed in replaced or not self.new.says_something(changed):
                continue
            flat = flattened(np.asarray(held))
            tolerance = self.new.tolerance(changed)
            if flat is None or (given is not None and same(flat, given, tolerance)):
                continue
            agrees = any(n in later for n in self.old_index.equal_to(flat, tolerance))
            found.append((self._position(changed), agrees))
        return tuple(found)

    def _agrees(self, path: str, result: Changed) -> bool:
        old, new = self.pairs[path]
        held = result.get(new)
        array = self.new.trail.array(new) if held is None else np.asarray(held)
        a, b = self.old.flat(old), flattened(array)
        if a is None or b is None:
            return np.shape(self.old.trail.array(old)) == np.shape(array)
        return same(a, b, max(self.old.tolerance(old), self.new.tolerance(new)))


def layouts(array: np.ndarray, shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """The ways to give an array a shape: as it is, in one row, its axes in another order."""
    yield array.reshape(shape)
    squeezed = array.squeeze()
    wanted = tuple(size for size in shape if size != 1)
    if array.shape == shape or not 2 <= squeezed.ndim <= 4:
        return
    for order in itertools.islice(itertools.permutations(range(squeezed.ndim)), 1, None):
        turned = squeezed.transpose(order)
        if turned.shape == wanted:
            yield turned.reshape(shape)


def _distance(a: np.ndarray, b: np.ndarray | None) -> float:
    if b is None:
        return np.inf
    both = np.isfinite(a) & np.isfinite(b)
    if not both.any():
        return 1.0
    a, b = a[both], b[both]
    scale = max(size_of(a), size_of(b))
    return float(np.sqrt(np.mean((a - b) ** 2))) / scale if scale else 0.0
