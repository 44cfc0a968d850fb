"""How close is close: the port's error measured by the original's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tf2jax_port.diff.values.pieces import holds_anywhere, in_pieces, pieces
from tf2jax_port.diff.values.precision import exact_wide, tiny, ulp

# What R may be for a large array. docs/diff.md has the distribution over faithful ports and over
# faults. In a scalar, luck decides more: the original may have hit the exact result.
LIMIT = 4.0
FEW = 3.0

# No run is taken to be more exact than this many units in the last place of the array's size.
FLOOR_ULP = 2.0
# The same where there is no run in float64, so that the original's own error is not known.
FLOOR_ULP_WITHOUT_TRUTH = 4.0

# Another TensorFlow lane counts as a measure of rounding while its error is at most this many
# times that of TF eager; beyond that the two disagree, which is said and not smoothed over.
LANES_APART = 100.0

# By how much at least an error shrinks in double precision if it is rounding.
SHRINKS = 1e5
# The same where less is left than single precision tells apart: the original may hold a constant
# in single precision in both runs, as TensorFlow does with the slope of `leaky_relu`.
SHRINKS_BELOW_SINGLE = 100.0

# An element is another number altogether if it is off by more than this part of its size.
_FLIPPED = 1e-3

FLOAT64 = "float64"
RELATIVE = "relative"
EXACT = "exact"


@dataclass(frozen=True, slots=True)
class Closeness:
    """The outcome for one array.

    Attributes:
      basis: `"float64"` when the original's run in double precision was the truth, `"relative"`
        when TF eager stood in for it, `"exact"` for integers and booleans.
      ratio: R, the port's error over the original's own; 0 for equal arrays.
      limit: what R may be.
      port_error: the port's error; root mean square or largest, whichever decides.
      own_error: the original's own in the same norm, never less than a few ulp.
    """

    basis: str
    ratio: float
    limit: float
    port_error: float
    own_error: float

    @property
    def close(self) -> bool:
        """Whether the array passes."""
        return self.ratio <= self.limit


@dataclass(frozen=True, slots=True)
class Gauge:
    """What errors are measured from, and by.

    Two norms, so that one wrong element is not lost among a million right ones, and a million
    slightly wrong ones do not pass for rounding.

    Attributes:
      basis: see `Closeness`.
      truth: the array from which errors are taken, in double precision.
      size: how large each element is, or could have been.
      own_rms: the original's own error, root mean square.
      own_max: the largest of the original's own errors.
      natural: for a gradient, how large outputs over inputs are; 0 where that says nothing.
    """

    basis: str
    truth: np.ndarray
    size: np.ndarray
    own_rms: float
    own_max: float
    natural: float = 0.0

    def measure(self, array: np.ndarray, *, against: np.ndarray | None = None) -> Closeness:
        """How far `array` is from the truth, or from another array."""
        target = self.truth if against is None else against
        allowed = limit(max(1, array.size))
        worst = Closeness(self.basis, 0.0, allowed, 0.0, self.own_rms)
        for found, own in zip(norms(array, target), (self.own_rms, self.own_max), strict=True):
            ratio = 0.0 if found == 0 else (found / own if own else math.inf)
            if ratio > worst.ratio:
                worst = Closeness(self.basis, ratio, allowed, found, own)
        return worst

    def is_rounding(self, single: np.ndarray, double: np.ndarray) -> bool:
        """Whether the port's error goes away when the port runs in double precision.

        A fault stays as large as it is; rounding shrinks by the ratio of the precisions, 5e8.
        """
        coarse, fine = norms(single, self.truth)[1], norms(double, self.truth)[1]
        return fine <= max(coarse / SHRINKS, min(coarse / SHRINKS_BELOW_SINGLE, self.own_max))

    def widened(self, errors: Sequence[np.ndarray]) -> Gauge:
        """The gauge with more samples of the original's own error."""
        own_rms = max([self.own_rms, *(rms(e) for e in errors)])
        own_max = max([self.own_max, *(largest(e) for e in errors)])
        return replace(self, own_rms=own_rms, own_max=own_max)

    def relaxed(self) -> Gauge:
        """The gauge for lanes of which one is not the judge of the other."""
        factor = LANES_APART / LIMIT
        return replace(self, own_rms=self.own_rms * factor, own_max=self.own_max * factor)

    def replaced(self, chosen: np.ndarray, taken: np.ndarray, dtype: np.dtype) -> Gauge:
        """The gauge with other answers as the truth in some places."""
        taken = in_pieces(lambda taken, other: taken & np.isfinite(other), taken, chosen)
        truth = in_pieces(
            lambda taken, other, truth: np.where(taken, exact_wide(other), truth),
            taken,
            chosen,
            self.truth,
        )
        size = in_pieces(
            lambda taken, truth, size: np.where(taken, np.abs(np.where(taken, truth, 0)), size),
            taken,
            truth,
            self.size,
        )
        least = FLOOR_ULP_WITHOUT_TRUTH * ulp(dtype)
        own_rms = max(self.own_rms, least * rms(size))
        own_max = max(self.own_max, least * largest(size))
        return replace(self, truth=truth, size=size, own_rms=own_rms, own_max=own_max)

    def is_small(self, error: float) -> bool:
        """Whether an error is of the size that rounding has, not of the size of an element."""
        return error <= max(1e-3 * largest(self.size), 1e-5 * self.natural)

    def with_cancelled(self, dtype: np.dtype) -> Gauge:
        """The gauge for a gradient that cancels to nothing, with the rounding of its terms.

        Only where what is left is less than a ten-thousandth of outputs over inputs.
        """
        if largest(self.size) > 1e-4 * self.natural:
            return self
        least = FLOOR_ULP_WITHOUT_TRUTH * ulp(dtype) * self.natural
        return replace(self, own_rms=max(self.own_rms, least), own_max=max(self.own_max, least))

    def relative_noise(self) -> float:
        """The original's own error over the size of the array; 0 for an array of zeros."""
        size = rms(self.size)
        return self.own_rms / size if size else 0.0


def gauge(
    dtype: np.dtype,
    reference: np.ndarray,
    truth: np.ndarray | None,
    baselines: Sequence[np.ndarray],
    scale: np.ndarray | None = None,
) -> Gauge:
    """How to judge arrays of rounded numbers.

    Args:
      dtype: the type in which the port works.
      reference: what the original gave.
      truth: what it gives in double precision, `None` where that cannot be had.
      baselines: what it gives in the port's precision: TF eager first, then its other lanes.
      scale: the size that an element could have had. A gradient that cancels to nothing (ones fed
        into a softmax) has the rounding of the terms that cancelled.
    """
    anchor = _anchor(reference, reference if truth is None else truth)
    size = in_pieces(_size, anchor)
    if scale is not None:
        size = in_pieces(lambda size, scale: np.maximum(size, _size(scale)), size, scale)
    floor = FLOOR_ULP if truth is not None and baselines else FLOOR_ULP_WITHOUT_TRUTH
    floor *= ulp(dtype)
    own_rms = max(floor * rms(size), tiny(dtype))
    own_max = max(floor * largest(size), tiny(dtype))
    for number, baseline in enumerate(baselines):
        mean, most = _settled_norms(baseline, anchor)
        apart = mean > LANES_APART * own_rms or most > LANES_APART * own_max
        if number == 0 or not apart:
            own_rms, own_max = max(own_rms, mean), max(own_max, most)
    return Gauge(RELATIVE if truth is None else FLOAT64, anchor, size, own_rms, own_max)


def _anchor(reference: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The truth; where one of the two is not finite there is no error: what was given stands in."""

    def chosen(given: np.ndarray, truth: np.ndarray) -> np.ndarray:
        both = np.isfinite(given) & np.isfinite(truth)
        return np.where(both, exact_wide(truth), exact_wide(given))

    if holds_anywhere(lambda a, b: ~(np.isfinite(a) & np.isfinite(b)), reference, truth):
        return in_pieces(chosen, reference, truth)
    return exact_wide(truth)


def _size(array: np.ndarray) -> np.ndarray:
    return np.abs(np.where(np.isfinite(array), array, 0))


def _settled_norms(array: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """The norms of `settled`, without its median where nothing can have flipped."""

    def large(a: np.ndarray, truth: np.ndarray) -> np.ndarray:
        return distance(exact_wide(a), truth) > _FLIPPED * _size(truth)

    if not holds_anywhere(large, array, truth):
        return norms(array, truth)
    error = settled(exact_wide(array), truth)
    return rms(error), largest(error)


def settled(array: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The errors, without those of elements that came out as another number altogether.

    A mask that flips in float32 gives an error as large as the element. It is no measure of
    rounding for the others.
    """
    error, size = in_pieces(distance, array, truth), in_pieces(_size, truth)
    if error.size < 2:
        return error
    typical = max(float(np.median(error)), 1e-7 * rms(size))
    flipped = (error > _FLIPPED * size) & (error > 100 * typical)
    return np.where(flipped, 0.0, error)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b|, 0 where either is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(a - b)
        if np.isfinite(apart).all():
            return apart
        finite = np.isfinite(a) & np.isfinite(b)
        return np.where(finite, np.abs(np.where(finite, a, 0) - np.where(finite, b, 0)), 0.0)


def norms(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The root of the mean square and the largest of `distance`."""
    return _norms(distance(exact_wide(x), exact_wide(y)) for x, y in pieces(a, b))


def limit(count: int) -> float:
    """What R may be over this many elements."""
    return LIMIT * (1 + FEW / count)


def largest(errors: np.ndarray) -> float:
    """The largest of some sizes; 0 for none."""
    return float(np.max(errors)) if errors.size else 0.0


def rms(errors: np.ndarray) -> float:
    """The root of the mean square; 0 for no elements, never an overflow."""
    return _norms(part for (part,) in pieces(errors))[0]


def _norms(parts: Iterable[np.ndarray]) -> tuple[float, float]:
    """Root mean square and largest of what comes in parts."""
    squares: list[tuple[float, float]] = []
    count, most = 0, 0.0
    for part in parts:
        here = float(np.max(part))
        count, most = count + part.size, max(most, here)
        if 0 < here < math.inf:
            squares.append((here, float(np.sum(np.square(part / here)))))
    if most == 0 or not math.isfinite(most):
        return most, most
    total = sum(square * (here / most) ** 2 for here, square in squares)
    return most * math.sqrt(total / count), most
