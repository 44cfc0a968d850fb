"""Run a recorded program again with some values replaced."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.watch.trail import Again, Trail

# The number of operations after which a replay without improvement is given up.
_PATIENCE = 400

# The changed values, by their numbers.
Changed = Mapping[int, Any]
# Replacements of (step, operand): an array, or another value of the program.
Uses = Mapping[tuple[int, int], np.ndarray | int]


def replay(
    trail: Trail,
    values: Mapping[int, np.ndarray],
    uses: Uses,
    useful: Collection[int],
    promises: Callable[[Changed], bool] | None = None,
    instead: Mapping[int, Again] | None = None,
) -> dict[int, Any] | None:
    """Run a recorded program again with some of its values, or some uses of them, replaced.

    Args:
      trail: the program's run.
      values: a dict from values to the arrays that replace them everywhere.
      uses: a dict from single uses of values to their replacements.
      useful: the values of interest; steps that compute none of them are not run.
      promises: a function that returns whether to continue, given the changed values; called once
        in a long program.
      instead: a dict from step numbers to functions that replace the steps' operations.

    Returns:
      A dict of the changed values; `None` if the program fails with them or `promises` returns
      false.
    """
    import jax.numpy as jnp

    held = {n: jnp.asarray(a, dtype=_dtype(trail.values[n])) for n, a in values.items()}
    operand = _operands(trail, held, uses)
    others = instead or {}
    special = {step for step, _ in uses} | others.keys()

    # Only the steps that take changed values, in the order of the program.
    waiting = list(special | {user.number for n in values for user in trail.users(n)})
    heapq.heapify(waiting)
    last, ran = -1, 0
    while waiting:
        number = heapq.heappop(waiting)
        if number == last:
            continue
        last, step = number, trail.steps[number]
        again = others.get(number, step.again)
        if again is None or not any(r in useful for r in step.results):
            continue
        ran += 1
        if ran == _PATIENCE and promises is not None and not promises(held):
            return None
        operands = [operand(step.number, o) for o in step.operands]
        try:
            results = again(operands)
        except Exception:  # noqa: BLE001 - a value of the original need not fit here
            return None
        for result, array in zip(step.results, results):
            if result not in values:
                held[result] = array
                for user in trail.users(result):
                    heapq.heappush(waiting, user.number)
    return held


def _operands(trail: Trail, held: Mapping[int, Any], uses: Uses) -> Callable[[int, int], Any]:
    """Return a function that looks up operands of a step, with the replacements applied."""
    import jax.numpy as jnp

    placed, exchanged = {}, {}
    for use, given in uses.items():
        if isinstance(given, int):
            exchanged[use] = given
        else:
            placed[use] = jnp.asarray(given, dtype=_dtype(trail.values[use[1]]))

    def operand(step: int, number: int) -> Any:
        if (step, number) in placed:
            return placed[step, number]
        number = exchanged.get((step, number), number)
        return held.get(number, trail.values[number])

    return operand


def mended(trail: Trail, changed: Changed) -> Trail:
    """Return a copy of a trail (recorded run) with the changed values."""
    values = [changed.get(number, held) for number, held in enumerate(trail.values)]
    return Trail(trail.steps, values, trail.makers, trail.outputs, trail.names, trail.counter)


def _dtype(held: Any) -> Any:
    return getattr(held, "dtype", None)
