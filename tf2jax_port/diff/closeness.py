"""How close is close: the port's error measured by the original's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tf2jax_port.diff.precision import exact_wide, tiny, ulp

# R of faithful ports is mostly below 1, of visible faults above 1,000 (docs/diff.md has the
# measurement). An element more or less decides little in a large array and everything in a scalar,
# so the limit is wider where few elements are looked at.
LIMIT = 4.0
FEW = 3.0

# No run is taken to be more exact than this many units in the last place.
FLOOR_ULP = 2.0
# The same where there is no run in float64, so that the original's own error is not known.
FLOOR_ULP_WITHOUT_TRUTH = 4.0

# Another TensorFlow lane counts as a measure of rounding while its error is at most this many
# times that of TF eager; beyond that the two disagree, which is said and not smoothed over.
LANES_APART = 100.0

_BITS_PER_BAND = 10
_ZERO_BAND = -(10**6)

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
      port_error: root mean square of port - truth, in the band that decides.
      own_error: root mean square of the original's error there, never less than a few ulp.
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

    Elements are judged in bands of magnitude of a thousand each, so that a fault in small elements
    is not hidden by the rounding of large ones.

    Attributes:
      basis: see `Closeness`.
      truth: the array from which errors are taken, in double precision.
      size: how large each element is, or could have been.
      band: for each element the band it is in.
      own: for each band the original's own error.
    """

    basis: str
    truth: np.ndarray
    size: np.ndarray
    band: np.ndarray
    own: dict[int, float]

    def measure(self, array: np.ndarray, *, against: np.ndarray | None = None) -> Closeness:
        """How far `array` is from the truth, or from another array."""
        target = self.truth if against is None else exact_wide(against)
        error = _distance(exact_wide(array), target)
        worst = Closeness(self.basis, 0.0, limit(max(1, error.size)), 0.0, 1.0)
        for band, own in self.own.items():
            inside = error[self.band == band]
            if not inside.size:
                continue
            found = rms(inside)
            ratio = 0.0 if found == 0 else (found / own if own else math.inf)
            if ratio / limit(inside.size) > worst.ratio / worst.limit:
                worst = Closeness(self.basis, ratio, limit(inside.size), found, own)
        return worst

    def per_element(self) -> np.ndarray:
        """The original's own error for each element."""
        scale = np.zeros(self.band.shape)
        for band, own in self.own.items():
            scale[self.band == band] = own
        return scale

    def widened(self, noise: np.ndarray) -> Gauge:
        """The gauge with an estimate of the rounding of each element taken into account."""
        own = {band: max(error, rms(noise[self.band == band])) for band, error in self.own.items()}
        return replace(self, own=own)

    def relaxed(self) -> Gauge:
        """The gauge for lanes of which one is not the judge of the other."""
        factor = LANES_APART / LIMIT
        return replace(self, own={band: error * factor for band, error in self.own.items()})

    def replaced(self, chosen: np.ndarray, taken: np.ndarray, dtype: np.dtype) -> Gauge:
        """The gauge with other answers as the truth in some places."""
        other = exact_wide(chosen)
        taken = taken & np.isfinite(other)
        truth = np.where(taken, other, self.truth)
        size = np.where(taken, np.abs(np.where(taken, other, 0)), self.size)
        band = bands(size)
        own = dict(self.own)
        for name in np.unique(band[taken]).tolist():
            least = FLOOR_ULP_WITHOUT_TRUTH * ulp(dtype) * rms(size[taken & (band == name)])
            own[name] = max(own.get(name, 0.0), least, tiny(dtype))
        return Gauge(self.basis, truth, size, band, own)

    def relative_noise(self) -> float:
        """The original's own error over the size of the array; 0 for an array of zeros."""
        size = rms(self.size)
        return rms(self.per_element()) / size if size else 0.0


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
    anchor = exact_wide(reference if truth is None else truth)
    given = exact_wide(reference)
    # Where one of the two is not finite there is no error to speak of: what was given stands in.
    anchor = np.where(np.isfinite(anchor) & np.isfinite(given), anchor, given)
    magnitude = np.abs(np.where(np.isfinite(anchor), anchor, 0))
    if scale is not None:
        magnitude = np.maximum(magnitude, np.where(np.isfinite(scale), np.abs(scale), 0))
    band = bands(magnitude)
    floor = FLOOR_ULP if truth is not None and baselines else FLOOR_ULP_WITHOUT_TRUTH
    own = {}
    for name in np.unique(band).tolist():
        inside = band == name
        least = max(floor * ulp(dtype) * rms(magnitude[inside]), tiny(dtype))
        own[name] = _own_error([b[inside] for b in baselines], anchor[inside], least)
    return Gauge(RELATIVE if truth is None else FLOAT64, anchor, magnitude, band, own)


def _own_error(baselines: Sequence[np.ndarray], anchor: np.ndarray, least: float) -> float:
    """The largest error of the runs that agree with the first but for rounding."""
    largest = least
    for number, baseline in enumerate(baselines):
        error = _settled(_distance(exact_wide(baseline), anchor), np.abs(anchor))
        found = rms(error)
        if number == 0 or found <= LANES_APART * largest:
            largest = max(largest, found)
    return largest


def _settled(error: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The errors without those of elements that came out as another number altogether.

    A mask that flips in float32 gives an error as large as the element. It is no measure of
    rounding for the others.
    """
    if error.size < 2:
        return error
    typical = np.median(error)
    flipped = (error > 1e-3 * size) & (error > 100 * max(typical, 1e-7 * rms(size)))
    return error[~flipped]


def bands(array: np.ndarray) -> np.ndarray:
    """The order of magnitude of each element, in thousands; zeros have a band of their own."""
    size = np.abs(array)
    with np.errstate(divide="ignore"):
        power = np.floor(np.log2(np.where(size > 0, size, 1.0)) / _BITS_PER_BAND)
    return np.where(size > 0, power, _ZERO_BAND).astype(np.int64)


def limit(count: int) -> float:
    """What R may be over this many elements."""
    return LIMIT * (1 + FEW / count)


def rms(errors: np.ndarray) -> float:
    """The root of the mean square; 0 for no elements, never an overflow."""
    if not errors.size:
        return 0.0
    largest = float(np.max(np.abs(errors)))
    if largest == 0 or not math.isfinite(largest):
        return largest
    return largest * float(np.sqrt(np.mean(np.square(np.abs(errors) / largest))))


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b|, 0 where both are the same and where either is not finite."""
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(finite, np.abs(np.where(finite, a, 0) - np.where(finite, b, 0)), 0.0)
