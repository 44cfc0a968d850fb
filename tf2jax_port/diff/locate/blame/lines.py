"""Find the line of the user's code that is responsible for a located difference."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tf2jax_port.diff.locate.blame.computed import SAME, Computed
from tf2jax_port.diff.locate.blame.handing import handing
from tf2jax_port.diff.locate.match.frontier import Region
from tf2jax_port.diff.locate.match.matching import STANDS_FOR_SOMETHING, flattened, same
from tf2jax_port.diff.locate.search.candidates import kind_of
from tf2jax_port.diff.locate.search.confused import Confusion
from tf2jax_port.diff.locate.search.injection import (
    COMMON,
    EXCHANGED,
    MEANT,
    MISTAKEN,
    OMITTED,
    RESULT,
    Injection,
    Injector,
)
from tf2jax_port.diff.locate.watch.places import NOWHERE, Place
from tf2jax_port.diff.locate.watch.reading import Statement, alike, statement, statements
from tf2jax_port.diff.locate.watch.trail import Step, Trail

# The least similarity to the original's line, the least lead over another line, and the least
# similarity of the line where the value is used or computed.
_ENOUGH, _MORE, _SOMETHING = 0.4, 0.05, 0.3
# Operations that may mask elements, and how many values ahead they are searched for.
_MASKING, _SOON = {"select_n", "mul"}, 20
# Operations that take a part of an array.
_CUTTING = {"slice", "dynamic_slice", "gather", "squeeze", "reshape", "copy"}
# Operations that write a part into an array or transpose one, and the operand that comes in.
_WRITING = {"dynamic_update_slice": 1, "scatter": 2, "transpose": 0}
# Operations that give an argument another shape.
_SAME_ELEMENTS = {"broadcast_in_dim", "reshape", "squeeze", "Reshape", "ExpandDims", "Identity"}


class Lines:
    """Finds the source line that is responsible for a difference between two runs.

    Args:
      of: the recorded runs of both programs, and the values that occur in both.
    """

    def __init__(self, of: Injector) -> None:
        self._of = of
        files = {place.file for step in of.old.trail.steps for place in step.places}
        self._said = {s.words for file in sorted(files) for s in statements(file)}
        self._lines = {
            (place.file, place.line)
            for step in of.new.trail.steps
            if not step.operands or any(_comes_from(of.new.trail, o) for o in step.operands)
            for place in step.places
        }
        self._computed = Computed(of, self._said, self._lines)

    def computed(self, found: Injection) -> Injection:
        """If the port omits an operation, return the injection with that operation's own result as its value.

        The injected value may be a later one of the original, which only reshapes or broadcasts the result. The
        injection
        is returned unchanged if it is no omission, or if the port omits nothing but the reshape.
        """
        trail = self._of.old.trail
        right, held = self._of.old.flat(found.old), self._of.new.flat(found.new)
        if found.kind != OMITTED or right is None or held is None:
            return found
        maker = trail.maker(found.old)
        if same(right, held, self._of.new.tolerance(found.new)):
            return found  # the shape is all that is left out
        while maker is not None and maker.name in _SAME_ELEMENTS:
            maker = trail.maker(maker.operands[0])
            found = replace(found, old=maker.results[0]) if maker is not None else found
        return found

    def blamed(self, found: Injection, uses: Sequence[Confusion] = ()) -> tuple[Step, Place]:
        """Return the operation and the source line of the port to report as the fault.

        Args:
          found: the injection.
          uses: the uses of wrong values for which the port has the right values.
        """
        handed = handing(self._of.new.trail, uses)
        if handed is not None:
            return found.step, handed
        if found.kind == MEANT:
            return found.step, self._line_or_caller(found)
        if found.kind == COMMON:
            return found.step, found.step.place
        shaped = None if found.complete else self._shaped_before(found)
        if shaped is not None:
            return found.step, shaped
        masking = self._masked_later(found) or self._ineffective_mask(found)
        if masking is not None:
            return masking, masking.place
        theirs = self._of.old.trail.maker(found.old)
        maker = self._of.new.trail.maker(found.new)
        if found.kind == OMITTED and theirs is not None:
            return self._line_of_omission(found, theirs)
        if found.kind == EXCHANGED and maker is not None and maker.place != NOWHERE:
            others = {given for (_, used), given in found.uses.items() if used == found.new}
            makers = {m.places for o in others if isinstance(o, int) and (m := self._maker_of(o))}
            # Two values computed on one line were swapped there; others are swapped where they are used.
            step = maker if maker.places in makers else found.step
            return step, self._line_or_outer_call(step, found)
        named = self._named_wrongly(found)
        if named is not None:
            return found.step, named
        if found.kind == MISTAKEN and maker is None and found.new not in self._of.new.trail.names:
            return found.step, self._computed.number(found) or self._line_of(found)
        if found.kind == MISTAKEN and found.uses:
            if maker is not None and self._is_named_wrongly(maker.place, found.step.place):
                return maker, maker.place
            return found.step, self._line_of(found)
        place = self._computed.before(found) or self._places_before(found.step)
        place = place or self._cut_before(found) or self._shaped_before(found)
        return found.step, place or self._line_of(found)

    def _line_or_caller(self, found: Injection) -> Place:
        """Return the line of the faulty operation, or the line that calls its function.

        It is the calling line if the operation is right in some calls of the function.
        """
        step, trail = found.step, self._of.new.trail
        if all(found.values.keys() & {*s.results} for s in trail.wherever(step)):
            return step.place
        return next((p for p in step.places if p.line != step.place.line), step.place)

    def _line_of(self, found: Injection) -> Place:
        """Return the line of the faulty operation, or the line of a wrong name that it reads.

        If the original has the same line, the fault is on the line that assigned a wrong value to a name.
        """
        place = self._line_or_outer_call(found.step, found)
        return self._computed.named(place) or place

    def _masked_later(self, found: Injection) -> Step | None:
        """Return the port's operation that applies a mask later than the original does, or `None`."""
        new = self._of.new
        given = _injected_arrays(found)
        right, held = (flattened(given[0]) if given else None), new.flat(found.new)
        if right is None or held is None or right.size != held.size:
            return None
        masked = (np.abs(right) >= STANDS_FOR_SOMETHING) & (np.abs(held) < STANDS_FOR_SOMETHING)
        if masked.all() or not masked.any():
            return None
        if not same(right[~masked], held[~masked], new.tolerance(found.new)):
            return None
        maker = new.trail.maker(found.new)
        if maker is not None and maker.name in _MASKING and self._masks(maker, masked):
            return None  # it is masked here, with another fill value
        reached, waiting = {found.new}, [found.new]
        for number in itertools.islice(waiting, _SOON):
            for step in new.trail.users(number):
                if step.name in _MASKING and self._masks(step, masked):
                    return step
                fresh = [r for r in step.results if r not in reached]
                reached.update(fresh)
                waiting += fresh
        return None

    def _ineffective_mask(self, found: Injection) -> Step | None:
        """Return the port's operation that computed an all-true or all-false mask, or `None`.

        Such a mask has no effect, while the original masks some elements.
        """
        trail = self._of.new.trail
        arrays = [flattened(a) for a in _injected_arrays(found)]
        hides = [a for a in arrays if a is not None and (np.abs(a) >= STANDS_FOR_SOMETHING).any()]
        if found.kind != OMITTED or not hides:
            return None
        near = trail.steps[max(0, found.step.number - _SOON) : found.step.number + 1]
        for step in reversed(near):
            if step.name != "select_n" or step.place != found.step.place:
                continue
            mask = trail.array(step.operands[0])
            maker = trail.maker(step.operands[0])
            if mask is None or not (mask.all() or not mask.any()):
                continue
            while maker is not None and maker.place == step.place and maker.operands:
                maker = trail.maker(maker.operands[0])
            if maker is not None and maker.place not in (NOWHERE, step.place):
                return maker
        return None

    def _masks(self, step: Step, masked: np.ndarray) -> bool:
        """Return whether an operation has a given mask, or its complement, as operand."""
        for operand in step.operands:
            flat = self._of.new.flat(operand)
            if flat is None or flat.size != masked.size or not np.isin(flat, (0.0, 1.0)).all():
                continue
            if np.array_equal(flat == 0.0, masked) or np.array_equal(flat == 1.0, masked):
                return True
        return False

    def _places_before(self, step: Step) -> Place | None:
        """Return the line that computed wrong indices for a gather from a correct array, or `None`."""
        new = self._of.new
        if step.name != "gather" or not self._of.twins(step.operands[0]):
            return None
        seen, waiting = set(), [step.operands[1]]
        for number in waiting:
            maker = new.trail.maker(number)
            if maker is None or number in seen or self._of.twins(number):
                continue
            seen.add(number)
            if maker.places != step.places:
                return maker.place if new.counts(number) else None
            waiting += maker.operands
        return None

    def _cut_before(self, found: Injection) -> Place | None:
        """Return the line that took a wrong slice of the array that a loop iterates over, or `None`.

        Each iteration then reads a correct value that belongs to another iteration.
        """
        of, trail = self._of, self._of.new.trail
        theirs = of.old.trail.maker(found.old)
        if found.kind != RESULT or theirs is None or kind_of(theirs) != found.step.name:
            return None
        wrong = [
            o
            for o in found.step.operands
            if self._of.new.says_something(o) and not of.kin(o) & {*theirs.operands}
        ]
        if len(wrong) != 1 or len(found.values) < 2:
            return None
        maker, is_own = trail.maker(wrong[0]), False
        while maker is not None and maker.name in _CUTTING:
            whole = maker.operands[0]
            if np.size(trail.values[whole]) > np.size(trail.values[wrong[0]]):
                if of.twins(whole):
                    return maker.place if is_own and maker.place != NOWHERE else None
                is_own = True
            maker = trail.maker(whole)
        return None

    def _shaped_before(self, found: Injection) -> Place | None:
        """Return the line that reshaped an array with its axis sizes in the wrong order, or `None`.

        The elements are the same as the original's, but reductions over an axis differ.
        """
        said, theirs = statement(found.step.place), self._of.old.trail.maker(found.old)
        wanted = statement(theirs.place) if theirs is not None else None
        is_same = (
            said is not None
            and wanted is not None
            and _number_literals(said) == _number_literals(wanted)
        )
        # A confirmed difference is on another line, unless this one has the original's axes.
        if found.complete and not is_same:
            return None
        trail = self._of.new.trail
        waiting = [found.step]
        for step in waiting:
            for operand in step.operands:
                maker = trail.maker(operand)
                if maker is None:
                    continue
                if maker.places == found.step.places:
                    waiting += [] if maker in waiting else [maker]
                elif maker.name == "reshape" and self._is_shaped_otherwise(operand):
                    return maker.place
        return None

    def _is_shaped_otherwise(self, number: int) -> bool:
        """Return whether the original has a value's elements in an array with its axis sizes reordered."""
        own = [n for n in np.shape(self._of.new.trail.values[number]) if n != 1]
        twins = (self._of.old.trail.array(twin) for twin in self._of.twins(number))
        sizes = [[n for n in np.shape(array) if n != 1] for array in twins]
        return own not in sizes and any(sorted(own) == sorted(other) for other in sizes)

    def _named_wrongly(self, found: Injection) -> Place | None:
        """Return the line with the string literal by which the wrong input is picked, or `None`."""
        if {used for _, used in found.uses} - {found.new}:
            return None  # other values are wrong in the same place: later states of a loop
        sides = (
            (self._of.new, self._of.new_region, found.new),
            (
                self._of.old,
                self._of.old_region,
                found.old,
            ),
        )
        mine, theirs = (
            _input_names(values.trail, region, number) for values, region, number in sides
        )
        wrong, right = mine - theirs, theirs - mine
        if not wrong or not right:
            return None
        for place in found.step.places:
            said = statement(place)
            for text in said.texts if said is not None else ():
                if text and any(text in n for n in wrong) and not any(text in n for n in right):
                    return place
        return None

    def _is_named_wrongly(self, made: Place, used: Place) -> bool:
        """Return whether a correct line reads a name that a wrong line of the same function assigns.

        A line is correct if the original has the same line.

        Args:
          made: the line that computed the value.
          used: the line that uses it.
        """
        before_it, said = statement(made), statement(used)
        if before_it is None or said is None or before_it.function != said.function:
            return False
        is_given = bool({*before_it.targets} & {*said.names}) and made.file == used.file
        return is_given and self._reads_the_same(used) and not self._reads_the_same(made)

    def _maker_of(self, number: int) -> Step | None:
        return self._of.new.trail.maker(number)

    def _line_or_outer_call(self, step: Step, found: Injection) -> Place:
        """Return the operation's line, or the line of the enclosing call that is at fault.

        An enclosing call is at fault if the same operation gives right results when called from elsewhere.
        """
        places = step.places
        for depth, place in enumerate(places[:-1]):
            if self._mended_elsewhere(found, step, depth):
                return place
            is_same = self._reads_the_same(place)
            others = [self._reads_the_same(outer) for outer in places[depth + 1 :]]
            if is_same and self._is_plain(place) and not all(others):
                continue
            if self._is_right_elsewhere(step, depth, found) and not (others[0] and not is_same):
                continue
            return place
        return places[-1] if places else NOWHERE

    def _mended_elsewhere(self, found: Injection, step: Step, depth: int) -> bool:
        """Return whether an injection also replaced results of an operation when called from other lines.

        An injection puts values of the original program into the port's run.
        """
        inner = step.places[: depth + 1]
        wrong = (n for n, right in found.values.items() if not self._is_held(n, right))
        makers = map(self._of.new.trail.maker, wrong)
        return any(
            maker is not None and maker.places[: depth + 1] == inner and maker.places != step.places
            for maker in makers
        )

    def _is_held(self, number: int, right: np.ndarray) -> bool:
        """Return whether a value of the port is right already."""
        held, flat = self._of.new.flat(number), flattened(right)
        if held is None or flat is None:
            return False
        return same(held, flat, self._of.new.tolerance(number))

    def _producers(self, number: int) -> list[Step]:
        """Return the operation that computed a value, and later operations that only copied or moved the value."""
        new, found = self._of.new, []
        flat, step = new.flat(number), new.trail.maker(number)
        while step is not None:
            found.append(step)
            if step.name in _WRITING:
                # Follow the part written in the last pass; the array also holds the other passes.
                step = new.trail.maker(step.operands[_WRITING[step.name]])
                flat = new.flat(step.results[0]) if step is not None else None
                continue
            same_as = [
                o
                for o in step.operands
                if (array := new.flat(o)) is not None
                and flat is not None
                and array.size > 1
                and same(array, flat, new.tolerance(o))
            ]
            step = new.trail.maker(same_as[0]) if same_as else None
        return found

    def _is_plain(self, place: Place) -> bool:
        """Return whether a line calls only functions that are the same in both libraries."""
        said = statement(place)
        return said is not None and said.calls <= SAME

    def _is_right_elsewhere(self, step: Step, depth: int, found: Injection) -> bool:
        """Return whether an operation gives right results when its function is called from other lines."""
        of, called = self._of, step.places[depth + 1]
        step = self._first_wrong(step, depth)
        # A wrong result may be right elsewhere: that of another call.
        wrong = {n for n, right in found.values.items() if not self._is_held(n, right)}
        here = [bool(of.twins(r)) for r in step.results if of.new.says_something(r)]
        if here and all(here) and wrong.isdisjoint(step.results):
            return False  # it is right here too, which tells nothing about the line
        rights = []
        for other in of.new.trail.passes(step)[-1]:
            elsewhere = len(other.places) > depth + 1 and other.places[depth + 1] != called
            # Wrong inputs explain a wrong result.
            if elsewhere and all(of.twins(o) for o in other.operands if of.new.says_something(o)):
                rights += [bool(of.twins(r)) for r in other.results if of.new.says_something(r)]
        return bool(rights) and all(rights)

    def _first_wrong(self, step: Step, depth: int) -> Step:
        """Return the first operation after `step`, in the same call, with a wrong result, else `step`."""
        of, inside = self._of, step.places[depth + 1 :]
        for later in itertools.islice(of.new.trail.steps, step.number, step.number + _SOON):
            wrong = any(not of.twins(r) for r in later.results if of.new.says_something(r))
            if wrong and later.places[-len(inside) :] == inside:
                return later
        return step

    def _reads_the_same(self, place: Place) -> bool:
        """Return whether the original program contains a line with the same tokens."""
        said = statement(place)
        return said is not None and len(said.words) > 2 and said.words in self._said

    def _line_of_omission(self, found: Injection, theirs: Step) -> tuple[Step, Place]:
        """Return the port's operation and line at which an operation of the original is missing.

        Args:
          found: the injection.
          theirs: the original's operation that the port omits.
        """
        new, old = self._of.new.trail, self._of.old.trail
        maker = new.maker(found.new)
        if maker is None or maker.place == NOWHERE:
            step = found.step
            return step, self._most_similar_line(
                theirs, [self._line_or_outer_call(step, found)], found
            )
        passes = len(old.passes(theirs)[0]), len(new.passes(maker)[0])
        if passes[0] != passes[1] > 1 and theirs.passed >= passes[1] and len(maker.places) > 1:
            # The loop ends before the original's does, which is decided where it is called.
            return maker, maker.places[1]
        here = (theirs.place, theirs.passed)
        users = [s for s in old.steps if found.old in s.operands]
        shares_user = any((user.place, user.passed) == here for user in users)
        step, other = (found.step, maker) if shares_user else (maker, found.step)
        place = self._most_similar_line(
            theirs,
            [self._line_or_outer_call(step, found), self._line_or_outer_call(other, found)],
            found,
        )
        return step if place in step.places or place not in other.places else other, place

    def _most_similar_line(self, theirs: Step, usual: Sequence[Place], found: Injection) -> Place:
        """Return the line between computation and use of a value that is most like the original's line.

        Args:
          theirs: the original's operation.
          usual: the lines to prefer, the first of which is returned if no line is similar.
          found: the injection.
        """
        between = [
            place
            for place in dict.fromkeys((*usual, *self._lines_between(found)))
            if place != NOWHERE and not self._reads_the_same(place)
        ]
        # If all calls of a function are fixed, the fault is not in one of the calls.
        spread = self._mended_elsewhere(found, found.step, 0) or any(
            self._mended_elsewhere(found, maker, 0) for maker in self._producers(found.new)
        )
        maker = self._maker_of(found.new)
        for depth, wanted in enumerate(map(statement, theirs.places[: 1 if spread else None])):
            likeness = {p: _similarity(statement(p), wanted) for p in (*between, usual[0])}
            best = max(between, key=lambda place: likeness[place], default=usual[0])
            if best == usual[0] and likeness[best] >= _SOMETHING:
                return best
            if likeness[best] >= _ENOUGH:
                is_more = usual[0] not in between or likeness[best] > likeness[usual[0]] + _MORE
                if is_more and depth and maker is not None and best in maker.places:
                    # The omission is not inside the function that is called there.
                    return maker.places[max(0, maker.places.index(best) - depth)]
                return best if is_more else usual[0]
        return usual[0]

    def _lines_between(self, found: Injection) -> Iterator[Place]:
        """Yield the lines between the computation of a value and its use, in all functions involved."""
        steps = [*self._producers(found.new)[::-1], found.step]
        for place in dict.fromkeys(place for step in steps for place in step.places):
            inside = statement(place)
            if inside is None:
                continue
            own = [[p.line for p in s.places if same_function(p, place)] for s in steps]
            first = min(itertools.chain(*own[:-1]), default=0)
            spans = [(first, min(own[-1], default=10**9))]
            # A use above the computation belongs to another call or pass.
            spans += [(min(a), min(b)) for a, b in itertools.pairwise(own) if a and b and a > b]
            for said in statements(place.file):
                is_between = any(
                    a <= said.line <= b or (a >= b and not b < said.line < a) for a, b in spans
                )
                if said.function == inside.function and is_between:
                    yield Place(place.file, said.line, place.function)


def _input_names(trail: Trail, inside: Region, number: int) -> set[str]:
    """Return the names of the arguments on which a value in a region depends."""
    found: set[str] = set()
    seen, waiting = set(), [number]
    while waiting:
        one = waiting.pop()
        maker = trail.maker(one)
        if one in trail.names:
            found.add(trail.names[one])
        if one in seen or maker is None:
            continue
        if one != number and one not in inside.values and maker.name not in _SAME_ELEMENTS:
            continue
        seen.add(one)
        waiting += maker.operands
    return found


def _comes_from(trail: Trail, number: int) -> bool:
    """Return whether a value is an argument or computed, as opposed to a literal."""
    return trail.maker(number) is not None or number in trail.names


def _number_literals(said: Statement) -> list[str]:
    """Return the number literals in a statement, including axes."""
    return [word for word in said.words if word[0].isdigit()]


def _injected_arrays(found: Injection) -> list[np.ndarray]:
    """Return the arrays of the original program that an injection put into the port."""
    used = (a for a in found.uses.values() if not isinstance(a, int))
    return [*found.values.values(), *used]


def same_function(one: Place, other: Place) -> bool:
    """Return whether two lines are in the same function."""
    return (one.file, one.function) == (other.file, other.function)


def _similarity(said: Statement | None, wanted: Statement | None) -> float:
    return alike(said, wanted) if said is not None and wanted is not None else 0.0
