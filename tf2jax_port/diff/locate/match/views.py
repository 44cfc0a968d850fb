"""The original's values as a port may have them: loops in one, axes in another order, no padding.

`tf.map_fn`, a list over labels or a loop over rows becomes `jax.vmap`: the port then has one value where
the original has as many as there are passes. What has the time first there has the batch first here.
Such views stand beside the values in the original's trail, as operations on the same lines, so that they
are matched and put in like any other value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from tf2jax_port.diff.locate.match.compact import Mask, varies
from tf2jax_port.diff.locate.watch.trail import Arrange, Step, Trail

_MOST_PASSES, _MOST_ELEMENTS = 64, 1 << 16


def without_padding(trail: Trail, masks: Sequence[Mask], sizes: Collection[int]) -> Trail:
    """The trail of an original, and its values without their padding.

    Args:
      trail: of the original.
      masks: what may be padding in its arrays.
      sizes: that the port's arrays have.
    """
    first, trail = len(trail.values), trail.copy()
    views = _Views(trail)
    for step in list(trail.steps):
        for number, mask in enumerate(masks):
            views.add(step, [[step]], partial(_compact, mask, sizes), f"compact by-{number}", False)
    trail.short.update(range(first, len(trail.values)))
    return trail


def with_views(trail: Trail) -> Trail:
    """The trail of an original, and what a port may have in the place of its values."""
    trail = trail.copy()
    groups: dict[tuple[object, ...], list[Step]] = {}
    steps = [step for step in trail.steps if trail.arranged.keys().isdisjoint(step.results)]
    for step in steps:
        groups.setdefault(("looped", *step.key), []).append(step)
        groups.setdefault(("called", *step.part), []).append(step)
    views = _Views(trail)
    for step in steps:
        views.add(step, [[step]], _turned, "turned", True)
        views.add(step, [[step]], _turned_inside, "turned inside", True)
        views.add(step, [[step]], _channels_first, "channels first-1", True)
    for passes in _distinct(groups):
        for kind, order in _orders(passes):
            # The new axis comes first, or after the one of the batch.
            views.add(passes[0], order, partial(np.stack, axis=0), f"{kind} first", False)
            views.add(passes[0], order, _stacked_second, f"{kind} second", True)
    return trail


def _turned(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """With the first two axes exchanged."""
    return np.swapaxes(arrays[0], 0, 1)


def _turned_inside(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """With the last two axes exchanged, where these are not the first two."""
    if arrays[0].ndim < 3:
        raise ValueError("has no more than two axes")
    return np.swapaxes(arrays[0], -1, -2)


def _channels_first(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Images with the last axis after the batch; of fewer axes that is another view's."""
    if arrays[0].ndim < 4:
        raise ValueError("is no image")
    return np.moveaxis(arrays[0], -1, 1)


def _stacked_second(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.stack(arrays, axis=1)


def _compact(mask: Mask, sizes: Collection[int], arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Without what a mask tells to be padding."""
    array = arrays[0]
    if not mask.fits(array.shape) or mask.size(array.shape) not in sizes:
        raise ValueError("is not padded, or the port has nothing of this size")
    short = mask.compact(array)
    if not varies(short):
        raise ValueError("is the same everywhere")
    return short


def _distinct(groups: Mapping[tuple[object, ...], list[Step]]) -> Iterator[list[Step]]:
    seen = set()
    for passes in groups.values():
        numbers = tuple(step.number for step in passes)
        if 1 < len(passes) <= _MOST_PASSES and numbers not in seen:
            seen.add(numbers)
            yield passes


def _orders(passes: Sequence[Step]) -> Iterator[tuple[str, list[Sequence[Step]]]]:
    """The passes in one stack, or, as loops may lie in each other, of the outer one or the inner."""
    yield "all", [passes]
    for count in range(2, len(passes)):
        if len(passes) % count == 0:
            size = len(passes) // count
            yield f"outer {count}", [passes[at::count] for at in range(count)]
            yield f"inner {count}", [passes[at * size :][:size] for at in range(count)]


class _Views:
    """Adds views to a trail, each computed from the like views of operands where there are such.

    Args:
      trail: of the original.
    """

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._made: dict[tuple[str, tuple[int, ...]], int] = {}

    def add(
        self,
        of: Step,
        order: Sequence[Sequence[Step]],
        arrange: Arrange,
        kind: str,
        is_turned: bool,
    ) -> None:
        """Add one view for each group of steps; none where arrays are not of one shape."""
        trail = self._trail
        how = kind.rsplit(" ", 1)[-1]
        for passed, steps in enumerate(order):
            held = self._arranged(steps, arrange)
            if held is None:
                return
            operands: list[int] = []
            for parts in zip(*(step.operands for step in steps)):
                known = self._made.get((how, parts))
                operands += dict.fromkeys(parts) if known is None else [known]
            key = (*of.key, hash(kind))
            step = trail.view(
                steps[0], operands, held, key, passed if len(steps) > 1 else of.passed
            )
            for parts, number in zip(zip(*(one.results for one in steps)), step.results):
                self._made[how, parts] = number
                trail.arranged[number] = (parts, arrange)
                for part in parts:
                    trail.views.setdefault(part, []).append(number)
                if is_turned:
                    trail.turned.add(number)

    def _arranged(self, steps: Sequence[Step], arrange: Arrange) -> list[np.ndarray] | None:
        found = []
        for parts in zip(*(step.results for step in steps)):
            arrays = [a for part in parts if (a := self._trail.array(part)) is not None]
            if len(arrays) < len(parts) or not arrays[0].size:
                return None
            if arrays[0].size * len(arrays) > _MOST_ELEMENTS:
                return None
            try:
                found.append(arrange(arrays))
            except ValueError:  # too few axes, or of different shapes
                return None
        return found or None
