"""Store loop values whose sizes change in padded buffers of fixed capacity."""

from __future__ import annotations

import math
from typing import NamedTuple

import jax

from shims._src.control_flow.loop_state import LoopState
from shims._src.control_flow.staging import is_array, is_staged
from shims._src.control_flow.undefined import Unwritten
from shims._src.errors.errors import GrowingStateError
from shims._src.platform import jax_private as jp
from shims._src.sizes import buffers, possible_values, size_bounds, trace


class _Stored(NamedTuple):
    """A value of a loop that is stored in a buffer.

    Attributes:
      value: the array before the loop.
      tree: the structure of the value, which has one leaf.
      axes: the axes along which the size changes.
      capacities: the capacity of each of these axes.
      steps: how many entries an iteration may add on each of these axes, so that the capacity suffices.
    """

    value: object
    tree: object
    axes: tuple[int, ...]
    capacities: tuple
    steps: tuple[float, ...]


class Grown:
    """The values that a loop carries, some of them stored in padded buffers.

    Attributes:
      values: the state before the loop, in which buffers replace growing arrays.
      outgrown: the numbers of the values for which a capacity may not suffice, as the last trace of the body shows.
    """

    def __init__(self, values):
        self.values = list(values)
        self.outgrown: list[int] = []
        self._buffers: dict[int, _Stored] = {}

    def make_buffer(self, i: int, error, limit) -> None:
        """Store value `i` of the loop in a padded buffer, or raise `error` if that is impossible."""
        value, tree = _only_leaf(self.values[i], error.before)
        before, after = error.before.shape, error.after.shape
        if (
            trace.current() is None
            or i in self._buffers
            or not is_array(value)
            or len(before) != len(after)
        ):
            raise error
        axes = tuple(
            k for k, (a, b) in enumerate(zip(before, after, strict=True)) if not _same_size(a, b)
        )
        found = [_growth_capacity(before[k], after[k], limit) for k in axes]
        capacities, steps = zip(*found, strict=True)
        self._buffers[i] = _Stored(value, tree, axes, capacities, steps)
        self.values[i] = buffers.put(value, axes, capacities)

    def make_growable(self, i: int, limit) -> None:
        """Store value `i`, for which a fixed capacity may not suffice, in a buffer that a top-level call can grow."""
        stored = self._buffers[i]
        capacities = tuple(_growable(limit) for _ in stored.axes)
        steps = (math.inf,) * len(stored.axes)
        self._buffers[i] = stored._replace(capacities=capacities, steps=steps)
        self.values[i] = buffers.put(stored.value, stored.axes, capacities)

    def note_growth(self, before, after) -> None:
        """Compare the sizes before and after an iteration of any size with the capacities.

        A capacity is computed from the growth in the first iteration. A later iteration may add more: a value that
        doubles adds one entry to one, and eight entries to eight.
        """
        self.outgrown = [
            i
            for i, stored in self._buffers.items()
            if not _fits(stored, jax.tree.leaves(before[i])[0], jax.tree.leaves(after[i])[0])
        ]

    def open(self, values) -> list:
        """Replace each padded buffer by the array that it holds, cut to its current size.

        `close` is the inverse.
        """
        return [
            jax.tree.unflatten(self._buffers[i].tree, [v.value()])
            if isinstance(v, buffers.Buffer)
            else v
            for i, v in enumerate(values)
        ]

    def close(self, values) -> list:
        """Put the arrays that `open` took from buffers back into padded buffers."""
        return [
            buffers.put(jax.tree.leaves(v)[0], self._buffers[i].axes, self._buffers[i].capacities)
            if i in self._buffers
            else v
            for i, v in enumerate(values)
        ]


def trace_growing_loop(
    body, values, names, item=(), *, label: str, limit=None
) -> tuple[LoopState, Grown]:
    """Trace a loop over a state in which some values may grow.

    Args:
      body: a function `(values, item) -> (values, emitted)`, which receives and returns arrays
        without padding.
      values: the state before the loop.
      names: the names of the values in messages.
      item: shapes and dtypes of the per-iteration inputs.
      label: the name of the loop in messages.
      limit: the largest number of iterations, if it is known.

    Returns:
      The traced loop, and the state in which buffers replace growing arrays.

    Raises:
      GrowingStateError: a value changes its shape, but cannot be put into a buffer.
      CapacityError: a value has no bound, and an enclosing JAX trace prevents growth.
    """
    grown = Grown(values)

    def inside(state, item):
        before = grown.open(state)
        values, emitted = body(before, item)
        grown.note_growth(before, values)
        return grown.close(values), emitted

    while True:
        try:
            loop = LoopState(inside, grown.values, names, item, label=label)
        except GrowingStateError as error:
            grown.make_buffer(names.index(error.name), error, limit)
            continue
        if not grown.outgrown:
            return loop, grown
        for i in tuple(grown.outgrown):
            grown.make_growable(i, limit)


def _only_leaf(value, aval):
    """Return the only array leaf of a pytree, and the pytree's structure."""
    leaves, tree = jax.tree.flatten(value)
    if len(leaves) != 1:
        return value, tree
    leaf = leaves[0]
    return leaf.zeros(aval.shape, aval.dtype) if isinstance(leaf, Unwritten) else leaf, tree


def _same_size(a, b) -> bool:
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def _fits(stored: _Stored, before, after) -> bool:
    """Return whether the capacities of a buffer suffice, whatever size the array has before the iteration."""
    if jax.numpy.ndim(after) != jax.numpy.ndim(before):
        return True  # an error says so
    state = trace.current()
    return all(
        _most(state, after.shape[axis] - before.shape[axis]) <= step
        or (isinstance(capacity, int) and _most(state, after.shape[axis]) <= capacity)
        for axis, capacity, step in zip(stored.axes, stored.capacities, stored.steps, strict=True)
    )


def _growable(limit):
    """Return a capacity that a top-level call can grow."""
    return buffers.growable("while_loop", has_limit=limit is not None)


def _growth_capacity(before, after, limit):
    """Return the buffer capacity for a loop value, and how much an iteration may add so that the capacity suffices.

    Without a static limit of the iterations, the capacity is a `Capacity`, which a top-level call can grow.
    """
    state = trace.current()
    step = after - before
    start = size_bounds.upper_bound(state, before)
    if isinstance(start, int) and _most(state, after) <= start:
        return start, 0  # the value never has more elements than before the loop
    if limit is None or is_staged(limit) or start is None:
        return _growable(None), math.inf
    if not jp.is_symbolic(step):
        grows = max(int(step), 0)
        return start + grows * limit, grows
    bounded = _bounded_growth(state, step, start, limit)
    return (_growable(limit), math.inf) if bounded is None else bounded


def _bounded_growth(state, step, start, limit) -> tuple[int, int] | None:
    """Return the capacity and the growth of a value that grows by at most a fixed number in each iteration, or `None`.

    The growth at the largest size is compared with that at the start: a value that doubles grows by more and more,
    so that it has no such capacity.
    """
    most = _most(state, step)
    if not isinstance(start, int) or not isinstance(limit, int) or most == math.inf:
        return None
    grows = max(int(most), 0)
    capacity = start + grows * limit
    known = size_bounds.domain(state, step) or ()
    larger = tuple((name, (0, max(high, capacity))) for name, (_, high) in known)
    found = possible_values.extremes(jp.form(step), larger)
    return (capacity, grows) if found is not None and found[1] <= most else None


def _most(state, d) -> float:
    """Return the largest number that a size can be; infinity if it is not known."""
    known = size_bounds.extremes(state, d) if jp.is_symbolic(d) else (d, d)
    return math.inf if known is None else known[1]
