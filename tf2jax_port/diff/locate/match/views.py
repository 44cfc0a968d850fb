"""Add rearranged copies (views) of the original's values, in layouts that a port may use.

`tf.map_fn`, a list over labels or a loop over rows becomes `jax.vmap`: the port then has one value where
the original has one per iteration. An array may be time-major in the original and batch-major in the port.
Such views are added to the original's trail as operations on the same lines, so that they are matched and
injected like any other value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from tf2jax_port.diff.locate.match.compact import Mask, varies
from tf2jax_port.diff.locate.watch.trail import Arrange, Step, Trail

_MOST_PASSES, _MOST_ELEMENTS = 64, 1 << 16
# The fewest rows that are sorted into groups, and the most orders of rows that are tried.
_ROWS, _MOST_ORDERS = 3, 4


def without_padding(trail: Trail, masks: Sequence[Mask], sizes: Collection[int]) -> Trail:
    """Return the original's trail (recorded run) with views of its values without padding.

    Args:
      trail: the original's run.
      masks: masks by which padding may be removed.
      sizes: the sizes of the port's arrays; other sizes are skipped.
    """
    first, trail = len(trail.values), trail.copy()
    views = _Views(trail)
    for given in list(trail.names):
        for number, mask in enumerate(masks):
            views.add_of_input(given, partial(_compact, mask, sizes), f"by-{number}")
    for step in list(trail.steps):
        for number, mask in enumerate(masks):
            views.add(step, [[step]], partial(_compact, mask, sizes), f"compact by-{number}", False)
    trail.short.update(range(first, len(trail.values)))
    return trail


def with_views(trail: Trail) -> Trail:
    """Return the original's trail (recorded run) with views of its values.

    A view exchanges axes, or stacks the iterations of a loop. If their arrays have different sizes, such as the
    rows of each group, it joins them: group after group, and in the order of the rows.
    """
    orders = _orders_of_rows(trail)
    trail = trail.copy()
    groups: dict[tuple[object, ...], list[Step]] = {}
    steps = [step for step in trail.steps if trail.arranged.keys().isdisjoint(step.results)]
    for step in steps:
        groups.setdefault(("looped", *step.key), []).append(step)
        groups.setdefault(("called", *step.part), []).append(step)
    views = _Views(trail)
    for step in steps:
        views.add(step, [[step]], _exchange_first_axes, "turned", True)
        views.add(step, [[step]], _exchange_last_axes, "turned inside", True)
        views.add(step, [[step]], _channels_first, "channels first-1", True)
    for passes in _distinct(groups):
        for kind, order in _orders(passes):
            # The new axis comes first, or after the batch axis.
            views.add(passes[0], order, partial(np.stack, axis=0), f"{kind} first", False)
            views.add(passes[0], order, _stacked_second, f"{kind} second", True)
        views.add(passes[0], [passes], _joined, "all joined", False)
        for at, counts in enumerate(orders):
            views.add(passes[0], [passes], partial(_in_order, counts), f"all rows-{at}", False)
    return trail


def _orders_of_rows(trail: Trail) -> list[np.ndarray]:
    """Return the vectors of a run that may hold the number of each row's group."""
    found: dict[bytes, np.ndarray] = {}
    for number in range(len(trail.values)):
        array = trail.array(number)
        if array is None or array.ndim != 1 or array.dtype.kind not in "iu" or array.size < _ROWS:
            continue
        if 0 <= array.min() < array.max() < array.size <= _MOST_ELEMENTS:
            found.setdefault(array.astype(np.int64).tobytes(), array)
    return list(found.values())[:_MOST_ORDERS]


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Join the elements of arrays one after the other.

    Raises:
      ValueError: the arrays have the same shape; other views cover those.
    """
    if len({array.shape for array in arrays}) == 1 or not arrays[0].ndim:
        raise ValueError("has one shape")
    return np.concatenate([array.reshape(-1) for array in arrays])


def _in_order(groups: np.ndarray, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Join the rows of each group, in the order that all rows have together.

    Args:
      groups: the number of each row's group.
      arrays: the rows of each group.

    Raises:
      ValueError: the arrays are not the rows of these groups.
    """
    sizes = [len(array) if array.ndim else 0 for array in arrays]
    counts = np.bincount(groups, minlength=len(sizes))
    if counts.tolist() != sizes or sorted(groups) == groups.tolist():
        raise ValueError("are not the rows of these groups")
    made = np.concatenate(arrays)
    rows = np.empty_like(made)
    rows[np.argsort(groups, kind="stable")] = made
    return rows


def _exchange_first_axes(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Exchange the first two axes of the only array in a sequence."""
    return np.swapaxes(arrays[0], 0, 1)


def _exchange_last_axes(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Exchange the last two axes of the only array in a sequence.

    Raises:
      ValueError: the array has fewer than three axes.
    """
    if arrays[0].ndim < 3:
        raise ValueError("has no more than two axes")
    return np.swapaxes(arrays[0], -1, -2)


def _channels_first(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Move the channels, the last axis of the only array in a sequence, to position 1.

    Raises:
      ValueError: the array has fewer than four axes; other views cover those.
    """
    if arrays[0].ndim < 4:
        raise ValueError("is no image")
    return np.moveaxis(arrays[0], -1, 1)


def _stacked_second(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.stack(arrays, axis=1)


def _compact(mask: Mask, sizes: Collection[int], arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Remove the padding from the only array in a sequence, by a mask.

    Raises:
      ValueError: the mask does not fit, the result has an unexpected size, or all its elements are equal.
    """
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
    """Yield ways to group the iterations of a loop for stacking.

    All iterations form one group; or, for nested loops, there is a group for each outer or each inner iteration.
    """
    yield "all", [passes]
    for count in range(2, len(passes)):
        if len(passes) % count == 0:
            size = len(passes) // count
            yield f"outer {count}", [passes[at::count] for at in range(count)]
            yield f"inner {count}", [passes[at * size :][:size] for at in range(count)]


class _Views:
    """Adds views (rearranged copies of values) to a trail.

    The operands of the added step are views of the original operands that are rearranged in the same way, if the
    trail has such views.

    Args:
      trail: the original's run.
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
        """Add one view for each group of steps; stop if the arrays of a group cannot be rearranged."""
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

    def add_of_input(self, number: int, arrange: Arrange, how: str) -> None:
        """Add a view of an argument, unless it cannot be rearranged."""
        trail, array = self._trail, self._trail.array(number)
        if array is None or not 0 < array.size <= _MOST_ELEMENTS:
            return
        try:
            view = trail.value(arrange([array]))
        except ValueError:
            return
        trail.names[view] = trail.names[number]
        trail.arranged[view] = ((number,), arrange)
        trail.views.setdefault(number, []).append(view)
        self._made[how, (number,)] = view

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
