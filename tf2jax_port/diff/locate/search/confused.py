"""Recognize that the port uses one of its values where it was meant to use another of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tf2jax_port.diff.locate.match.matching import Index, flattened, same
from tf2jax_port.diff.locate.search.injection import (
    EXCHANGED,
    MISTAKEN,
    OMITTED,
    Injection,
    Injector,
)
from tf2jax_port.diff.locate.search.replay import mended, replay
from tf2jax_port.diff.locate.watch.places import NOWHERE
from tf2jax_port.diff.locate.watch.trail import Step

# The step that uses a wrong value, the wrong value, and the value that is meant.
Confusion = tuple[Step, int, int]


def confused(of: Injector, found: Injection) -> tuple[Injection, list[Confusion]]:
    """Return an injection, and the port's values that are meant where it replaces uses of others.

    An operation that seems omitted is not if the port has its result, but uses the operand of the operation
    instead; the injection is then returned as the use of a wrong value. The list is empty if the port does not
    have all of the right values.

    Args:
      of: the recorded runs of both programs.
      found: the injection.
    """
    if found.kind not in (OMITTED, MISTAKEN, EXCHANGED) or not found.uses:
        return found, []
    uses = _confusions(of, found)
    return (replace(found, kind=MISTAKEN) if uses and found.kind == OMITTED else found), uses


def _confusions(of: Injector, found: Injection) -> list[Confusion]:
    steps = of.new.trail.steps
    wrong = [
        (steps[step], used)
        for (step, used), given in found.uses.items()
        if _is_wrong(of, given, used)
    ]
    is_told = all(isinstance(given, int) for given in found.uses.values())
    if not wrong or not (is_told or of.old.says_something(found.old)):
        return []
    index = None if is_told else _mended_index(of, found)
    sites: dict[tuple[object, ...], list[tuple[Step, int]]] = {}
    for step, used in wrong:
        sites.setdefault((step.key, step.operands.index(used)), []).append((step, used))
    made: list[Confusion] = []
    for site in sites.values():
        every = [
            _meant(of, found.uses[step.number, used], step, used, index) for step, used in site
        ]
        common = set.intersection(*map(set, every))
        if not common:
            return []
        # The operation that runs last before the first use is the closest.
        key = max(common, key=lambda key: every[0][key])
        made += [(step, used, meant[key]) for (step, used), meant in zip(site, every)]
    return made


def _mended_index(of: Injector, found: Injection) -> Index:
    """Return an index of the port's values once the right values are used; later iterations are right then."""
    trail = of.new.trail
    changed = replay(trail, found.values, found.uses, range(len(trail.values))) or {}
    return Index(of.new.of(mended(trail, changed)))


def _is_wrong(of: Injector, given: Any, used: int) -> bool:
    if isinstance(given, int):
        return given != used
    right, held = flattened(given), of.new.flat(used)
    return right is not None and held is not None and not same(right, held, of.new.tolerance(used))


def _meant(
    of: Injector, given: Any, step: Step, used: int, index: Index | None
) -> dict[tuple[object, ...], int]:
    """Return the values of the port that are meant at a use, by the operations that computed them."""
    if isinstance(given, int):
        equal = [given]
    else:
        equal = sorted(index.equal_to(flattened(given), of.new.tolerance(used))) if index else []
    return {
        (maker.key, maker.results.index(number), step.passed - maker.passed): number
        for number in equal
        if (maker := of.new.trail.maker(number)) is not None
        and maker.place != NOWHERE
        and maker.number < step.number
    }
