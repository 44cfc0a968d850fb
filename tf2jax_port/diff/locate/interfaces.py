"""Locate a difference of shapes or types, or an error of the port."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from tf2jax_port.diff.locate.match.matching import Index, Values
from tf2jax_port.diff.locate.result.located import INTERFACE, RAISED, VALUE, Located, Spot, spot
from tf2jax_port.diff.locate.search.candidates import kind_of
from tf2jax_port.diff.locate.watch.places import NOWHERE
from tf2jax_port.diff.locate.watch.trail import Step, Trail
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.precision import as_jax_has_it


def locate_interface(old: Trail, new: Trail, case: Arguments) -> Located | None:
    """Locate an array of the port with correct elements but a wrong shape or dtype, or `None`."""
    theirs, mine = Values(old), Values(new)
    index = Index(theirs)

    def unlike(number: int, twins: Collection[int]) -> bool:
        looks = {_shape_and_dtype(old.array(twin)) for twin in twins}
        return bool(looks) and _shape_and_dtype(new.array(number)) not in looks

    def twins_of(number: int) -> list[int]:
        return list(index.equal_to(mine.flat(number), mine.tolerance(number)))

    for path, number in new.outputs.items():
        twin = old.outputs[path]
        if not unlike(number, [twin]) or twin not in twins_of(number):
            continue
        step, at = new.maker(number), number
        while step is not None:
            before_it = [o for o in step.operands if unlike(o, twins_of(o))]
            maker = new.maker(before_it[0]) if before_it else None
            if maker is None:
                break
            at, step = before_it[0], maker
        found = [s for n in twins_of(at) if (s := old.maker(n)) is not None]
        shapes = [np.shape(old.array(twin)), np.shape(new.array(number))]
        words = "the shape differs" if shapes[0] != shapes[1] else "the type differs"
        there = spot(found[0] if found else old.maker(twin))
        return Located(INTERFACE, case.index, there, spot(step), cause=words)
    return None


def _shape_and_dtype(array: np.ndarray | None) -> tuple[object, ...]:
    if array is None:
        return ()
    return array.shape, as_jax_has_it(array.dtype, False)


def locate_error(old: Trail, new: Trail, case: Arguments) -> Located | None:
    """Locate the line on which the port raised an error; `None` if there was no error.

    The original's side is the first operation whose result the port did not compute.
    """
    if new.error is None or new.stopped is None:
        return None
    theirs, mine = Values(old), Values(new)
    index = Index(mine)
    there = None
    for step in old.steps:
        fresh = [n for n in step.results if theirs.says_something(n)]
        if fresh and not any(index.has(theirs.flat(n), theirs.tolerance(n)) for n in fresh):
            there = step
            break
    raised = Located(RAISED, case.index, spot(there), Spot(new.stopped, new.error.kind))
    earlier = _differing_before(theirs, mine, there)
    if earlier is None or there is None or earlier.place == new.stopped:
        return raised
    first = Located(VALUE, case.index, spot(there), spot(earlier))
    return replace(raised, further=(first,))


def _differing_before(theirs: Values, mine: Values, there: Step | None) -> Step | None:
    """Return the port's first operation with another result, if it is the original's first missing one too.

    Otherwise the port may compute something else on the way to the same values, which is no fault.
    """
    index = Index(theirs)
    for step in mine.trail.steps:
        fresh = [n for n in step.results if mine.says_something(n)]
        if fresh and not any(index.has(mine.flat(n), mine.tolerance(n)) for n in fresh):
            is_it = there is not None and step.place != NOWHERE and kind_of(there) == step.name
            return step if is_it else None
    return None
