"""Find the line on which plain Python or NumPy code computed a wrong operand."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from tf2jax_port.diff.locate.match.matching import SINGLE, flattened
from tf2jax_port.diff.locate.search.injection import RESULT, Injection, Injector
from tf2jax_port.diff.locate.watch.host import Host
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.locate.watch.reading import Statement, alike, statement, statements, word_of
from tf2jax_port.diff.locate.watch.trail import Step
from tf2jax_port.diff.values.attempt import Failure, attempt

# Functions with the same behavior and the same call syntax in both libraries.
SAME = {"exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "sin", "cos", "abs", "sign", "square"}
# Functions that introduce no constants of their own.
_PLAIN = SAME | {"sum", "where", "max", "min", "maximum", "minimum", "astype", "reshape", "stack"}
# The longest list of number literals that is read from source code.
_FEW_NUMBERS = 64
# Operations with sizes and positions as parameters, besides their operands.
_SIZED = {"slice", "dynamic_slice", "gather", "pad", "iota", "conv_general_dilated"}
_SIZED |= {"reduce_window_max", "reduce_window_min", "reduce_window_sum"}
_ARITHMETIC = {"Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow"}
# The fewest tokens of a line that is compared, and the token that reads sizes.
_LONG, _HAS_SIZES = 3, "shape"
# The least similarity to a line of the original.
_ENOUGH = 0.5


class Computed:
    """Finds the source lines on which plain Python or NumPy code computed a wrong operand.

    Args:
      of: the recorded runs of both programs.
      said: the statements of the original program, as token sequences.
      lines: the port's lines on which JAX computes, as pairs of file and line number.
    """

    def __init__(
        self,
        of: Injector,
        said: Collection[tuple[str, ...]],
        lines: Collection[tuple[str, int]],
    ) -> None:
        self._of, self._said, self._lines = of, said, lines

    def before(self, found: Injection) -> Place | None:
        """Return the line that computed a constant operand of the faulty operation, or `None`."""
        wrong, numbers = self._constants(found.step)
        return (
            self._by_statements(found, wrong)
            or self._by_numbers(found.step, wrong)
            or self._by_names(found.step, wrong, numbers)
            or self._by_sizes(found)
        )

    def number(self, found: Injection) -> Place | None:
        """Return the line that assigned a wrong number to a name used on several lines, or `None`."""
        steps = self._of.new.trail.steps
        using = [steps[number] for number, used in found.uses if used == found.new]
        places = [self._by_names(step, [found.new], ()) for step in using]
        return next((place for place in places if place is not None), None)

    def named(self, place: Place) -> Place | None:
        """Return the line that assigned a wrong value to a name that a correct line reads, or `None`.

        A line counts as correct if the original has the same line.
        """
        said = statement(place)
        if said is None or len(said.words) < _LONG or said.words not in self._said:
            return None
        found = {}
        for name in said.names:
            given = self._assignment_of(name, said, place)
            if given is None or given.words in self._said or self._original_has_number(name, place):
                continue
            content = _count_tokens(given)
            others = [s for s in self._original_statements() if name in s.targets]
            if _only_reads_sizes(given):
                continue
            if others and all(_count_tokens(other) != content for other in others):
                found[given.line] = given
        if len(found) != 1:
            return None
        return Place(place.file, next(iter(found)), place.function)

    def _assignment_of(self, name: str, said: Statement, place: Place) -> Statement | None:
        """Return the last assignment to a name before a statement, unless JAX computes it.

        Only values that plain Python or NumPy computed are of interest here. `None` if there is no
        such assignment.
        """
        everywhere = statements(place.file)
        given = [
            s
            for s in everywhere
            if name in s.targets
            and ((s.function == said.function and s.line < said.line) or not s.function)
        ]
        if given and _only_takes_apart(given[-1]):
            # A loop's state: its initial value is assigned outside of the loop's function.
            inside = next((s for s in everywhere if s.line == said.function), None)
            return self._assignment_of(name, inside, place) if inside is not None else None
        return given[-1] if given and (place.file, given[-1].line) not in self._lines else None

    def _original_has_number(self, name: str, place: Place) -> bool:
        """Return whether the original program also computes the number assigned to a name."""
        told = self._of.new.trail.host.called(name, place)
        if told is None or told.array.dtype.kind != "f":
            return False
        return self._is_right(self._of.new.trail.host.told.index(told))

    def _original_statements(self) -> Iterator[Statement]:
        files = {p.file for step in self._of.old.trail.steps for p in step.places}
        return itertools.chain.from_iterable(map(statements, sorted(files)))

    def _constants(self, step: Step) -> tuple[list[int], set[tuple[float, ...]]]:
        """Return the constants on an operation's line that may be wrong.

        These are its constants that do not occur in the original program, or that are the only operand of
        the operation. Also return the elements of all short constants on the line, each as a tuple.
        """
        of = self._of
        here = {step.number}
        wrong: list[int] = []
        numbers: set[tuple[float, ...]] = set()
        for other in reversed(of.new.trail.steps[: step.number + 1]):
            if other.number not in here or other.places != step.places:
                continue
            for operand in other.operands:
                maker = of.new.trail.maker(operand)
                if maker is not None:
                    here.add(maker.number)
                elif operand not in of.new.trail.names:
                    flat = of.new.flat(operand)
                    if flat is not None and flat.size <= _FEW_NUMBERS:
                        numbers.add(tuple(np.asarray(flat, np.float32).tolist()))
                    # An operation that only passes a number on is wrong because of the number.
                    alone = other is step and len(step.operands) == 1
                    wrong += [operand] if alone or operand in of.new_region.values else []
        return wrong, numbers

    def _by_numbers(self, step: Step, wrong: Collection[int]) -> Place | None:
        """Return the line that computed a wrong number with plain Python, which the operation's line reads.

        Return `None` if there is no such line, or more than one.
        """
        said, trail, places = statement(step.place), self._of.new.trail, set()
        flats = [flat for n in wrong if (flat := self._of.new.flat(n)) is not None]
        for name in said.names if said is not None else ():
            told = trail.host.called(name, step.place)
            if told is None or told.array.size != 1 or told.array.dtype.kind != "f":
                continue
            is_it = any(f.size == 1 and np.isclose(f[0], told.array, SINGLE, 0.0) for f in flats)
            words = statement(told.place)
            if is_it and words is not None and words.words not in self._said:
                is_right = self._is_right(trail.host.told.index(told))
                places |= set() if is_right else {told.place}
        return places.pop() if len(places) == 1 else None

    def _by_names(
        self, step: Step, wrong: list[int], numbers: Collection[tuple[float, ...]]
    ) -> Place | None:
        """Return the line that assigned a possibly wrong constant to a name, which the operation reads.

        Return `None` if there is no such line, or more than one.
        """
        place = step.place
        said = statement(place)
        # A library function may use constants of its own.
        if said is None or not said.calls <= _PLAIN:
            return None
        found: dict[Place, Statement] = {}
        for name in said.names:
            # Values that JAX computed there are known to be right; so are numbers used in another form.
            given = self._assignment_of(name, said, place)
            if given is None or _only_reads_sizes(given):
                continue
            told = tuple(np.asarray(given.numbers, np.float32).tolist())
            is_it = told in numbers if told else bool(wrong)
            if is_it and given.words not in self._said:
                found[Place(place.file, given.line, place.function)] = given
        # A value computed from another suspect is wrong because of that suspect.
        targets = {name for one in found.values() for name in one.targets}
        first = [place for place, one in found.items() if not targets & {*one.names}]
        return first[0] if len(first) == 1 else None

    def _by_statements(self, found: Injection, wrong: list[int]) -> Place | None:
        """Return the line of recorded Python or NumPy code that computed a wrong constant, or `None`."""
        host = self._of.new.trail.host
        for operand in wrong:
            flat = self._of.new.flat(operand)
            number = None if flat is None or flat.size < 2 else host.latest(flat)
            if number is None or self._is_right(number):
                continue
            written = self._writer_of_wrong_elements(found, operand, number)
            if written is not None:
                return written
            suspects = [n for n in host.before(number) if not self._is_right(n)]
            places = list(dict.fromkeys(host.told[n].place for n in suspects))
            likeness = {p: self._similarity(p) for p in places}
            best = max(places, key=lambda place: likeness[place])
            if likeness[best] >= _ENOUGH:
                return best
            first = [n for n in suspects if not {*host.told[n].operands} & {*suspects}]
            lines = {host.told[n].place for n in first}
            return lines.pop() if len(lines) == 1 else host.told[number].place
        return None

    def _by_sizes(self, found: Injection) -> Place | None:
        """Return the line whose integer arithmetic computed the operation's sizes or indices, or `None`."""
        said = statement(found.step.place)
        if found.kind != RESULT or found.step.name not in _SIZED or said is None:
            return None
        if _ARITHMETIC & {*said.words}:
            return None
        host, places = self._of.new.trail.host, set()
        for name in said.names:
            told = host.called(name, found.step.place)
            words = statement(told.place) if told is not None else None
            if (
                told is None
                or words is None
                or told.array.ndim
                or told.array.dtype.kind not in "iu"
            ):
                continue
            if _ARITHMETIC & {*words.words} and words.words not in self._said:
                places.add(told.place)
        return places.pop() if len(places) == 1 else None

    def _is_right(self, number: int) -> bool:
        """Return whether the original program also computed a recorded Python or NumPy result."""
        array = self._of.new.trail.host.told[number].array
        if self._of.old_index.has(flattened(array), 1e-6):
            return True
        return self._of.old.trail.host.latest(array) is not None

    def _similarity(self, place: Place) -> float:
        """Return how similar a line is to the closest line of the original; 0 if the lines are equal."""
        said = statement(place)
        if said is None or said.words in self._said:
            return 0.0
        return max((alike(said, s) for s in self._original_statements()), default=0.0)

    def _writer_of_wrong_elements(
        self, found: Injection, operand: int, number: int
    ) -> Place | None:
        """Return the line that wrote the wrong elements of an array that several lines fill, or `None`."""
        host = self._of.new.trail.host
        right, held = found.values.get(found.new), self._of.new.trail.array(found.new)
        array = self._of.new.trail.array(operand)
        is_it = found.kind == RESULT and operand in found.step.operands
        if not is_it or right is None or held is None or array is None:
            return None
        wrong = ~_nearly_equal(np.asarray(right), held)
        last = _last_writers(host, number, array.shape)
        # The line wrote them or should have: its rows or columns extend to them.
        for wider in (False, True):
            reached = {}
            for n, own in last.items():
                for part in _extend_along_axes(own) if wider else (own,):
                    hit = self._dependent_elements(
                        found.step, operand, np.where(part, np.nan, array)
                    )
                    if hit is not None and hit.shape == wrong.shape and hit[wrong].all():
                        reached[n] = int(hit.sum())
            if reached:
                return host.told[min(reached, key=lambda n: reached[n])].place
        return None

    def _dependent_elements(
        self, step: Step, operand: int, poisoned: np.ndarray
    ) -> np.ndarray | None:
        """Return a mask of the result elements that depend on given elements of an operand.

        The given elements are set to NaN, and the operation is run again; return `None` if that fails.
        """
        if step.again is None:
            return None
        values = self._of.new.trail.values
        result = attempt(
            step.again, [poisoned if o == operand else values[o] for o in step.operands]
        )
        return None if isinstance(result, Failure) else np.isnan(np.asarray(result[0], float))


def _only_reads_sizes(said: Statement) -> bool:
    """Return whether a statement reads sizes of an array, without arithmetic; these are always right."""
    return _HAS_SIZES in said.words and not _ARITHMETIC & {*said.words}


def _only_takes_apart(said: Statement) -> bool:
    """Return whether a statement only unpacks one name into several."""
    return len(said.names) == 1 < len(said.targets) and {*said.words} <= {
        *said.names,
        *said.targets,
    }


def _count_tokens(said: Statement) -> Counter[str]:
    """Count the tokens of a statement, without function names, which differ between the libraries."""
    called = {word_of(name) for name in said.calls}
    return Counter(word for word in said.words if word not in called and word != _HAS_SIZES)


def _last_writers(host: Host, number: int, shape: tuple[int, ...]) -> dict[int, np.ndarray]:
    """For each recorded write to an array, return a mask of its elements that were not overwritten."""
    taken, found = np.zeros(shape, bool), {}
    for n in sorted(host.before(number), reverse=True):
        written = host.told[n].written
        if written is not None and written.shape == shape:
            found[n] = written & ~taken
            taken |= written
    return found


def _extend_along_axes(part: np.ndarray) -> Iterator[np.ndarray]:
    """For each axis, yield the mask `part` extended to all elements along that axis."""
    for axis in range(part.ndim):
        yield np.broadcast_to(part.any(axis, keepdims=True), part.shape)


def _nearly_equal(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return a mask of the elements of two arrays that agree within single-precision tolerance."""
    allowed = SINGLE * float(np.max(np.abs(other), where=np.isfinite(other), initial=0.0))
    return np.isclose(one.reshape(other.shape), other, rtol=SINGLE, atol=allowed, equal_nan=True)
