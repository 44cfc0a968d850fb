"""Test whether two random functions sample from the same distribution.

Every statistic is computed from many independent samples: elements of the result, its mean, its mean
square, its extremes, and random sums of its elements, which reveal what single elements do not (a
shared mask, a row that is sampled once), and how much these vary from call to call. The two samples of
each statistic are compared with the Kolmogorov-Smirnov test, by the largest distance between their
distribution functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import ONES, Observation, Quantity, value_of
from tf2jax_port.diff.values.other_seeds import other_seeds
from tf2jax_port.diff.values.precision import exact_wide, read_only

# The probability of reporting equal distributions as different, per array. The bound holds for samples
# of every size (Wei and Dudley 2012), and for all statistics of an array together.
FALSE_ALARM = 1e-6
_BOUND = 2.17

_ELEMENTS, _SUMS = 256, 16
# Numbers that differ by less than this relative error are the same up to rounding.
_SAME = 1e-5
_SEEDS = ("seed", "key", "rng")


@dataclass(frozen=True, slots=True)
class Draws:
    """The random results of calling a lane repeatedly.

    Attributes:
      samples: for each output and gradient, one array per call; a `Failure` if a call failed.
    """

    samples: Mapping[Quantity, list[np.ndarray]] | Failure


@dataclass(frozen=True, slots=True)
class Distance:
    """The distance between the distributions of two samples.

    Attributes:
      largest: the largest distance between two distribution functions, from 0 to 1.
      allowed: the largest distance that chance explains.
      where: the statistic with this distance.
      words: what differs, empty if nothing does.
    """

    largest: float
    allowed: float
    where: str
    words: str = ""


def draw(run: Callable[[Arguments], Observation], case: Arguments, count: int) -> Draws:
    """Call a lane repeatedly, and collect the random results.

    Args:
      run: one call, without setting the seeds.
      case: its inputs; an integer argument called `seed`, `key` or `rng` is incremented at each call.
      count: the number of calls.
    """
    samples: dict[Quantity, list[np.ndarray]] = {}
    for number in range(count):
        with other_seeds(number):
            seen = run(_with_next_seed(case, number))
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
    """Measure the distance between the distributions of the results of two functions."""
    if is_constant(new) and not is_constant(old):
        words = "the port returns the same numbers in every call, because the key does not depend on a seed"
        return Distance(1.0, 0.0, "every element", words)
    names, one, other = _statistics(old, new)
    pairs = [(name, one[:, i], other[:, i]) for i, name in enumerate(names)]
    # Differences of two calls measure the spread independently of the mean.
    spreads = [
        (f"the spread of {n}", abs(a[1::2] - a[:-1:2]), abs(b[1::2] - b[:-1:2]))
        for n, a, b in pairs
        if not n.startswith("element")
    ]
    found = [_compare_statistic(*pair, 2 * len(pairs)) for pair in (*pairs, *spreads)]
    return max(found, key=lambda one: one.largest / one.allowed)


def _compare_statistic(name: str, old: np.ndarray, new: np.ndarray, count: int) -> Distance:
    """Compare the values of one statistic with the Kolmogorov-Smirnov test.

    `count` is the number of statistics that are compared in total.
    """
    allowed = math.sqrt(math.log(_BOUND * count / FALSE_ALARM) / min(len(old), len(new)))
    apart, words = _ks_distance(old, new), ""
    if apart > allowed:
        words = (
            f"the distribution of {name} differs: the distance between the two distributions is {apart:.2g}, and "
            f"chance explains at most {allowed:.2g}; the means are {float(np.mean(old)):.4g} and "
            f"{float(np.mean(new)):.4g}"
        )
    return Distance(apart, allowed, name, words)


def is_constant(samples: Sequence[np.ndarray]) -> bool:
    """Return whether all samples are identical."""
    first = samples[0]
    return all(a.shape == first.shape and a.tobytes() == first.tobytes() for a in samples[1:])


def _statistics(
    old: Sequence[np.ndarray], new: Sequence[np.ndarray]
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Compute statistics of every sample: return their names, and a matrix for each function.

    A matrix has one row per sample and one column per statistic.
    """
    shapes = {array.shape for array in (*old, *new)}
    if len(shapes) > 1:  # the size is random, too
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
        flat = _as_reals(array)
        finite = np.where(np.isfinite(flat), flat, 0)
        picked = np.nan_to_num(flat[chosen], nan=1e30, posinf=2e30, neginf=-2e30)
        return np.concatenate([picked, _summary(array), finite @ weights])

    return names, *_rows(row, old, new)


def _rows(
    row: Callable[[np.ndarray], np.ndarray], old: Sequence[np.ndarray], new: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row(a) for a in old]), np.array([row(a) for a in new])


def _summary(array: np.ndarray) -> np.ndarray:
    flat = _as_reals(array)
    finite = flat[np.isfinite(flat)]
    if not finite.size:
        return np.array([flat.size, 0, 0, 0, 0], np.float64)
    most = [finite.mean(), np.mean(np.square(finite)), finite.min(), finite.max()]
    return np.array([flat.size, *most])


def _as_reals(array: np.ndarray) -> np.ndarray:
    """Flatten an array to real numbers; a complex number becomes a weighted sum of its two parts."""
    wide = exact_wide(array).reshape(-1)
    return wide.real + 1.7 * wide.imag if wide.dtype.kind == "c" else wide


def _ks_distance(one: np.ndarray, other: np.ndarray) -> float:
    """Compute the Kolmogorov-Smirnov distance of two samples, tolerating shifts by rounding."""
    a, b = np.sort(one), np.sort(other)
    slack = _SAME * max(np.max(np.abs(a)), np.max(np.abs(b)))
    points = np.concatenate([a, b])

    def share(sample: np.ndarray, at: np.ndarray) -> np.ndarray:
        return np.searchsorted(sample, at, side="right") / len(sample)

    first = share(a, points) - share(b, points + slack)
    second = share(b, points) - share(a, points + slack)
    return float(max(first.max(), second.max(), 0.0))


def _with_next_seed(case: Arguments, by: int) -> Arguments:
    """Return the arguments of a further call, with integer seeds among them increased by `by`."""
    arrays = [
        read_only(np.asarray(array + array.dtype.type(by)))
        if name in _SEEDS and array.dtype.kind in "iu"
        else array
        for name, array in zip(case.paths, case.arrays)
    ]
    return case.with_arrays(arrays)
