"""Measure the port's error relative to the rounding error of the original program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tf2jax_port.diff.values.pieces import holds_anywhere, in_pieces, pieces
from tf2jax_port.diff.values.precision import exact_wide, tiny, ulp

# The largest R that passes for a large array. docs/diff.md has its distribution over faithful ports
# and over faults. For a scalar chance matters more: the original may be exact by luck.
LIMIT = 4.0
FEW = 3.0

# No run is considered more exact than this many units in the last place of the array's size.
FLOOR_ULP = 2.0
# The same where there is no run in float64, so the original's own error is not known.
FLOOR_ULP_WITHOUT_TRUTH = 4.0

# Another TensorFlow lane measures rounding if its error is at most this many times that of TF eager;
# beyond that the two disagree, which is reported.
LANES_APART = 100.0

# The least factor by which a rounding error shrinks in double precision.
SHRINKS = 1e5
# The same for a remainder below single precision: the original may keep a constant in single
# precision in both runs, as TensorFlow does with the slope of `leaky_relu`.
SHRINKS_BELOW_SINGLE = 100.0

# What rounding leaves of the terms of a gradient that cancels, in units of a type coarser than float32.
_LEFT = 16.0

# An element has become a different number if its relative error exceeds this.
_FLIPPED = 1e-3

FLOAT64 = "float64"
RELATIVE = "relative"
EXACT = "exact"


@dataclass(frozen=True, slots=True)
class Closeness:
    """The error of one array relative to the error that is allowed.

    Attributes:
      basis: `"float64"` if the original's run in double precision was the truth, `"relative"` if
        TF eager was used instead, `"exact"` for integers and booleans.
      ratio: R, the port's error divided by the original's own error; 0 for equal arrays.
      limit: the largest R that passes.
      port_error: the port's error; root mean square or maximum, whichever gives the larger R.
      own_error: the original's own error in the same norm, at least a few ulp.
    """

    basis: str
    ratio: float
    limit: float
    port_error: float
    own_error: float

    @property
    def close(self) -> bool:
        """Whether the error is within the limit."""
        return self.ratio <= self.limit


@dataclass(frozen=True, slots=True)
class Gauge:
    """The array from which errors are measured, and the rounding error of the original program.

    Two norms are used: the maximum finds one wrong element among a million right elements, and the root mean square
    does
    not take a million slightly wrong elements for rounding.

    Attributes:
      basis: see `Closeness`.
      truth: the array from which errors are measured, in double precision.
      size: the magnitude of each element, or the magnitude that it could have had.
      own_rms: the original's own error, root mean square.
      own_max: the maximum of the original's own errors.
      natural: for a gradient, the magnitude of the outputs divided by that of the inputs; 0 if
        that is meaningless.
      coarse: the relative rounding error of a coarser type on the way, such as float16; 0 without one.
    """

    basis: str
    truth: np.ndarray
    size: np.ndarray
    own_rms: float
    own_max: float
    natural: float = 0.0
    coarse: float = 0.0

    def measure(self, array: np.ndarray, *, against: np.ndarray | None = None) -> Closeness:
        """Compare the error of `array` with the original's own rounding error.

        Errors are distances from `against`, by default from `truth`.
        """
        target = self.truth if against is None else against
        allowed = limit(max(1, array.size))
        worst = Closeness(self.basis, 0.0, allowed, 0.0, self.own_rms)
        for found, own in zip(norms(array, target), (self.own_rms, self.own_max), strict=True):
            ratio = 0.0 if found == 0 else (found / own if own else math.inf)
            if ratio > worst.ratio:
                worst = Closeness(self.basis, ratio, allowed, found, own)
        return worst

    def is_rounding(self, single: np.ndarray, double: np.ndarray) -> bool:
        """Return whether the port's error is only rounding: it vanishes in double precision.

        A fault keeps its size; rounding shrinks by the ratio of the precisions, 5e8.
        """
        coarse, fine = norms(single, self.truth)[1], norms(double, self.truth)[1]
        return fine <= max(coarse / SHRINKS, min(coarse / SHRINKS_BELOW_SINGLE, self.own_max))

    def widened(self, errors: Sequence[np.ndarray]) -> Gauge:
        """Return a gauge whose own error is at least as large as each of the given errors.

        errors: arrays of elementwise errors from further runs of the original program.
        """
        own_rms = max([self.own_rms, *(rms(e) for e in errors)])
        own_max = max([self.own_max, *(largest(e) for e in errors)])
        return replace(self, own_rms=own_rms, own_max=own_max)

    def relaxed(self) -> Gauge:
        """Return a gauge with a larger limit, to compare two lanes neither of which is the reference."""
        factor = LANES_APART / LIMIT
        return replace(self, own_rms=self.own_rms * factor, own_max=self.own_max * factor)

    def replaced(self, chosen: np.ndarray, taken: np.ndarray, dtype: np.dtype) -> Gauge:
        """Return the gauge with some elements of `truth` replaced by the elements of `chosen`.

        taken: the mask of these elements.
        """
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
        """Return whether an error is within rounding, compared to the magnitude of the elements."""
        return error <= max(1e-3 * largest(self.size), 1e-5 * self.natural)

    def with_canceled(self, dtype: np.dtype) -> Gauge:
        """Return the gauge for a gradient that cancels to zero, allowing the rounding error of its terms.

        The gauge is unchanged unless the gradient is tiny: at most a ten-thousandth of `natural`, or, if a coarser
        type is on the way, what its rounding leaves of terms that cancel.
        """
        unit = max(ulp(dtype), self.coarse)
        if largest(self.size) > max(1e-4, _LEFT * self.coarse) * self.natural:
            return self
        least = FLOOR_ULP_WITHOUT_TRUTH * unit * self.natural
        return replace(self, own_rms=max(self.own_rms, least), own_max=max(self.own_max, least))

    def relative_noise(self) -> float:
        """Return the original's own error divided by the size of the array; 0 if the array is zero."""
        size = rms(self.size)
        return self.own_rms / size if size else 0.0


def gauge(
    dtype: np.dtype,
    reference: np.ndarray,
    truth: np.ndarray | None,
    baselines: Sequence[np.ndarray],
    scale: np.ndarray | None = None,
    coarse: float = 0.0,
) -> Gauge:
    """Make the gauge for arrays of floats: a reference, and the original program's rounding error.

    Args:
      dtype: the dtype in which the port computes.
      reference: the result of the original program.
      truth: its result in double precision, `None` if there is none.
      baselines: its results in the port's precision: TF eager first, then its other lanes.
      scale: the magnitude that an element could have had. A gradient that cancels to zero (such as that of a softmax
        whose cotangents are all 1) has the rounding error of the terms that canceled.
      coarse: the relative rounding error of a coarser type on the way, such as bfloat16; 0 without one.
    """
    anchor = _reference_or_truth(reference, reference if truth is None else truth)
    size = in_pieces(_magnitude, anchor)
    if scale is not None:
        size = in_pieces(lambda size, scale: np.maximum(size, _magnitude(scale)), size, scale)
    floor = FLOOR_ULP if truth is not None and baselines else FLOOR_ULP_WITHOUT_TRUTH
    floor = max(floor * ulp(dtype), coarse)
    own_rms = max(floor * rms(size), tiny(dtype))
    own_max = max(floor * largest(size), tiny(dtype))
    for number, baseline in enumerate(baselines):
        mean, most = _settled_norms(baseline, anchor)
        apart = mean > LANES_APART * own_rms or most > LANES_APART * own_max
        # A gradient in float16 that cancels is all rounding: no lane of the original has the right one.
        is_rounding = coarse > 0 and scale is not None
        if number == 0 or is_rounding or not apart:
            own_rms, own_max = max(own_rms, mean), max(own_max, most)
    basis = RELATIVE if truth is None else FLOAT64
    return Gauge(basis, anchor, size, own_rms, own_max, coarse=coarse)


def _reference_or_truth(reference: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return `truth`, but the elements of `reference` where either array is not finite."""

    def chosen(given: np.ndarray, truth: np.ndarray) -> np.ndarray:
        both = np.isfinite(given) & np.isfinite(truth)
        return np.where(both, exact_wide(truth), exact_wide(given))

    if holds_anywhere(lambda a, b: ~(np.isfinite(a) & np.isfinite(b)), reference, truth):
        return in_pieces(chosen, reference, truth)
    return exact_wide(truth)


def _magnitude(array: np.ndarray) -> np.ndarray:
    return np.abs(np.where(np.isfinite(array), array, 0))


def _settled_norms(array: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Return the root mean square and the maximum of the errors that `settled` returns.

    The median that `settled` computes is skipped if all errors are small.
    """

    def large(a: np.ndarray, truth: np.ndarray) -> np.ndarray:
        return distance(exact_wide(a), truth) > _FLIPPED * _magnitude(truth)

    if not holds_anywhere(large, array, truth):
        return norms(array, truth)
    error = settled(exact_wide(array), truth)
    return rms(error), largest(error)


def settled(array: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the absolute errors, with 0 for outliers that rounding cannot explain.

    If a mask flips in float32, the error is as large as the element. It says nothing about the
    rounding of other elements.
    """
    error, size = in_pieces(distance, array, truth), in_pieces(_magnitude, truth)
    if error.size < 2:
        return error
    typical = max(float(np.median(error)), 1e-7 * rms(size))
    flipped = (error > _FLIPPED * size) & (error > 100 * typical)
    return np.where(flipped, 0.0, error)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return |a - b| elementwise; 0 where either is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(a - b)
        if np.isfinite(apart).all():
            return apart
        finite = np.isfinite(a) & np.isfinite(b)
        return np.where(finite, np.abs(np.where(finite, a, 0) - np.where(finite, b, 0)), 0.0)


def norms(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Return the root mean square and the maximum of |a - b|."""
    return _norms(distance(exact_wide(x), exact_wide(y)) for x, y in pieces(a, b))


def limit(count: int) -> float:
    """Return the largest ratio R that passes for an array of `count` elements.

    R is the error of the port divided by the error of the original, both against the original in float64.
    """
    return LIMIT * (1 + FEW / count)


def largest(errors: np.ndarray) -> float:
    """Return the maximum of an array of nonnegative numbers; 0 if it is empty."""
    return float(np.max(errors)) if errors.size else 0.0


def rms(errors: np.ndarray) -> float:
    """Return the root mean square, computed without overflow; 0 for an empty array."""
    return _norms(part for (part,) in pieces(errors))[0]


def _norms(parts: Iterable[np.ndarray]) -> tuple[float, float]:
    """Return the root mean square and the maximum of an array that is given in pieces."""
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
