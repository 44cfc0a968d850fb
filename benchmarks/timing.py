"""Time candidates in turns, so that a slow moment of the machine affects all of them."""

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
    """A row of the table: our figure over (or beside) another.

    Attributes:
      question: what was measured.
      against: the comparison.
      ours: our figure with its unit.
      theirs: the other figure with its unit.
      ratio: ours divided by theirs, or a plain count where there is nothing to compare with.
      goal: the largest acceptable ratio; `None` for a figure without a goal.
    """

    question: str
    against: str
    ours: str
    theirs: str
    ratio: float
    goal: float | None

    @property
    def met(self) -> bool:
        """Whether the goal is met; always true without a goal."""
        return self.goal is None or self.ratio <= self.goal


def finish(value: object) -> None:
    """Wait for every array in `value`, JAX's or TensorFlow's."""
    for leaf in jax.tree.leaves(value):
        if hasattr(leaf, "block_until_ready"):
            leaf.block_until_ready()
        elif hasattr(leaf, "numpy"):
            np.asarray(leaf)


def seconds(call: Callable[[], object]) -> float:
    """Time one call until its arrays are ready."""
    start = time.perf_counter()
    finish(call())
    return time.perf_counter() - start


def in_turns(
    candidates: Mapping[str, Callable[[], object]], *, rounds: int, warm: int = 3, repeat: int = 1
) -> dict[str, float]:
    """Return the median seconds of each candidate.

    Args:
      candidates: the functions to call, by name.
      rounds: the number of rounds; each times every candidate once, in random order.
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
    """Format seconds in a readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} us"


def compare(
    question: str, times: Mapping[str, float], ours: str, goals: Mapping[str, float | None]
) -> list[Result]:
    """Return one result for each other candidate named in `goals`."""
    return [
        Result(
            question, other, say(times[ours]), say(times[other]), times[ours] / times[other], goal
        )
        for other, goal in goals.items()
    ]
