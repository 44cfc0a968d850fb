"""How the original moves when its inputs move by a unit in the last place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.closeness.closeness import distance
from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.pieces import holds_anywhere, in_pieces
from tf2jax_port.diff.values.precision import as_jax_has_it, exact_wide, read_only, real_part, ulp
from tf2jax_port.diff.values.spill import spilled

SMALL, LARGE = 1, 8

# Which elements move up and which down. Neighbors in size part or meet when they alternate; sums
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


class Perturbed:
    """A case with every float moved a little.

    Equal elements move together, so that ties stay ties. Zeros, NaN and infinities stay; so do
    round numbers such as 0.5 or 3, where a person who writes test data puts ties with constants,
    unless there is nothing else.

    Args:
      case: the call.
      x64: whether JAX has 64-bit types.
    """

    def __init__(self, case: Arguments, x64: bool) -> None:
        self._case, self._x64 = case, x64
        self.all_round = not any(
            holds_anywhere(lambda part: ~_is_round(part), _parts(array))
            for array in case.arrays
            if is_inexact(array.dtype)
        )
        # Sorting takes longest, and is the same for all four runs that need it.
        self._alternating: dict[int, np.ndarray] = {}

    def by(self, ulps: int, direction: Direction) -> Arguments:
        """The case with every float moved by about `ulps` units in the last place."""
        arrays = self._case.arrays
        return self._case.with_arrays(
            [spilled(self._moved(i, array, ulps, direction)) for i, array in enumerate(arrays)]
        )

    def _moved(self, i: int, array: np.ndarray, ulps: int, direction: Direction) -> np.ndarray:
        if not is_inexact(array.dtype):
            return array
        working = as_jax_has_it(array.dtype, self._x64)
        parts = _parts(array)
        pattern, sign = direction
        step = ulps * sign * ulp(working)

        def move(parts: np.ndarray, odd: np.ndarray | None = None) -> np.ndarray:
            steps = step if odd is None else np.where(odd, step, -step)
            with np.errstate(invalid="ignore", over="ignore"):
                moved = (parts.astype(np.float64) * (1 + steps)).astype(real_part(working))
            still = ~np.isfinite(parts) | (parts == 0)
            if not self.all_round:
                still |= _is_round(parts)
            return np.where(still, parts, moved.astype(parts.dtype))

        if pattern == TOGETHER:
            return read_only(_joined(in_pieces(move, parts), array))
        if i not in self._alternating:
            self._alternating[i] = spilled(_odd(parts))
        return read_only(_joined(in_pieces(move, parts, self._alternating[i]), array))


def motion(still: np.ndarray, small: np.ndarray, large: np.ndarray, own: float) -> Motion:
    """Tell rounding from jumping.

    Args:
      still: what the original gives.
      small: what it gives after `SMALL` ulp.
      large: what it gives after `LARGE` ulp, in the same direction.
      own: the original's own error as known so far.
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


def _parts(array: np.ndarray) -> np.ndarray:
    """The array as reals, the parts of complex numbers along a last axis."""
    if array.dtype.kind != "c":
        return array
    return np.stack([array.real, array.imag], axis=-1)


def _joined(parts: np.ndarray, like: np.ndarray) -> np.ndarray:
    if like.dtype.kind != "c":
        return parts.astype(like.dtype)
    return (parts[..., 0] + 1j * parts[..., 1]).astype(like.dtype)


def _odd(parts: np.ndarray) -> np.ndarray:
    """Whether an element has an odd place among the sizes that there are; equal sizes share one."""
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
    """Whether the lower half of the significand is empty."""
    bits = 12 if parts.dtype.itemsize >= 4 else 4
    finite = np.where(np.isfinite(parts), parts, 0).astype(np.float64)
    significand = np.frexp(finite)[0] * 2.0**bits
    return significand == np.floor(significand)
