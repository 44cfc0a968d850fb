"""How the original moves when its inputs move by a unit in the last place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.arguments import Arguments, is_inexact
from tf2jax_port.diff.closeness import distance
from tf2jax_port.diff.precision import as_jax_has_it, exact_wide, read_only, real_part, ulp

SMALL, LARGE = 1, 8

# Which elements move up and which down. Neighbours in size part or meet when they alternate; sums
# and thresholds move furthest when all go together.
TOGETHER, ALTERNATING = "together", "alternating"
DIRECTIONS = ((TOGETHER, 1), (TOGETHER, -1), (ALTERNATING, 1), (ALTERNATING, -1))
Direction = tuple[str, int]

# A smooth function moves in proportion to its inputs: 8 times as far for 8 ulp, up to rounding.
_LEAST_GROWTH, _MOST_GROWTH = 3.0, 32.0


@dataclass(frozen=True, slots=True)
class Motion:
    """What one array of the original does under two perturbations of the same direction.

    Attributes:
      noise: per element, how far it moves for one ulp; 0 where it jumps.
      jumps: where it moves by a step instead of in proportion.
    """

    noise: np.ndarray
    jumps: np.ndarray


def perturbed(
    case: Arguments, ulps: int, direction: Direction, x64: bool, round_too: bool
) -> Arguments:
    """The case with every float moved by about `ulps` units in the last place.

    Equal elements move together, so that ties stay ties. Zeros, NaN and infinities stay; so do
    round numbers such as 0.5 or 3, where a person who writes test data puts ties with constants,
    unless `round_too`.
    """
    return case.map(lambda array: _perturb(array, ulps, direction, x64, round_too))


def all_round(case: Arguments) -> bool:
    """Whether the case has no float that `perturbed` would move without `round_too`."""
    return all(
        bool(np.all(_is_round(_parts(array)))) for array in case.arrays if is_inexact(array.dtype)
    )


def motion(still: np.ndarray, small: np.ndarray, large: np.ndarray, own: float) -> Motion:
    """Tell rounding from jumping.

    Args:
      still: what the original gives.
      small: what it gives after `SMALL` ulp.
      large: what it gives after `LARGE` ulp, in the same direction.
      own: the original's own error as known so far.
    """
    x, y, z = (exact_wide(array) for array in (still, small, large))
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    near, far = distance(y, x), distance(z, x)
    slow = far < _LEAST_GROWTH * near - 8 * own
    fast = far > _MOST_GROWTH * near + 32 * own
    jumps = ~finite | ((slow | fast) & (far + near > 8 * own))
    noise = np.maximum(near, far * SMALL / LARGE)
    return Motion(np.where(jumps, 0, noise), jumps)


def _perturb(
    array: np.ndarray, ulps: int, direction: Direction, x64: bool, round_too: bool
) -> np.ndarray:
    if not is_inexact(array.dtype):
        return array
    working = as_jax_has_it(array.dtype, x64)
    parts = _parts(array)
    step = ulps * ulp(working) * _signs(parts, direction)
    with np.errstate(invalid="ignore", over="ignore"):
        moved = (parts.astype(np.float64) * (1 + step)).astype(real_part(working))
    moved = moved.astype(parts.dtype)
    still = ~np.isfinite(parts) | (parts == 0)
    if not round_too:
        still |= _is_round(parts)
    kept = np.where(still, parts, moved)
    return read_only(_joined(kept, array))


def _parts(array: np.ndarray) -> np.ndarray:
    """The array as reals, the parts of complex numbers along a last axis."""
    if array.dtype.kind != "c":
        return array
    return np.stack([array.real, array.imag], axis=-1)


def _joined(parts: np.ndarray, like: np.ndarray) -> np.ndarray:
    if like.dtype.kind != "c":
        return parts.astype(like.dtype)
    return (parts[..., 0] + 1j * parts[..., 1]).astype(like.dtype)


def _signs(parts: np.ndarray, direction: Direction) -> np.ndarray | int:
    """Plus or minus one, by the value of each element alone: away from zero or towards it."""
    pattern, sign = direction
    if pattern == TOGETHER:
        return sign
    size = np.abs(parts).astype(np.float64)
    rank = np.unique(size, return_inverse=True)[1].reshape(parts.shape)
    return np.where(rank % 2, sign, -sign)


def _is_round(parts: np.ndarray) -> np.ndarray:
    """Whether the lower half of the significand is empty."""
    bits = 12 if parts.dtype.itemsize >= 4 else 4
    finite = np.where(np.isfinite(parts), parts, 0).astype(np.float64)
    significand = np.frexp(finite)[0] * 2.0**bits
    return significand == np.floor(significand)
