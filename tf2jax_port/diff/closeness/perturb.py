"""Measure how the original program's results change when inputs change by a few ulp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.closeness.closeness import distance
from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.pieces import holds_anywhere, in_pieces
from tf2jax_port.diff.values.precision import as_jax_has_it, exact_wide, read_only, real_part, ulp
from tf2jax_port.diff.values.spill import spilled

SMALL, LARGE = 1, 8

# Which elements increase and which decrease. Alternating signs separate or join values of similar
# size; equal signs change sums and thresholds most.
TOGETHER, ALTERNATING = "together", "alternating"
DIRECTIONS = ((TOGETHER, 1), (TOGETHER, -1), (ALTERNATING, 1), (ALTERNATING, -1))
Direction = tuple[str, int]

# A smooth function changes in proportion to its inputs: 8 times as much for 8 ulp, up to rounding.
_LEAST_GROWTH, _MOST_GROWTH = 3.0, 32.0


@dataclass(frozen=True, slots=True)
class Motion:
    """The change of one result of the original program when its inputs are perturbed.

    Attributes:
      noise: per element, the change for one ulp; 0 where it jumps.
      jumps: where the change is a step and not proportional.
    """

    noise: np.ndarray
    jumps: np.ndarray


class Perturbed:
    """Makes slightly perturbed copies of a case.

    Equal elements change together, so that ties stay ties. Zeros, NaN and infinities stay; so do
    round numbers such as 0.5 or 3, which people use in test data to make ties with constants,
    unless all numbers are round.

    Args:
      case: the call.
      x64: whether JAX has 64-bit types.
      coarse: the relative rounding error of a coarser type in which the program computes, such as float16, which
        hides smaller changes; 0 without one.
    """

    def __init__(self, case: Arguments, x64: bool, coarse: float = 0.0) -> None:
        self._case, self._x64, self._coarse = case, x64, coarse
        self.all_round = not any(
            holds_anywhere(lambda part: ~_is_round(part), _as_real(array))
            for array in case.arrays
            if is_inexact(array.dtype)
        )
        # Sorting takes longest, and is the same for all four runs that need it.
        self._alternating: dict[int, np.ndarray] = {}

    def by(self, ulps: int, direction: Direction) -> Arguments:
        """Return a copy of the case with every float changed by about `ulps` units in the last place."""
        arrays = self._case.arrays
        return self._case.with_arrays(
            [spilled(self._perturb(i, array, ulps, direction)) for i, array in enumerate(arrays)]
        )

    def _perturb(self, i: int, array: np.ndarray, ulps: int, direction: Direction) -> np.ndarray:
        if not is_inexact(array.dtype):
            return array
        working = as_jax_has_it(array.dtype, self._x64)
        parts = _as_real(array)
        pattern, sign = direction
        step = ulps * sign * max(ulp(working), self._coarse)

        def move(parts: np.ndarray, odd: np.ndarray | None = None) -> np.ndarray:
            steps = step if odd is None else np.where(odd, step, -step)
            with np.errstate(invalid="ignore", over="ignore"):
                moved = (parts.astype(np.float64) * (1 + steps)).astype(real_part(working))
            still = ~np.isfinite(parts) | (parts == 0)
            if not self.all_round:
                still |= _is_round(parts)
            return np.where(still, parts, moved.astype(parts.dtype))

        if pattern == TOGETHER:
            return read_only(_from_real(in_pieces(move, parts), array))
        if i not in self._alternating:
            self._alternating[i] = spilled(_has_odd_rank(parts))
        return read_only(_from_real(in_pieces(move, parts, self._alternating[i]), array))


def motion(still: np.ndarray, small: np.ndarray, large: np.ndarray, own: float) -> Motion:
    """Separate changes that are proportional to the perturbation from jumps, for each element.

    Args:
      still: the result of the original program.
      small: its result after a perturbation by `SMALL` ulp.
      large: its result after a perturbation by `LARGE` ulp, in the same direction.
      own: the rounding error of the original program, as known so far.
    """

    def jump(*runs: np.ndarray) -> np.ndarray:
        x, y, z = map(exact_wide, runs)
        near, far = distance(y, x), distance(z, x)
        slow = far < _LEAST_GROWTH * near - 8 * own
        fast = far > _MOST_GROWTH * near + 32 * own
        finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
        return ~finite | ((slow | fast) & (far + near > 8 * own))

    def noise(jumps: np.ndarray, *runs: np.ndarray) -> np.ndarray:
        x, y, z = map(exact_wide, runs)
        return np.where(jumps, 0, np.maximum(distance(y, x), distance(z, x) * SMALL / LARGE))

    jumps = in_pieces(jump, still, small, large)
    return Motion(in_pieces(noise, jumps, still, small, large), jumps)


def _as_real(array: np.ndarray) -> np.ndarray:
    """Return an array as real numbers; the two parts of complex numbers form a new last axis."""
    if array.dtype.kind != "c":
        return array
    return np.stack([array.real, array.imag], axis=-1)


def _from_real(parts: np.ndarray, like: np.ndarray) -> np.ndarray:
    if like.dtype.kind != "c":
        return parts.astype(like.dtype)
    return (parts[..., 0] + 1j * parts[..., 1]).astype(like.dtype)


def _has_odd_rank(parts: np.ndarray) -> np.ndarray:
    """Return a mask of the elements whose rank, sorted by magnitude, is odd; ties share a rank.

    One kind of perturbation moves these elements the other way, so that neighbors move apart.
    """
    size = np.abs(parts).reshape(-1)
    if size.dtype.itemsize < 4:  # a narrower type has no fast sort
        size = size.astype(np.float32)
    order = np.argsort(size)
    ordered = size[order]
    place = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])]) if size.size else order
    odd = np.empty(size.size, bool)
    odd[order] = place % 2 == 1
    return odd.reshape(parts.shape)


def _is_round(parts: np.ndarray) -> np.ndarray:
    """Return a mask of the numbers with few significant bits: the lower half of the bits is zero."""
    bits = 12 if parts.dtype.itemsize >= 4 else 4
    finite = np.where(np.isfinite(parts), parts, 0).astype(np.float64)
    significand = np.frexp(finite)[0] * 2.0**bits
    return significand == np.floor(significand)
