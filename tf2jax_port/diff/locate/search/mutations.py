"""Search for the wrong operation that causes a wrong value, such as floor in place of round.

A port may compute a value through intermediate values that the original lacks. If the result is wrong, any
operation that it depends on may be the cause: each is replaced by common alternatives, in every call and
every iteration of a loop, and the computation is replayed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tf2jax_port.diff.locate.match.frontier import before
from tf2jax_port.diff.locate.match.matching import SINGLE, flattened, same
from tf2jax_port.diff.locate.search.alternatives import changes
from tf2jax_port.diff.locate.search.injection import MEANT, RESULT, Injection, Injector, position
from tf2jax_port.diff.locate.search.meant import groups
from tf2jax_port.diff.locate.search.replay import Changed, replay
from tf2jax_port.diff.locate.watch.places import NOWHERE, Place
from tf2jax_port.diff.locate.watch.trail import Step

# In seconds of processor time; the most operations on the way to a value.
_BUDGET, _MOST = 15.0, 400


def exchanged(of: Injector, found: Injection) -> Injection:
    """Blame an earlier operation for a wrong value, if replacing the operation fixes the value.

    Return the changed injection. It is unchanged if no operation qualifies.

    Args:
      of: the recorded runs of both programs.
      found: an injection of the correct value, in every iteration of a loop.
    """
    right = {number: flattened(array) for number, array in found.values.items()}
    given = of.new.flat(found.new)
    wanted = right.get(found.new)
    if found.kind != RESULT or not found.complete or wanted is None:
        return found
    if given is not None and same(-given, wanted, SINGLE / 30):
        # Only its sign is wrong, which any earlier operation could flip.
        return found
    until = time.process_time() + _BUDGET
    trail, useful = of.new.trail, before(of.new.trail, list(right))
    way = sorted({position(of.new, n) for n in useful & of.new_region.values} - {-1})
    passes = {s.number: s for n in way[-_MOST:] for s in trail.passes(trail.steps[n])[-1]}
    own = trail.passes(found.step)[-1]
    if any(_replay_alternatives(of, group, right, useful) is not None for group in groups(own)):
        return found
    mends: dict[Place, Injection] = {}
    for group in groups([s for s in passes.values() if s.place != NOWHERE and s not in own]):
        if time.process_time() > until:
            break
        result = None if group[0].place in mends else _replay_alternatives(of, group, right, useful)
        if result is not None:
            mends[group[0].place] = _instead(of, found, group, result)
    # If several lines qualify, the one nearest to the wrong value is chosen.
    return max(mends.values(), key=lambda one: one.step.number, default=found)


def _instead(of: Injector, found: Injection, steps: Sequence[Step], result: Changed) -> Injection:
    """Return a copy of an injection that blames the given operations.

    If they are not all executions of their line, the kind of fault becomes a wrong operation (`MEANT`).
    """
    first = steps[0]
    if len(of.new.trail.wherever(first)) <= len(steps):
        return replace(found, step=first)
    values = {r: np.asarray(result[r]) for s in steps for r in s.results if r in result}
    return replace(found, kind=MEANT, step=first, values=values)


def _replay_alternatives(
    of: Injector, steps: Sequence[Step], right: Mapping[int, np.ndarray | None], useful: set[int]
) -> Changed | None:
    """Run the port with alternatives to given operations, until one gives the correct values.

    Return the changed values, or `None` if no alternative gives the correct values.
    """
    trail = of.new.trail
    for instead in changes(trail, steps):
        result = replay(trail, {}, {}, useful, instead=instead)
        if result is not None and all(_is_right(of, result, n, flat) for n, flat in right.items()):
            return result
    return None


def _is_right(of: Injector, result: Changed, number: int, wanted: np.ndarray | None) -> bool:
    """Return whether a replay makes a value equal to a given array."""
    flat = flattened(np.asarray(result[number])) if number in result else None
    if flat is None or wanted is None:
        return False
    return same(flat, wanted, max(of.new.tolerance(number), SINGLE / 30))
