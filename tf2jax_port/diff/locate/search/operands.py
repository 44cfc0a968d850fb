"""Attribute a wrong result to the operands that are wrong, if the operation itself cannot be at fault."""

from __future__ import annotations

from dataclasses import replace

from tf2jax_port.diff.locate.match.frontier import before
from tf2jax_port.diff.locate.search.candidates import kind_of
from tf2jax_port.diff.locate.search.injection import (
    COMMON,
    LAYOUT,
    MISTAKEN,
    OMITTED,
    RESULT,
    Injection,
    position,
)
from tf2jax_port.diff.locate.search.trials import Trials
from tf2jax_port.diff.locate.watch.places import NOWHERE
from tf2jax_port.diff.locate.watch.trail import Step

# Operations that only put their operands side by side.
_ASSEMBLING = {"concatenate", "stack"}
# Operations on two numbers.
_OF_TWO = {"add", "sub", "mul", "div", "max", "min"}


def with_wrong_operands(trials: Trials, found: Injection) -> Injection:
    """Return the injection at the origin of the wrong operands, or the given one.

    Args:
      trials: the state of the search.
      found: an injection of a right result, after which the outputs agree.
    """
    theirs = trials.old.trail.maker(found.old)
    step = trials.new.trail.maker(found.new)
    is_result = len(found.values) == 1 and found.new in found.values
    if theirs is None or step is None or not is_result or kind_of(theirs) != _kind(step):
        return found
    if step.name in _ASSEMBLING:
        return _assembled(trials, found, step, theirs) or found
    if step.name in _OF_TWO:
        return _with_common_origin(trials, found, step) or found
    return found


def _kind(step: Step) -> str:
    return "concatenate" if step.name in _ASSEMBLING else step.name


def _assembled(trials: Trials, found: Injection, step: Step, theirs: Step) -> Injection | None:
    """Return an injection of the original's parts of an array in place of the port's parts."""
    pairs = [
        (mine, right)
        for mine, right in zip(step.operands, theirs.operands)
        if right not in trials.twins(mine)
    ]
    uses = {
        (step.number, mine): laid
        for mine, right in pairs
        if (laid := trials.laid(right, mine)) is not None
    }
    if not pairs or len(uses) < len(pairs):
        return None
    first, right = _origin(trials, pairs[0][0], step), pairs[0][1]
    twins = trials.twins(first)
    if not twins:
        return None
    kind = OMITTED if any(right in trials.behind(twin) for twin in twins) else MISTAKEN
    tried = trials.tried(kind, step, first, right, {}, uses)
    return tried if tried is not None and tried.complete else None


def _origin(trials: Trials, number: int, user: Step) -> int:
    """Return the value that the line of `user` gave the layout of a value."""
    maker = trials.new.trail.maker(number)
    while maker is not None and maker.name in LAYOUT and maker.places == user.places:
        number = maker.operands[0]
        maker = trials.new.trail.maker(number)
    return number


def _is_right_in_part(trials: Trials, number: int) -> bool:
    """Return whether a computed value equals the original's only once padding is removed."""
    if trials.new.trail.maker(number) is None or not trials.new.says_something(number):
        return False
    whole = trials.old_index.equal_to(trials.new.flat(number), trials.new.tolerance(number))
    return next(whole, None) is None


def _with_common_origin(trials: Trials, found: Injection, step: Step) -> Injection | None:
    """Blame the last value from which both wrong operands were computed, such as a mask.

    One fault made both wrong. Return `None` if an operand is right, or if they have no such value.
    """
    trail, region = trials.new.trail, trials.new_region.values
    if found.kind != RESULT or len({*step.operands} & region) < 2:
        return None
    if any(trials.twins(operand) for operand in step.operands):
        return None  # a count says little, but it is right
    # Values that are right only where a mask selects them may be at fault elsewhere.
    doubtful = region | {n for n in trials.new_region.edge if _is_right_in_part(trials, n)}
    one, other = (before(trail, [operand]) & doubtful for operand in step.operands[:2])
    both = [n for n in one & other - {*step.operands} if position(trials.new, n) >= 0]
    if not both:
        return None
    origin = trail.steps[max(position(trials.new, n) for n in both)]
    is_told = origin.place not in (NOWHERE, step.place)
    return replace(found, kind=COMMON, step=origin) if is_told else None
