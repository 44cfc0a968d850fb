"""Inject a value of the original into the port's run, replay the rest, and compare results."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tf2jax_port.diff.locate.match.frontier import Region, before, behind, region
from tf2jax_port.diff.locate.match.matching import Index, Values, agree, flattened, same
from tf2jax_port.diff.locate.search.replay import Changed, Uses, replay
from tf2jax_port.diff.locate.watch.places import NOWHERE
from tf2jax_port.diff.locate.watch.trail import Step, Trail

# The kinds of faults: the operation itself is wrong; an operation is missing between a value and its
# users; a value is used where another one should be; two values are exchanged; another operation is
# meant; a value from which both operands of an operation were computed is wrong.
RESULT, OMITTED, MISTAKEN, EXCHANGED = "result", "omitted", "mistaken", "exchanged"
MEANT, COMMON = "meant", "common"


# Operations whose results have the elements of their operands.
LAYOUT = {"reshape", "squeeze", "broadcast_in_dim", "transpose", "convert_element_type", "copy"}
COPIES = {*LAYOUT, "stop_gradient"}
_NONE: Mapping[int, int] = {}
# The layout of a value of a different size, which is not reshaped.
AS_IT_IS = -1


@dataclass(frozen=True, slots=True)
class Injection:
    """An injection of an original's value into the port's run, after which later values agree.

    Attributes:
      kind: the kind of fault.
      new: the value of the port that was replaced.
      old: the value of the original that replaced it.
      step: the operation of the port that is wrong, or that uses the wrong value.
      complete: whether all outputs that depend on the injected value then agree.
      mended: the number of later values that agree only with the injection.
      later: for each later value, the number of its step and whether it agrees.
      values: all replaced values, in every iteration of a loop.
      uses: the replaced uses of values.
      swapped: outputs that are exchanged, as values.
      only: whether no other replacement of its kind makes the outputs agree.
    """

    kind: str
    new: int
    old: int
    step: Step
    complete: bool
    mended: int
    later: tuple[tuple[int, bool], ...]
    values: Mapping[int, np.ndarray]
    uses: Uses
    swapped: Mapping[int, int] = field(default_factory=dict)
    only: bool = False

    @property
    def part(self) -> float:
        """The fraction of `later` values, those the injection changes downstream, that then agree with the original."""
        return self.mended / len(self.later)


class Injector:
    """Injects values of the original's run into a replay of the port's run.

    Args:
      old: the original's values.
      new: the port's values.
      pairs: a dict from output paths to the value numbers in the two runs.
    """

    def __init__(self, old: Values, new: Values, pairs: Mapping[str, tuple[int, int]]) -> None:
        self.old, self.new, self.pairs = old, new, pairs
        self.old_index, self.new_index = Index(old), Index(new)
        self._twins: dict[int, frozenset[int]] = {}
        self._behind: dict[int, set[int]] = {}
        self._shared: tuple[set[int], set[int]] = (set(), set())
        self.differing = [path for path in pairs if not self.agrees(path, {})]
        self.old_region = self.new_region = Region(frozenset(), frozenset())
        self.useful: set[int] = set()
        if self.differing:
            self.old_region, self.new_region = self._regions()
            self.useful = before(new.trail, [pairs[path][1] for path in self.differing])

    @property
    def known(self) -> set[int]:
        """The port's values that also occur in the original and on which differing outputs depend."""
        return self._shared[1]

    def twins(self, number: int) -> frozenset[int]:
        """Return the original's values that equal a value of the port."""
        if number not in self._twins:
            self._twins[number] = frozenset(self.new.twins(number, self.old_index))
        return self._twins[number]

    def kin(self, number: int) -> frozenset[int]:
        """Return the original's values that equal a value of the port after some permutation of axes."""
        twins, trail = self.twins(number), self.old.trail
        parts = {trail.parts(twin) for twin in twins}
        return twins.union(*map(trail.arrangements, parts))

    def behind(self, number: int) -> set[int]:
        """Return the original's values that depend on a value, including the value itself."""
        if number not in self._behind:
            self._behind[number] = behind(self.old.trail, number)
        return self._behind[number]

    def laid(self, old: int, new: int, turn: int = 0) -> np.ndarray | None:
        """Return an original's value in the shape of a value of the port; `None` if it does not fit.

        Args:
          old: the value of the original.
          new: the value of the port.
          turn: the index of the permutation of axes, or `AS_IT_IS` to leave the shape unchanged.
        """
        array, shape = self.old.trail.array(old), np.shape(self.new.trail.values[new])
        if turn == AS_IT_IS:
            return array
        if array is None:
            return None
        own = layouts(array, shape) if array.size == int(np.prod(shape)) else self.padded(old, new)
        return next(itertools.islice(own, turn, None), None)

    def padded(self, old: int, new: int) -> Iterator[np.ndarray]:
        """Yield a compact value of the original, padded like a value of the port, in every order that fits."""
        array = self.old.trail.array(old)
        for form in self.new.forms(new):
            if array is not None and form.array.size == array.size:
                yield form.restored(array)

    def tried(
        self,
        kind: str,
        step: Step,
        new: int,
        old: int,
        values: Mapping[int, np.ndarray],
        uses: Uses,
        swapped: Mapping[int, int] = _NONE,
    ) -> Injection | None:
        """Inject values, replay the port and return the injection; `None` if no later value agrees.

        Args:
          kind: the kind of fault.
          step: the operation that is wrong, or that uses the wrong value.
          new: the value of the port that is replaced.
          old: the value of the original that replaces it.
          values: all values to replace.
          uses: the uses of values to replace.
          swapped: outputs that are exchanged, as values.
        """
        if not values and not uses and not swapped:
            return None
        given = next((flattened(values[n]) for n in values), None)

        def promises(result: Changed) -> bool:
            return any(agrees for _, agrees in self._later(result, {*values, new}, given, old))

        result = replay(self.new.trail, values, uses, self.useful, promises)
        if result is None:
            return None
        reached = [
            p for p in self.differing if not {self.pairs[p][1]}.isdisjoint((*result, *swapped))
        ]
        if reached and all(self.agrees(path, result, swapped) for path in reached):
            later, complete = tuple((0, True) for _ in reached), True
        else:
            later, complete = self._later(result, {*values, new}, given, old), False
        mended = sum(agrees for _, agrees in later)
        if not mended:
            return None
        return Injection(kind, new, old, step, complete, mended, later, values, uses, swapped)

    def _regions(self) -> tuple[Region, Region]:
        """Find the values that occur in both runs; return the regions of all other values in each run."""
        self._shared = (
            _shared(self.old, self.new_index, {self.pairs[p][0] for p in self.differing}),
            _shared(self.new, self.old_index, {self.pairs[p][1] for p in self.differing}),
        )
        self._shared[1].difference_update(self._repeated())
        sides = enumerate((self.old, self.new))
        old, new = (
            region(values.trail, self._shared[side], {self.pairs[p][side] for p in self.differing})
            for side, values in sides
        )
        return old, new

    def _repeated(self) -> set[int]:
        """Return the shared values that the port computes again on a later line, and the original does not.

        The later line may have been meant to compute another value.
        """
        found: set[int] = set()
        for number in sorted(self._shared[1]):
            maker = self.new.trail.maker(number)
            if maker is None or maker.place == NOWHERE or not self.new.says_something(number):
                continue
            if len(maker.operands) == 1 and maker.name in COPIES:
                found |= {number} if maker.operands[0] in found else set()
                continue
            equal = self.new_index.equal_to(self.new.flat(number), self.new.tolerance(number))
            makers = [m for n in equal if (m := self.new.trail.maker(n)) is not None]
            mine = {m.places: m.number for m in reversed(makers) if m.name == maker.name}
            if maker.places == min(mine, key=lambda places: mine[places]):
                continue
            theirs = [m for t in self.twins(number) if (m := self.old.trail.maker(t)) is not None]
            if len(mine) > len({m.places for m in theirs}):
                found.add(number)
        return found

    def unshared(self, number: int) -> frozenset[int]:
        """Return the values that `new_region` would gain if a given value, and all equal to it, did not count as shared.

        `new_region` reaches from the differing outputs back to the nearest values that both runs share. The given value
        and its equals are left out.
        """
        outputs = {self.pairs[path][1] for path in self.differing}
        alike = set(self.new_index.equal_to(self.new.flat(number), self.new.tolerance(number)))
        values = region(self.new.trail, self._shared[1] - alike, outputs).values
        return values - self.new_region.values - alike

    def _later(
        self, result: Changed, replaced: Collection[int], given: np.ndarray | None, candidate: int
    ) -> tuple[tuple[int, bool], ...]:
        """Return, for each value that a replay changed, its step and whether the original has the value.

        Args:
          result: the changed values.
          replaced: the injected values, which are skipped.
          given: the injected array; values equal to it are skipped.
          candidate: the injected value of the original.
        """
        later = self.behind(candidate) & self.old_region.values - {candidate}
        found = []
        for changed, held in result.items():
            if changed in replaced or not self.new.says_something(changed):
                continue
            array = np.asarray(held)
            flat, tolerance = flattened(array), self.new.tolerance(changed)
            if flat is None or (given is not None and same(flat, given, tolerance)):
                continue
            short = [(flattened(form.array), True) for form in self.new.forms_of(array)]
            agrees = any(
                n in later
                for elements, lacks in ((flat, False), *short)
                for n in self.old_index.equal_to(elements, tolerance, lacks)
            )
            found.append((position(self.new, changed), agrees))
        return tuple(found)

    def agrees(self, path: str, result: Changed, swapped: Mapping[int, int] = _NONE) -> bool:
        """Return whether an output equals the original's after a replay with changed values.

        Args:
          path: the output.
          result: the changed values.
          swapped: outputs that are exchanged, as values.
        """
        old, new = self.pairs[path]
        new = swapped.get(new, new)
        return agree(self.old, self.new, old, new, result.get(new))


def _shared(values: Values, index: Index, outputs: Collection[int]) -> set[int]:
    """Return the values of one run that outputs depend on and that also occur in the other run."""
    trail = values.trail
    found: set[int] = set()
    for number in sorted(before(trail, outputs)):
        maker = trail.maker(number)
        twins = list(values.twins(number, index))
        if maker is not None and np.size(trail.values[number]) == 1:
            # A computed number may equal a literal by accident: 0.1 times a factor that is 1 here.
            twins = [twin for twin in twins if not is_literal(index.values.trail, twin)]
        if maker is None or values.says_something(number):
            is_shared = bool(twins)
        else:
            # Counts and flags may be equal by accident, unless they were computed from the same values.
            is_shared = all(o in found for o in maker.operands) and any(
                _same_pass(maker, trail, twin, index.values.trail) for twin in twins
            )
        if is_shared:
            found.add(number)
            found.update(trail.parts(number))
    return found


def is_literal(trail: Trail, number: int) -> bool:
    """Return whether a value is a constant of the program: no argument, and not computed."""
    return trail.makers[number] is None and number not in trail.names


def _same_pass(maker: Step, mine: Trail, twin: int, theirs: Trail) -> bool:
    """Return whether two values may correspond: in loops, only values of the same iteration do.

    Args:
      maker: the port's operation that computed the first value.
      mine: the port's run.
      twin: the second value, which is the original's.
      theirs: the original's run.
    """
    other = theirs.maker(twin)
    if other is None:
        return False
    loops = len(mine.passes(maker)[0]) > 1 and len(theirs.passes(other)[0]) > 1
    return not loops or maker.passed == other.passed


def layouts(array: np.ndarray, shape: tuple[int, ...]) -> Iterator[np.ndarray]:
    """Yield an array reshaped to a shape, then every transpose of it that has this shape."""
    yield array.reshape(shape)
    squeezed = array.squeeze()
    wanted = tuple(size for size in shape if size != 1)
    if array.shape == shape or not 2 <= squeezed.ndim <= 4:
        return
    for order in itertools.islice(itertools.permutations(range(squeezed.ndim)), 1, None):
        turned = squeezed.transpose(order)
        if turned.shape == wanted:
            yield turned.reshape(shape)


def position(values: Values, number: int) -> int:
    """Return the number of the step that computed a value; -1 for inputs and constants."""
    maker = values.trail.makers[number]
    return -1 if maker is None else maker


def together(
    mine: Sequence[Sequence[Step]], theirs: Sequence[Sequence[Step]], at: Step
) -> list[tuple[Sequence[Step], Sequence[Step]]]:
    """Pair executions of an operation of the port with executions of an operation of the original.

    The numbers of executions may be equal; or the original may have several for each one of the
    port, in nested loops; or one program may leave a loop earlier than the other.

    Args:
      mine: groups of executions of the port's operation: those in its loop, then those in all calls
        of its function.
      theirs: the same groups for the original's operation.
      at: the execution of the original's operation to include if it has several for each one of the
        port.
    """
    found = [(a, b) for a in mine for b in theirs if len(a) == len(b) > 1]
    for a, b in itertools.product(mine, theirs):
        inner, rest = divmod(len(b), len(a))
        if inner > 1 and not rest and len(a) > 1 and at in b:
            found.append((a, b[b.index(at) % inner :: inner]))
    both = min(len(mine[0]), len(theirs[0]))
    if not found and both > 1:
        found.append((mine[0][:both], theirs[0][:both]))
    return found
