"""Random functions: do two of them draw from the same distribution?

Every number that is compared is one of many independent draws: elements of the result, its mean, its
mean square, its extremes, and random sums of its elements, which see what single elements do not (a mask
that is shared, a row that is drawn once), and how much these differ from call to call. Two samples of each are held against each other by
the largest distance of their distribution functions (Kolmogorov and Smirnov).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import ONES, Observation, Quantity, value_of
from tf2jax_port.diff.values.precision import exact_wide, read_only

# How often two equal distributions are taken for different ones: once in a million arrays. The bound
# holds for samples of every size (Wei and Dudley 2012), and for all numbers of an array together.
FALSE_ALARM = 1e-6
_BOUND = 2.17

_ELEMENTS, _SUMS = 256, 16
# What two programs round otherwise is the same number.
_SAME = 1e-5
_SEEDS = ("seed", "key", "rng")


@dataclass(frozen=True, slots=True)
class Draws:
    """What a lane gave, call after call.

    Attributes:
      samples: for each output and gradient its arrays; a `Failure` where a call failed.
    """

    samples: Mapping[Quantity, list[np.ndarray]] | Failure


@dataclass(frozen=True, slots=True)
class Distance:
    """How far two samples are apart.

    Attributes:
      largest: the largest distance of two distribution functions, from 0 to 1.
      allowed: what chance may make of it.
      where: the number that it belongs to.
      words: what is wrong, empty where nothing is.
    """

    largest: float
    allowed: float
    where: str
    words: str = ""


def draw(run: Callable[[Arguments], Observation], case: Arguments, count: int) -> Draws:
    """Call a lane again and again.

    Args:
      run: one call, without setting the seeds.
      case: its inputs; an integer argument called `seed`, `key` or `rng` grows with every call.
      count: how often.
    """
    samples: dict[Quantity, list[np.ndarray]] = {}
    for number in range(count):
        seen = run(_grown(case, number))
        if isinstance(seen.outputs, Failure):
            return Draws(seen.outputs)
        gradients = seen.gradients.get(ONES, {})
        taken = {} if isinstance(gradients, Failure) else gradients
        found = [Quantity("output", path) for path in seen.outputs]
        found += [Quantity("gradient", path, ONES) for path in taken]
        for quantity in found:
            array = value_of(seen, quantity)
            if isinstance(array, np.ndarray):
                samples.setdefault(quantity, []).append(array)
    return Draws(samples)


def distance(old: Sequence[np.ndarray], new: Sequence[np.ndarray]) -> Distance:
    """How far the draws of two functions are apart."""
    if is_constant(new) and not is_constant(old):
        words = "the port gives the same numbers every time: its key depends on no seed"
        return Distance(1.0, 0.0, "every element", words)
    names, one, other = _statistics(old, new)
    pairs = [(name, one[:, i], other[:, i]) for i, name in enumerate(names)]
    # Differences of two calls tell of the spread, whatever the mean.
    spreads = [
        (f"the spread of {n}", abs(a[1::2] - a[:-1:2]), abs(b[1::2] - b[:-1:2]))
        for n, a, b in pairs
        if not n.startswith("element")
    ]
    found = [_measured(*pair, 2 * len(pairs)) for pair in (*pairs, *spreads)]
    return max(found, key=lambda one: one.largest / one.allowed)


def _measured(name: str, old: np.ndarray, new: np.ndarray, count: int) -> Distance:
    """How far two samples of one number of at most `count` are apart."""
    allowed = math.sqrt(math.log(_BOUND * count / FALSE_ALARM) / min(len(old), len(new)))
    apart, words = _apart(old, new), ""
    if apart > allowed:
        words = (
            f"another distribution of {name}: distance {apart:.2g}, chance makes at most "
            f"{allowed:.2g}; means {float(np.mean(old)):.4g} and {float(np.mean(new)):.4g}"
        )
    return Distance(apart, allowed, name, words)


def is_constant(samples: Sequence[np.ndarray]) -> bool:
    """Whether all draws are the same."""
    first = samples[0]
    return all(a.shape == first.shape and a.tobytes() == first.tobytes() for a in samples[1:])


def _statistics(
    old: Sequence[np.ndarray], new: Sequence[np.ndarray]
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of numbers, and for both sides a row of them for each draw."""
    shapes = {array.shape for array in (*old, *new)}
    if len(shapes) > 1:  # how many elements there are is drawn, too
        names = ["the size", "the mean", "the mean square", "the least", "the largest"]
        return names, *_rows(_summary, old, new)
    (shape,) = shapes
    size = math.prod(shape)
    chosen = np.unique(np.linspace(0, max(0, size - 1), min(size, _ELEMENTS)).astype(int))
    weights = np.random.default_rng(0).standard_normal((size, _SUMS)) / math.sqrt(max(1, size))
    names = [f"element {[int(n) for n in np.unravel_index(i, shape)]}" for i in chosen]
    names += ["the size", "the mean", "the mean square", "the least", "the largest"]
    names += ["a random sum of elements"] * _SUMS

    def row(array: np.ndarray) -> np.ndarray:
        flat = _real(array)
        finite = np.where(np.isfinite(flat), flat, 0)
        picked = np.nan_to_num(flat[chosen], nan=1e30, posinf=2e30, neginf=-2e30)
        return np.concatenate([picked, _summary(array), finite @ weights])

    return names, *_rows(row, old, new)


def _rows(
    row: Callable[[np.ndarray], np.ndarray], old: Sequence[np.ndarray], new: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row(a) for a in old]), np.array([row(a) for a in new])


def _summary(array: np.ndarray) -> np.ndarray:
    flat = _real(array)
    finite = flat[np.isfinite(flat)]
    if not finite.size:
        return np.array([flat.size, 0, 0, 0, 0], np.float64)
    most = [finite.mean(), np.mean(np.square(finite)), finite.min(), finite.max()]
    return np.array([flat.size, *most])


def _real(array: np.ndarray) -> np.ndarray:
    """The elements as numbers that have an order; of complex ones the sum of both parts."""
    wide = exact_wide(array).reshape(-1)
    return wide.real + 1.7 * wide.imag if wide.dtype.kind == "c" else wide


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """The largest distance of two distribution functions, of which one may be shifted a little."""
    a, b = np.sort(one), np.sort(other)
    slack = _SAME * max(np.max(np.abs(a)), np.max(np.abs(b)))
    points = np.concatenate([a, b])

    def share(sample: np.ndarray, at: np.ndarray) -> np.ndarray:
        return np.searchsorted(sample, at, side="right") / len(sample)

    first = share(a, points) - share(b, points + slack)
    second = share(b, points) - share(a, points + slack)
    return float(max(first.max(), second.max(), 0.0))


def _grown(case: Arguments, by: int) -> Arguments:
    """The case for one more call: with another seed, where it has one."""
    arrays = [
        read_only(np.asarray(array + array.dtype.type(by)))
        if name in _SEEDS and array.dtype.kind in "iu"
        else array
        for name, array in zip(case.paths, case.arrays)
    ]
    return case.with_arrays(arrays)
