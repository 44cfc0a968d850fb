"""Find the line that hands a wrong value on: a call with a wrong argument, or the end of a loop's body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tf2jax_port.diff.locate.search.confused import Confusion
from tf2jax_port.diff.locate.watch.looping import end_of_body, goes_before
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.locate.watch.reading import functions_around, statement, statements
from tf2jax_port.diff.locate.watch.trail import Step, Trail

# Operations that put the elements of a list together.
_STACKING = {"concatenate", "stack", "broadcast_in_dim", "reshape", "expand_dims"}


def handing(trail: Trail, uses: Sequence[Confusion]) -> Place | None:
    """Return the line that hands on a value in place of another value of the port, or `None`.

    Where the value is used, the line may be right: it only gets the wrong value.

    Args:
      trail: the port's run.
      uses: the uses of wrong values.
    """
    if not uses:
        return None
    return _returning(trail, uses) or _appending(uses[0][0]) or _calling(trail, uses[0])


def _returning(trail: Trail, uses: Sequence[Confusion]) -> Place | None:
    """Return the line on which a loop's body returns the wrong values for its next iteration, or `None`.

    They are the values that the body gets in the next iteration. If the meant values are those of the same
    iteration as the use, the body does not return them.
    """
    places = set()
    for step, used, meant in uses:
        maker, right = trail.maker(used), trail.maker(meant)
        end = end_of_body(step)
        if end is None or right is None or not goes_before(right, step):
            return None
        if maker is not None and goes_before(maker, step) and maker.passed != right.passed:
            return None
        places.add(end)
    return places.pop() if len(places) == 1 else None


def _appending(step: Step) -> Place | None:
    """Return the only line that appends to a list, if an operation stacks the list; otherwise `None`."""
    said = statement(step.place)
    if said is None or step.name not in _STACKING:
        return None
    inside = [s for s in statements(step.place.file) if s.function == said.function]
    found = [
        s for s in inside if "append" in s.calls and not {*s.words[1:2]}.isdisjoint(said.names)
    ]
    return replace(step.place, line=found[0].line) if len(found) == 1 else None


def _calling(trail: Trail, use: Confusion) -> Place | None:
    """Return the line of the call that gets a wrong argument, or `None`.

    The function that uses the argument computes neither the wrong nor the meant value. A nested function may
    have them without getting them.
    """
    step, used, meant = use
    makers = [m for number in (used, meant) if (m := trail.maker(number)) is not None]
    depth = min(_shared_frames(step, maker) for maker in makers)
    inward = step.places[::-1]
    if not depth or depth >= len(inward) or len(functions_around(inward[depth])) > 1:
        return None
    return inward[depth - 1]


def _shared_frames(one: Step, other: Step) -> int:
    """Return the number of calls, from the outermost, that two operations have in common."""
    count = 0
    for mine, theirs in zip(one.places[::-1], other.places[::-1]):
        if (mine.file, mine.function) != (theirs.file, theirs.function):
            break
        count += 1
        if mine != theirs:
            break
    return count
