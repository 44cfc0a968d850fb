"""Remove padding, so that values padded in one program match compact values of the other.

A port may replace `tf.boolean_mask`, ragged rows or `tf.where` by arrays of full size with a mask, or rows
padded to the same length by a flat list with row numbers. The selected elements are the same in both programs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.watch.trail import Trail

_MOST_MASKS, _MOST_ELEMENTS = 8, 1 << 16


@dataclass(frozen=True, slots=True)
class Mask:
    """A boolean mask that selects the valid elements of padded arrays.

    Attributes:
      selects: the mask, a boolean array over one or two axes.
      turned: whether the first two axes of an array are exchanged before it is masked.
      axis: the first masked axis.
      between: the number of unmasked axes between the two masked axes.
    """

    selects: np.ndarray
    turned: bool = False
    axis: int = 0
    between: int = 0

    def fits(self, shape: Sequence[int]) -> bool:
        """Return whether the mask can be applied to arrays of the given shape."""
        if self.turned:
            shape = (*shape[1:2], *shape[:1])
        mine = self.selects.shape
        masked = shape[self.axis : self.axis + len(mine) + self.between]
        return (*masked[:1], *masked[1 + self.between :]) == mine

    def size(self, shape: Sequence[int]) -> int:
        """Return the number of elements that the mask selects from an array of the given shape."""
        return int(np.prod(shape)) // self.selects.size * int(self.selects.sum())

    def compact(self, array: np.ndarray) -> np.ndarray:
        """Return the selected elements of an array, in row-major order."""
        turned = self._transposed(array)
        return turned[self._index(turned)]

    def filled(self, array: np.ndarray, compact: np.ndarray) -> np.ndarray:
        """Return a copy of a padded array with its valid elements replaced by the elements of `compact`."""
        made = np.array(array, np.result_type(array, compact))
        laid = self._transposed(made)
        index = self._index(laid)
        laid[index] = compact.reshape(laid[index].shape)
        return made

    def _transposed(self, array: np.ndarray) -> np.ndarray:
        return np.swapaxes(array, 0, 1) if self.turned else array

    def _index(self, array: np.ndarray) -> tuple[Any, ...]:
        selects = self.selects
        if self.between:
            rows, columns = selects.shape
            sizes = array.shape[1 : 1 + self.between]
            spread = selects.reshape(rows, *[1] * self.between, columns)
            selects = np.broadcast_to(spread, (rows, *sizes, columns))
        return (*[slice(None)] * self.axis, selects)


@dataclass(frozen=True, slots=True)
class Form:
    """An array without its padding.

    Attributes:
      array: the remaining elements, in order.
      restored: a function from other elements, as many as in `array`, to a copy of the padded array that holds
        them in place of its valid elements.
    """

    array: np.ndarray
    restored: Callable[[np.ndarray], np.ndarray]


def masks_of(*trails: Trail) -> tuple[Mask, ...]:
    """Return the masks that occur as values in the given runs."""
    seen: dict[tuple[object, ...], np.ndarray] = {}
    for trail in trails:
        for number in range(len(trail.values)):
            array = trail.array(number)
            if array is None or not 1 <= array.ndim <= 2 or not 3 <= array.size <= _MOST_ELEMENTS:
                continue
            selects = array.astype(bool)
            if selects.all() or not selects.any() or not np.array_equal(selects, array):
                continue
            if _is_diagonal(selects) or _is_diagonal(~selects):
                continue  # it selects elements of matrices; it is no padding
            seen.setdefault((selects.shape, selects.tobytes()), selects)
    # A matrix of flags contains the flags of all groups, which may be many vectors.
    flags = sorted(seen.values(), key=lambda flag: -flag.ndim)[:_MOST_MASKS]
    both = {(f.shape, f.tobytes()): f for one in flags if one.ndim == 2 for f in (one, one.T)}
    rows = [Mask(f, turned) for f in both.values() for turned in (False, True)]
    # Such as [groups, features, members].
    rows += [Mask(f, between=1) for f in both.values()]
    return (*rows, *(Mask(f, axis=axis) for f in flags if f.ndim == 1 for axis in (0, 1)))


def _is_diagonal(selects: np.ndarray) -> bool:
    return selects.ndim == 2 and np.array_equal(selects, np.eye(*selects.shape, dtype=bool))


def forms(
    array: np.ndarray | None, masks: Sequence[Mask], sizes: Collection[int]
) -> Iterator[Form]:
    """Yield versions of an array without padding, one per mask that leaves one of the given sizes."""
    if array is None or array.ndim == 0 or array.size > _MOST_ELEMENTS:
        return
    for mask in masks:
        if mask.fits(array.shape) and mask.size(array.shape) in sizes:
            short = mask.compact(array)
            if varies(short):
                yield Form(short, partial(mask.filled, array))


def varies(array: np.ndarray) -> bool:
    """Return whether an array has at least two different elements.

    Constant arrays are skipped, because they match by accident.
    """
    return bool(np.any(array != array.reshape(-1)[0]))


def sizes_of(trail: Trail) -> set[int]:
    """Return the sizes of a run's arrays with more than one element."""
    arrays = (trail.array(number) for number in range(len(trail.values)))
    return {array.size for array in arrays if array is not None and array.size > 1}
