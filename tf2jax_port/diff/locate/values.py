"""Locate a difference of values."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tf2jax_port.diff.locate.blame.cause import Evidence, cause
from tf2jax_port.diff.locate.blame.lines import Lines, same_function
from tf2jax_port.diff.locate.blame.misgiven import KERNEL, Misgiven, misgiven, place_of
from tf2jax_port.diff.locate.match.compact import masks_of, sizes_of
from tf2jax_port.diff.locate.match.frontier import before
from tf2jax_port.diff.locate.match.matching import SINGLE, Values, agree
from tf2jax_port.diff.locate.match.slices import LARGE, slices
from tf2jax_port.diff.locate.match.views import with_views, without_padding
from tf2jax_port.diff.locate.result.located import (
    VALUE,
    Located,
    Spot,
    element,
    spot,
)
from tf2jax_port.diff.locate.search.candidates import kind_of
from tf2jax_port.diff.locate.search.confused import Confusion, confused
from tf2jax_port.diff.locate.search.injection import (
    COMMON,
    EXCHANGED,
    MEANT,
    MISTAKEN,
    OMITTED,
    RESULT,
    Injection,
)
from tf2jax_port.diff.locate.search.mutations import exchanged
from tf2jax_port.diff.locate.search.replay import mended, replay
from tf2jax_port.diff.locate.search.search import BUDGET, Search
from tf2jax_port.diff.locate.watch.places import NOWHERE, Place
from tf2jax_port.diff.locate.watch.reading import renaming
from tf2jax_port.diff.locate.watch.trail import Step, Trail
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import LaneError

# The divisors of tolerances, tried in order until something differs.
_STRICTNESS = (1.0, 10.0, 100.0)
# The fewest additional matches that justify a search with views: without padding, and with
# rearranged values.
_FEW, _MUCH = 2, 6
_OUT_OF_TIME = "the values differ, but the time limit of the search was reached"
_NOTHING_MENDS = "the values differ, and using values of the original in the port does not make the results agree"
# Operations that prepare a kernel.
_LAYING_OUT = {"transpose", "rev", "reshape", "squeeze", "broadcast_in_dim"}
# The rounding error of a few operations in single precision, in units of its epsilon.
_OPERATIONS = 16
# Operations whose operands may be combined in any order.
_CHAINS = ({"add", "sub"}, {"mul", "div"})
# The number of scopes in which operations are replaced by alternatives.
_MEANT = 2
# The most faults that are reported.
_FAULTS = 3

# Pairs of outputs to compare, as numbers of values in either run.
Pairs = Mapping[str, tuple[int, int]]


class _Fault(NamedTuple):
    """One of several faults, found one after the other.

    Attributes:
      located: what to report of it.
      complete: whether all outputs that depend on the injected value agree with it.
      sure: whether no other line could be at fault.
    """

    located: Located
    complete: bool
    sure: bool


def locate_values(
    old: Trail, new: Trail, case: Arguments, different: Collection[str] | None = None
) -> Located | None:
    """Locate where values of the port diverge from the original's; `None` if they agree.

    Args:
      old: the original's run.
      new: the port's run.
      case: the call.
      different: the outputs that may be searched; all by default.

    Raises:
      LaneError: the values differ, but no faulty operation is found.
    """
    pairs = {
        p: (old.outputs[p], new.outputs[p])
        for p in old.outputs
        if p in new.outputs and (different is None or p in different)
    }
    for strictness in _STRICTNESS:
        theirs, mine = _values(old, new, strictness)
        unlike = {p: pair for p, pair in pairs.items() if not agree(theirs, mine, *pair)}
        if not unlike:
            continue
        found, is_over, ends = _in_scopes(old, new, unlike, case, strictness)
        if not found and strictness == _STRICTNESS[0]:
            # Comparing gradients would be misleading where values differ.
            raise LaneError(_OUT_OF_TIME if is_over else _NOTHING_MENDS)
        # Such a small difference may be rounding, which an injection can seem to fix in part.
        if not found or not (found[0].complete or strictness == _STRICTNESS[0]):
            return None
        first, *rest = (
            # Where one place explains all differences, two places are no proof.
            replace(one.located, confirmed=ends and one.complete and one.sure and len(found) == 1)
            for one in found
        )
        return replace(first, further=_on_other_lines(first, rest))
    return None


def _on_other_lines(first: Located, rest: Sequence[Located]) -> tuple[Located, ...]:
    """Return the later faults that are on lines of their own."""
    found = {_line(one): one for one in reversed(rest)}
    return tuple(one for one in rest if found[_line(one)] is one and _line(one) != _line(first))


def _line(one: Located) -> Place | None:
    return None if one.new is None else one.new.place


def _in_scopes(
    old: Trail, new: Trail, unlike: Pairs, case: Arguments, strictness: float
) -> tuple[list[_Fault], bool, bool]:
    """Search for faults in the whole programs, and in the parts on which single outputs depend.

    Return the faults found, whether the search ran out of time, and whether all outputs that differ agree
    once all of these faults are mended.
    """
    best: list[_Fault] = []
    is_over = best_ends = False
    end = time.process_time() + 1.5 * BUDGET
    whole = [(old, new, unlike)]
    is_large = len(new.steps) > LARGE
    parts = slices(old, new, unlike)
    scopes = itertools.chain(*((parts, whole) if is_large else (whole, parts)))
    for rank, (theirs, mine, pairs) in enumerate(scopes):
        until = min(end, time.process_time() + (BUDGET if mine is new else BUDGET / 4))
        ways: list[tuple[list[_Fault], bool]] = []
        for search in _searches(theirs, mine, pairs, strictness, until):
            search.may_be_meant = rank < _MEANT and strictness == _STRICTNESS[0]
            found, left = _faults(search, case, strictness, until)
            ends = not left and pairs.keys() >= unlike.keys()
            is_over = is_over or search.is_over
            if not best:
                best, best_ends = found, ends
            # In a whole program the last of several faults confirms the first.
            if found and found[-1 if mine is new else 0].complete:
                ways.append((found, ends))
            if len(found) == 1 and found[0].complete and found[0].sure:
                break
        if ways:
            # The same difference may look like several faults where values have no counterpart.
            found, ends = min(ways, key=lambda way: (len(way[0]), not way[0][0].sure))
            return found, False, ends
    return best, is_over, best_ends


def _values(old: Trail, new: Trail, strictness: float) -> tuple[Values, Values]:
    theirs = Values(old, strictness)
    # Half precision counts as a fault if the original does not use it.
    return theirs, Values(new, strictness, theirs.coarsest, finest=theirs.finest)


def _searches(
    old: Trail, new: Trail, pairs: Pairs, strictness: float, until: float
) -> Iterator[Search]:
    """Yield searches; if it helps, with views (rearranged copies) of the original's values.

    A fault at the beginning of a program leaves few values by which views can prove to help. Therefore a search with
    all views comes last.
    """
    theirs, mine = _values(old, new, strictness)
    search = plain = Search(theirs, mine, pairs, until)
    if not search.differing:
        yield search
        return
    masks = masks_of(old, new)
    short = without_padding(old, masks, sizes_of(new))
    every = with_views(short)
    sizes = sizes_of(every)
    wider = ((short, _FEW), (every, _MUCH))
    mine = Values(new, strictness, theirs.coarsest, masks, sizes, theirs.finest)
    for trail, enough in wider:
        other = Search(Values(trail, strictness), mine, pairs, until)
        # There are many views, and some match by accident, so they must explain much.
        if len(other.known) - len(search.known) >= enough:
            search = other
    yield search
    if search is not other and len(other.known) > len(plain.known):
        yield other


def _faults(
    search: Search, case: Arguments, strictness: float, until: float
) -> tuple[list[_Fault], list[str]]:
    """Search for one fault after the other; return them, and the outputs that differ with all of them mended."""
    faults: list[_Fault] = []
    for _ in range(_FAULTS):
        found = search.first()
        if found is None or (strictness > _STRICTNESS[0] and _is_rounding(search, found)):
            break
        located = _located(search, exchanged(search, found), case)
        faults.append(_Fault(located, found.complete, _is_only_place(search, found, located)))
        if found.complete and len(search.differing) == 1:
            return faults, []
        new = search.new.trail
        changed = replay(new, found.values, found.uses, range(len(new.values)))
        if changed is None:
            break
        after = mended(new, changed)
        pairs = {p: (a, found.swapped.get(b, b)) for p, (a, b) in search.pairs.items()}
        search = Search(search.old, search.new.of(after), pairs, until)
        if not search.differing:
            break
    return faults, search.differing


def _is_only_place(search: Search, found: Injection, located: Located) -> bool:
    """Return whether nothing before the located line could be at fault as well.

    The injected value also hides what is wrong with the values from which the port computed its
    own. If one of them has no counterpart in the original and is from another line, the fault may
    be there. An operation that is missing may be missing where the value is computed, where it is
    used, or in what both depend on.
    """
    new, place = search.new.trail, _line(located)
    if found.only:
        return True
    if found.kind in (COMMON, OMITTED) or _is_used_nowhere_else(new, found, place):
        return False
    if _lacks_an_argument(search, found):
        return False
    waiting = list(found.values) or [found.new]
    seen: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in seen or number in search.new_region.edge:
            continue
        seen.add(number)
        maker = new.maker(number)
        if maker is None:
            continue
        if number not in found.values and maker.place not in (place, found.step.place):
            return False
        waiting += maker.operands
    return True


def _is_used_nowhere_else(new: Trail, found: Injection, place: Place | None) -> bool:
    """Return whether a value may be wrong where it is computed, not at `place`, as nothing else uses it."""
    maker = new.maker(found.new)
    if found.kind != MISTAKEN or not found.uses or maker is None or place in maker.places:
        return False
    return all((user.number, found.new) in found.uses for user in new.users(found.new))


def _lacks_an_argument(search: Search, found: Injection) -> bool:
    """Return whether a right value depends on an argument on which the port's value does not depend.

    The port omits the argument, at this line or at the line of any operand. A value that is itself an argument of the
    original is no result of an operation at all: it only happens to mend the outputs.
    """
    right, made = search.old.trail.maker(found.old), search.new.trail.maker(found.new)
    if found.kind not in (RESULT, OMITTED) or made is None:
        return False
    if right is None:
        return found.kind == RESULT
    # What is omitted after a sum may as well be omitted before it.
    chains = [chain for chain in _CHAINS if {made.name, kind_of(right)} <= chain]
    if found.kind == OMITTED and not chains:
        return False
    theirs, mine = (
        {run.names[n] for n in before(run, [number]) if n in run.names}
        for run, number in ((search.old.trail, found.old), (search.new.trail, found.new))
    )
    # An operand that the original uses there, too, lacks nothing.
    others = [o for o in made.operands if search.twins(o).isdisjoint(right.operands)]
    makers = (search.new.trail.maker(o) for o in others)
    lines = {maker.place for maker in makers if maker is not None} - {NOWHERE}
    return bool(theirs - mine) and bool(lines - {made.place})


def _is_rounding(search: Search, found: Injection) -> bool:
    """Return whether a difference is within the rounding error of single precision."""
    right, held = found.values.get(found.new), search.new.trail.array(found.new)
    if found.kind != RESULT or right is None or held is None or right.size != held.size:
        return False
    right = right.reshape(held.shape)
    finite = np.isfinite(right) & np.isfinite(held)
    apart = np.max(np.abs(right - held), where=finite, initial=0.0)
    largest = np.max(np.abs(right), where=finite, initial=0.0)
    is_single = max(search.old.width(found.old), search.new.width(found.new)) >= SINGLE
    return bool(apart <= (_OPERATIONS if is_single else 1) * np.finfo(np.float32).eps * largest)


def _located(search: Search, found: Injection, case: Arguments) -> Located:
    old, new = search.old.trail, search.new.trail
    lines = Lines(search)
    found, uses = confused(search, lines.computed(found))
    theirs = _user_of(old, found) if uses else _step_of(old, found.old)
    mine, place = lines.blamed(found, uses)
    wrong = _misgiven(search, found, mine, place)
    place = (
        renaming(theirs.place, place) or place
        if wrong is None
        else _prepared(new, mine, wrong) or place_of(wrong.argument, place)
    )
    a, b = old.array(found.old), new.array(found.new)
    if a is not None and b is not None and a.size == b.size:
        a = a.reshape(b.shape)
    evidence = Evidence(
        old.array(found.old),
        b,
        theirs.place,
        place,
        _operation_names(old, search.old_region.values, theirs),
        _operation_names(new, search.new_region.values, mine),
        theirs.name if found.kind == OMITTED else "",
        _argument_sizes(old, new),
    )
    return Located(
        VALUE,
        case.index,
        spot(theirs),
        Spot(place, mine.name) if place != NOWHERE else None,
        new.iteration(mine),
        wrong.words if wrong else _other_number(search, found, uses) or cause(evidence),
        found.complete,
        element(a, b),
    )


def _misgiven(search: Search, found: Injection, mine: Step, place: Place) -> Misgiven | None:
    """Return the wrong argument of the located operation, or `None`."""
    if found.kind != RESULT or place != mine.place:
        return None
    return misgiven(search.new, mine, search.old_index)


def _prepared(new: Trail, call: Step, wrong: Misgiven) -> Place | None:
    """Return the line that rearranges the wrong kernel of a convolution before its call, or `None`."""
    maker = new.maker(call.operands[1]) if wrong.argument == KERNEL else None
    if maker is None or maker.name not in _LAYING_OUT or not same_function(maker.place, call.place):
        return None
    return maker.place


def _other_number(search: Search, found: Injection, uses: Sequence[Confusion]) -> str | None:
    """Describe a fault that is a wrong number literal, operation or value; return `None` for any other fault."""
    if found.kind == MEANT:
        return f"the outputs agree if another operation replaces this {found.step.name}"
    if uses and found.kind == EXCHANGED:
        return "two values are used in place of each other"
    maker = search.new.trail.maker(uses[0][2]) if uses else None
    if maker is not None:
        return f"at this place, the original uses the value of line {maker.place.line}: {maker.place.text}"
    a, b = (
        _constant(run.trail, n) for run, n in ((search.old, found.old), (search.new, found.new))
    )
    if found.kind != MISTAKEN or a is None or b is None:
        return None
    return f"the number is {b:.6g}; in the original, it is {a:.6g}"


def _constant(trail: Trail, number: int) -> float | None:
    array = trail.array(number)
    if trail.maker(number) is not None or number in trail.names or array is None or array.size != 1:
        return None
    return float(array.item()) if array.dtype.kind in "iuf" else None


def _step_of(old: Trail, number: int) -> Step:
    """Return the original's operation that computed a value; for an argument, its first use."""
    maker = old.maker(number)
    if maker is not None:
        return maker
    users = old.users(number) or old.users(old.parts(number)[0])
    return users[0]


def _user_of(old: Trail, found: Injection) -> Step:
    """Return the original's operation that uses a value as the port should, else that which computes it."""
    users = (user for user in old.users(found.old) if kind_of(user) == found.step.name)
    return next(users, None) or _step_of(old, found.old)


def _operation_names(trail: Trail, values: frozenset[int], last: Step) -> set[str]:
    """Return the names of an operation, and of the operations in a region on which it depends."""
    region = before(trail, last.results) & values
    makers = (trail.maker(number) for number in region)
    return {maker.name for maker in makers if maker is not None} | {last.name}


def _argument_sizes(old: Trail, new: Trail) -> set[int]:
    """Return the sizes of arguments, of their axes, and of pairs of adjacent axes."""
    sizes: set[int] = set()
    for trail in (old, new):
        for number in trail.names:
            shape = np.shape(trail.array(number))
            sizes |= {*shape, int(np.prod(shape)), *(a * b for a, b in pairwise(shape))}
    return sizes
