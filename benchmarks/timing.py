"""How things are timed here: in turns, so that a slow moment of the machine hits every candidate."""

from __future__ import annotations

import dataclasses
import random
import statistics
import time
from collections.abc import Callable, Mapping

import jax
import numpy as np


@dataclasses.dataclass(frozen=True)
class Result:
    """One line of the table: our figure over (or beside) somebody else's.

    Attributes:
      question: what was measured.
      against: what ours is compared with.
      ours: our figure with its unit.
      theirs: the other figure with its unit.
      ratio: ours divided by theirs, or a plain count where there is nothing to compare with.
      goal: the largest ratio that we accept; `None` for a figure that is only shown.
    """

    question: str
    against: str
    ours: str
    theirs: str
    ratio: float
    goal: float | None

    @property
    def met(self) -> bool:
        """Whether the goal is met; a figure without a goal always is."""
        return self.goal is None or self.ratio <= self.goal


def finish(value: object) -> None:
    """Waits for every array in `value`, JAX's or TensorFlow's."""
    for leaf in jax.tree.leaves(value):
        if hasattr(leaf, "block_until_ready"):
            leaf.block_until_ready()
        elif hasattr(leaf, "numpy"):
            np.asarray(leaf)


def seconds(call: Callable[[], object]) -> float:
    """One call, waited for."""
    start = time.perf_counter()
    finish(call())
    return time.perf_counter() - start


def in_turns(
    candidates: Mapping[str, Callable[[], object]], *, rounds: int, warm: int = 3, repeat: int = 1
) -> dict[str, float]:
    """Median seconds of each candidate.

    Args:
      candidates: what to call, by name.
      rounds: how often each is timed, one after the other in every round, in a random order.
      warm: untimed calls of each before the first round.
      repeat: calls within one timing, for calls too short for the clock.
    """
    for call in candidates.values():
        for _ in range(warm):
            finish(call())
    times: dict[str, list[float]] = {name: [] for name in candidates}
    order, shuffle = list(candidates.items()), random.Random(0).shuffle
    for _ in range(rounds):
        shuffle(
            order
        )  # the library that ran before leaves its threads awake and its data in the caches
        for name, call in order:
            times[name].append(seconds(lambda c=call: [c() for _ in range(repeat)]) / repeat)
    return {name: statistics.median(found) for name, found in times.items()}


def say(value: float) -> str:
    """Seconds in the unit that a person would use."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} us"


def compare(
    question: str, times: Mapping[str, float], ours: str, goals: Mapping[str, float | None]
) -> list[Result]:
    """One line per other candidate named in `goals`."""
    return [
        Result(
            question, other, say(times[ours]), say(times[other]), times[ours] / times[other], goal
        )
        for other, goal in goals.items()
    ]
