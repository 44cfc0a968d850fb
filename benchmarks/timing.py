"""Time candidates in turns, so that a slow moment of the machine affects all of them.

A ratio is the median of the ratios of all rounds. Its spread is an interval that contains the true median of
such rounds in 99 of 100 runs, whatever their distribution is; with fewer than eight rounds it is all of them.
"""

from __future__ import annotations

import dataclasses
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

import jax
import numpy as np

# The share of the machine that others may take while something is timed.
MOST_OTHERS = 0.05
# How often a spread may miss the true median, on both sides together.
_MISSED = 0.01


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
      spread: the least and the largest ratio that the rounds are consistent with; `None` for figures
        that are the same in each run, such as counts.
      others: the share of the machine that other programs took meanwhile.
    """

    question: str
    against: str
    ours: str
    theirs: str
    ratio: float
    goal: float | None
    spread: tuple[float, float] | None = None
    others: float = 0.0

    @property
    def range(self) -> tuple[float, float]:
        """The spread; of a figure that has none, the figure itself."""
        return self.spread or (self.ratio, self.ratio)

    @property
    def is_noisy(self) -> bool:
        """Whether the figure was timed while other programs ran."""
        return self.spread is not None and self.others > MOST_OTHERS

    @property
    def verdict(self) -> str:
        """`met` or `missed`; `noisy` if the measurement cannot tell, nothing without a goal."""
        if self.goal is None:
            return ""
        low, high = self.range
        if self.is_noisy or low <= self.goal < high:
            return "noisy"
        return "met" if high <= self.goal else "missed"


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
) -> dict[str, list[float]]:
    """Return the seconds of each candidate, round by round.

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
    return times


def say(value: float) -> str:
    """Format seconds in a readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} us"


def spread(ratios: Sequence[float]) -> tuple[float, float]:
    """Return the interval that contains the median of the distribution of some ratios."""
    ordered, n, i = sorted(ratios), len(ratios), 0
    # The chance that the median is outside of the ratios i + 1 and n - i - 2, counted from 0.
    while 2 * sum(math.comb(n, j) for j in range(i + 2)) <= _MISSED * 2**n:
        i += 1
    return ordered[i], ordered[n - 1 - i]


def compare(
    question: str,
    times: Mapping[str, Sequence[float]],
    ours: str,
    goals: Mapping[str, float | None],
) -> list[Result]:
    """Return one result for each other candidate named in `goals`.

    Args:
      question: what was measured.
      times: the seconds of each candidate, round by round.
      ours: our candidate.
      goals: the goal against each other candidate.
    """
    results = []
    for other, goal in goals.items():
        ratios = [a / b for a, b in zip(times[ours], times[other], strict=True)]
        seconds = (say(statistics.median(times[name])) for name in (ours, other))
        results.append(
            Result(question, other, *seconds, statistics.median(ratios), goal, spread(ratios))
        )
    return results
