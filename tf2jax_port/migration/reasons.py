"""Explain why each step of a migration is at its position."""

from __future__ import annotations

import bisect
import dataclasses
from collections import defaultdict
from collections.abc import Sequence

from tf2jax_port.migration.steps import Step


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """The reason for the position of a step.

    Attributes:
      needs: the numbers of the steps that come before it because it imports them; steps that another of them needs
        are left out.
      possible: the number of steps that were possible at this position, including this step.
      next: the number of the step that would be here without this one; 0 if there is none.
      is_tie: whether that step needs as much work, so the names decide.
      since: the first position at which this step was possible.
      is_level: whether one of the steps from there on needs as much work, so the names decided.
      waited: whether this step needs less work than the one before it, which it imports.
    """

    needs: tuple[int, ...]
    possible: int
    next: int
    is_tie: bool
    since: int
    is_level: bool
    waited: bool


def reasons_of(steps: Sequence[Step]) -> tuple[Reason, ...]:
    """Return the reason of each step of a plan, in its order."""
    freed = defaultdict(
        list
    )  # the steps that become possible after another one; 0: at the beginning
    for step in steps:
        freed[max(step.needs, default=0)].append(step.number)

    def key(number: int) -> tuple[float, str, int]:
        step = steps[number - 1]
        return step.effort, min(step.files), number

    possible = sorted(key(number) for number in freed[0])
    needs = direct_needs(steps)
    reasons = []
    for step in steps:
        here = possible.pop(bisect.bisect_left(possible, key(step.number)))
        since = max(step.needs, default=0) + 1
        others = possible[0] if possible else None
        reasons.append(
            Reason(
                needs=needs[step.number],
                possible=len(possible) + 1,
                next=others[2] if others else 0,
                since=since,
                is_level=any(s.effort == step.effort for s in steps[since - 1 : step.number - 1]),
                is_tie=others is not None and others[0] == here[0],
                waited=step.number > 1 and here[0] < steps[step.number - 2].effort,
            )
        )
        for number in freed[step.number]:
            bisect.insort(possible, key(number))
    return tuple(reasons)


def _implied(steps: Sequence[Step]) -> dict[int, set[int]]:
    """Return for each step the steps that its own dependencies need."""
    below: dict[int, set[int]] = {}
    implied = {}
    for step in steps:
        implied[step.number] = set().union(*(below[n] for n in step.needs))
        below[step.number] = implied[step.number] | set(step.needs)
    return implied


def direct_needs(steps: Sequence[Step]) -> dict[int, tuple[int, ...]]:
    """Return for each step the steps that it needs, without steps that another of these needs."""
    implied = _implied(steps)
    return {
        step.number: tuple(n for n in step.needs if n not in implied[step.number]) for step in steps
    }
