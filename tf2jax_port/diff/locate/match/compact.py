"""Values without their padding: what one program pads and masks, the other may have kept short.

`tf.boolean_mask`, ragged rows and `tf.where` become arrays of full size and a mask; rows padded to one
length become one flat list with row numbers. What a mask selects is then the same in both programs.
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
    """Which elements are no padding.

    Attributes:
      selects: booleans over one axis or over the first two.
      turned: whether the first two axes are exchanged before.
      axis: of an array that has the masked axis second.
    """

    selects: np.ndarray
    turned: bool = False
    axis: int = 0

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether arrays of this shape can be masked."""
        if self.turned:
            shape = (*shape[1:2], *shape[:1])
        mine = self.selects.shape
        return tuple(shape[self.axis : self.axis + len(mine)]) == mine

    def size(self, shape: Sequence[int]) -> int:
        """How many elements are selected."""
        return int(np.prod(shape)) // self.selects.size * int(self.selects.sum())

    def compact(self, array: np.ndarray) -> np.ndarray:
        """What is selected, row after row."""
        return self._laid(array)[self._where]

    def filled(self, array: np.ndarray, compact: np.ndarray) -> np.ndarray:
        """The array with other elements where it is no padding."""
        made = np.array(array, np.result_type(array, compact))
        laid = self._laid(made)
        laid[self._where] = compact.reshape(laid[self._where].shape)
        return made

    def _laid(self, array: np.ndarray) -> np.ndarray:
        return np.swapaxes(array, 0, 1) if self.turned else array

    @property
    def _where(self) -> tuple[Any, ...]:
        return (*[slice(None)] * self.axis, self.selects)


@dataclass(frozen=True, slots=True)
class Form:
    """An array without its padding.

    Attributes:
      array: what is left of it.
      restored: gives another array of this size the padding of the first.
    """

    array: np.ndarray
    restored: Callable[[np.ndarray], np.ndarray]


def masks_of(*trails: Trail) -> tuple[Mask, ...]:
    """The masks that occur in some runs."""
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
                continue  # it picks elements out of matrices, and pads nothing
            seen.setdefault((selects.shape, selects.tobytes()), selects)
    flags = list(seen.values())[:_MOST_MASKS]
    rows = [Mask(f, turned) for f in flags if f.ndim == 2 for turned in (False, True)]
    return (*rows, *(Mask(f, axis=axis) for f in flags if f.ndim == 1 for axis in (0, 1)))


def _is_diagonal(selects: np.ndarray) -> bool:
    return selects.ndim == 2 and np.array_equal(selects, np.eye(*selects.shape, dtype=bool))


def forms(
    array: np.ndarray | None, masks: Sequence[Mask], sizes: Collection[int]
) -> Iterator[Form]:
    """An array without the padding that some masks tell of, where that leaves one of some sizes."""
    if array is None or array.ndim == 0 or array.size > _MOST_ELEMENTS:
        return
    for mask in masks:
        if mask.fits(array.shape) and mask.size(array.shape) in sizes:
            short = mask.compact(array)
            if varies(short):
                yield Form(short, partial(mask.filled, array))


def varies(array: np.ndarray) -> bool:
    """Whether an array says something; equal elements are found everywhere."""
    return bool(np.any(array != array.reshape(-1)[0]))


def sizes_of(trail: Trail) -> set[int]:
    """How many elements the arrays of a run have, but for single numbers."""
    arrays = (trail.array(number) for number in range(len(trail.values)))
    return {array.size for array in arrays if array is not None and array.size > 1}
