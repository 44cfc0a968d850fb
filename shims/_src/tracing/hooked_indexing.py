"""Indexing on tracers inside a dynamic trace: masks, traced slice bounds, symbolic positions."""

from __future__ import annotations

import itertools
import math

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def take(state, original, array, index, **options):
    """`array[index]` where the index holds something that JAX would refuse."""
    taken = _taken(state, original, array, index, options)
    if not _has_none(taken) or _has_none(array):
        return taken
    # JAX makes nothing out of nothing, which no gradient passes; TensorFlow has zeros, and what
    # is before them may make NaN of a zero.
    return primitives.connected(taken, jnp.asarray(array))


def _has_none(array) -> bool:
    return any(not jp.is_symbolic(d) and d == 0 for d in np.shape(array))


def _taken(state, original, array, index, options):
    items = _paired(_items(index))
    if len(items) == 1 and reads_nothing(items[0], array, 0):
        return from_nothing(jnp.asarray(array), items[0], 0)
    if len(items) > 1 and _has_none(array) and all(np.ndim(i) == 0 for i in items):
        array, items = _read_of_nothing(jnp.asarray(array), items)
    if any(_takes_one(i) or _turns(i) for i in items):
        array, items = _cut_exactly(state, jnp.asarray(array), items)
        index = items
    if not any(_is_dynamic(i) for i in items):
        if len(items) > 1 and any(map(_steps, items)):
            array, items = _cut_unknown(original, jnp.asarray(array), items)
        return original(array, items if isinstance(index, tuple) else index, **options)
    array = jnp.asarray(array)
    items = _spelled_out(items, array.ndim)
    array, items = _cut_slices(array, items)
    if not any(_is_mask(i) for i in items):
        return original(array, tuple(items), **options)
    if sum(map(_is_advanced, items)) > 1:
        return original(array, _masks_as_positions(items), **options)
    return _select(original, array, items, options)


def reads_nothing(positions, array, axis: int) -> bool:
    """Whether an axis of no elements is read at a number, or at positions that the run knows."""
    is_one = isinstance(positions, int) and not isinstance(positions, bool)
    is_traced = jp.is_tracer(positions) and jnp.issubdtype(positions.dtype, jnp.integer)
    if not is_one and not is_traced:
        return False
    shape = np.shape(array)
    is_known = -len(shape) <= axis < len(shape) and not jp.is_symbolic(shape[axis])
    return is_known and shape[axis] == 0


def _read_of_nothing(array, items):
    """An index of numbers and slices, without the numbers that would read an axis of no elements."""
    rest = []
    axis = 0
    for item in _spelled_out(items, array.ndim):
        if reads_nothing(item, array, axis):
            array = from_nothing(array, item, axis)
        else:
            rest.append(item)
            axis += _axes_of(item)
    return array, tuple(rest)


def from_nothing(array, positions, axis: int):
    """No elements, read at no positions; JAX itself refuses to read from an axis of none.

    A position that a loop or a branch would read, and does not, is no position.
    """
    axis %= array.ndim
    places = np.shape(positions)
    count = primitives.as_size(math.prod(places))
    text = errors.message(
        "",
        "an axis of no elements is read.",
        required="no positions",
        received=f"{errors.NUMBER} positions in an array of shape {array.shape}",
    )
    # Of the positions themselves, so that under `vmap` no example means no position.
    are_read = positions == positions if jp.is_tracer(positions) else count > 0
    primitives.check(are_read, text, count)
    shape = (*array.shape[:axis], *places, *array.shape[axis + 1 :])
    zeros = jnp.zeros(shape, array.dtype)
    # The sum of no elements, so that a gradient by the array is one of no elements and not `None`.
    return zeros + jnp.sum(array) if jnp.issubdtype(array.dtype, jnp.inexact) else zeros


def update(state, original, array, index, *rest, **options):
    """`array.at[index].set(...)` and its relatives with masks and traced bounds as index."""
    items = _paired(_items(index))
    array = jnp.asarray(array)
    _need_rows(state, array, items)
    if not any(_is_dynamic(i) for i in items):
        index = items if isinstance(index, tuple) else index
        return original(array, index, *rest, **options)
    items = _spelled_out(items, array.ndim)
    axis = 0
    plain = []
    for item in items:
        if _is_traced_slice(item):
            if not _keeps_its_place(items):
                raise two_unknown_windows()
            plain.append(_positions(item, array.shape[axis]))
        else:
            plain.append(item)
        axis += _axes_of(item)
    return original(array, _masks_as_positions(plain), *rest, **options)


def _need_rows(state, array, items) -> None:
    """There is no row to write to where a number points into an axis of no rows."""
    axis = 0
    for item in itertools.takewhile(lambda i: i is not Ellipsis, items):
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool) and axis < array.ndim:
            state.assume_some(array.shape[axis])
        axis += _axes_of(item)


def nonzero(mask):
    """The positions of the True entries of a traced mask, one vector per axis."""
    mask = jnp.asarray(mask, bool)
    flat = mask.reshape(-1)
    position = primitives.compress(jnp.arange(flat.shape[0], dtype=jnp.int32), flat)
    places = []
    for d in reversed(mask.shape[1:]):
        places.append(position % primitives.as_size(d))
        position = position // primitives.as_size(d)
    return [position, *reversed(places)]


def _items(index):
    return index if isinstance(index, tuple) else (index,)


def _is_dynamic(item) -> bool:
    return _is_mask(item) or _is_traced_slice(item) or jp.is_symbolic(item)


def _is_mask(item) -> bool:
    return jp.is_tracer(item) and item.dtype == bool and item.ndim > 0


def _is_traced_slice(item) -> bool:
    return isinstance(item, slice) and any(
        jp.is_tracer(b) for b in (item.start, item.stop, item.step)
    )


def _is_advanced(item) -> bool:
    return item is not None and item is not Ellipsis and not isinstance(item, slice)


def _axes_of(item) -> int:
    if item is None:
        return 0
    return np.ndim(item) if _is_mask(item) else 1


def _spelled_out(items, rank):
    """The index without Ellipsis, and with numbers for symbolic positions."""
    consumed = sum(_axes_of(i) for i in items if i is not Ellipsis)
    out = []
    for item in items:
        if item is Ellipsis:
            out += [slice(None)] * (rank - consumed)
        else:
            out.append(primitives.as_size(item) if jp.is_symbolic(item) else item)
    return out


def _cut_slices(array, items):
    """Carry out the slices with traced bounds; what they leave is a full axis."""
    axis = 0
    out = []
    for item in items:
        if _is_traced_slice(item):
            array = jnp.take(array, _positions(item, array.shape[axis]), axis=axis, mode="clip")
            item = slice(None)
        axis += _axes_of(item)
        out.append(item)
    return array, out


def _cut_exactly(state, array, items):
    """Carry out the slices that JAX reads off positions which it takes for granted.

    Of `y[:1]` it says that it has 1 element, of `y[1:]` that it has `u - 1`. At the top level the
    function is traced again where nothing is selected; a branch or a body selects nothing in one
    iteration and some in another. `y[::-1]` it reads from position `u - 1` on.
    """
    axis, out = 0, []
    for item in _spelled_out(items, np.ndim(array)):
        size = array.shape[axis] if axis < array.ndim else None  # JAX says that it is one too many
        if _turns(item) and jp.is_symbolic(size):
            array, item = jnp.flip(array, axis), slice(None)
        if _takes_one(item) and state.fresh.vary(size):
            array = jnp.take(array, _positions(item, size), axis=axis, mode="clip")
            item = slice(None)
        axis += _axes_of(item)
        out.append(item)
    return array, tuple(out)


def _turns(item) -> bool:
    return isinstance(item, slice) and not _is_traced_slice(item) and item == slice(None, None, -1)


def _takes_one(item) -> bool:
    if not isinstance(item, slice) or _is_traced_slice(item):
        return False
    return any(isinstance(b, (int, np.integer)) and abs(b) == 1 for b in (item.start, item.stop))


def _steps(item) -> bool:
    return isinstance(item, slice) and item.step not in (None, 1)


def _cut_unknown(original, array, items):
    """Carry out what cuts an axis of unknown size: every step along another axis would do it again."""
    axis = 0
    out = []
    for item in _spelled_out(items, array.ndim):
        is_cut = isinstance(item, slice) and not _steps(item) and item != slice(None)
        if is_cut and jp.is_symbolic(array.shape[axis]):
            array = original(array, (*[slice(None)] * axis, item))
            item = slice(None)
        axis += _axes_of(item)
        out.append(item)
    return array, tuple(out)


def _keeps_its_place(items) -> bool:
    """Whether one slice may become a vector of positions without moving axes about."""
    vectors = [i for i, x in enumerate(items) if _is_advanced(x) or _is_traced_slice(x)]
    between = items[vectors[0] : vectors[-1] + 1]
    return (
        sum(map(_is_traced_slice, items)) == 1
        and all(np.ndim(x) == 0 for x in items if _is_advanced(x))
        and len(between) == len(vectors)
    )


def _masks_as_positions(items):
    """The index with each mask as the positions of its True entries (NumPy's rule for pairing)."""
    out = []
    for item in items:
        out += nonzero(item) if _is_mask(item) else [item]
    return _paired(tuple(out))


def _paired(items):
    """The index with its vectors of positions stated to be of one size, where sizes are unknown."""
    sizes = [x.shape[0] for x in items if _is_vector(x)]
    sizes = [d for d in sizes if jp.is_symbolic(d) or d != 1]
    if all(jp.is_symbolic(d) == jp.is_symbolic(sizes[0]) and d == sizes[0] for d in sizes):
        return items
    if not any(map(jp.is_symbolic, sizes)):
        return items  # JAX has its own words for known sizes that differ
    # Vectors of positions are paired: fresh sizes must agree, which is checked at run time.
    target = next((d for d in sizes if not jp.is_symbolic(d)), sizes[0])
    return tuple(
        primitives.unify_axis(jnp.asarray(x), 0, target, label="index", broadcasts=True)
        if _is_vector(x) and jp.is_symbolic(x.shape[0])
        else x
        for x in items
    )


def _is_vector(item) -> bool:
    return getattr(item, "ndim", 0) == 1 and item.dtype != bool


def _select(original, array, items, options):
    """One mask among slices: its axes become one, of a fresh size, without moving anything."""
    axis = 0
    out = []
    for item in items:
        if _is_mask(item):
            array = select(array, item, axis)
            item = slice(None)
        axis += _axes_of(item)
        out.append(item)
    if all(isinstance(i, slice) and i == slice(None) for i in out):
        return array
    return original(array, tuple(out), **options)


def select(array, mask, axis):
    """The slots of `array` that a mask over axes `axis`, `axis + 1`, ... selects."""
    rank = mask.ndim
    have = array.shape[axis : axis + rank]
    if len(have) < rank or any(_must_differ(a, b) for a, b in zip(have, mask.shape, strict=True)):
        raise IndexError(
            errors.message(
                "x[mask]",
                "the mask must have the shape of the axes that it selects from.",
                required=f"bool{list(have)}" if len(have) == rank else f"rank {len(have)} or less",
                received=f"bool{list(mask.shape)} for {array.dtype.name}{list(array.shape)}",
                do="build the mask from the array that it selects from",
            )
        )
    if rank > 1:
        shape = (*array.shape[:axis], -1, *array.shape[axis + rank :])
        array, mask = array.reshape(shape), mask.reshape(-1)
    return primitives.compress(array, mask, axis)


def _must_differ(a, b) -> bool:
    return not jp.is_symbolic(a) and not jp.is_symbolic(b) and a != b


def _positions(item: slice, size):
    """Positions of `start:stop:step` with Python's rules, as a vector of a fresh size."""
    step = 1 if item.step is None else item.step
    if jp.is_tracer(step) or step == 0:
        step = jnp.asarray(step, jnp.int32)
        checks.check_data(step == 0, "slice", "the step is 0.", required="a step other than 0")
        step = jnp.where(step == 0, 1, step)
    n = primitives.true_size(size)
    # Backwards, a bound before the first element is -1, and one behind the last is the last.
    low = _by_direction(step, 0, -1)
    high = n + low
    start = _bound(item.start, n, low, high, _by_direction(step, low, high))
    stop = _bound(item.stop, n, low, high, _by_direction(step, high, low))
    length = jnp.maximum(_by_direction(step, stop - start, start - stop), 0)
    if not jp.is_tracer(step) and step == 1:
        return start + primitives.fresh_range(length, bound=size, label="slice")
    count = -(-length // abs(step))
    return start + step * primitives.fresh_range(count, bound=size, label="slice")


def _by_direction(step, forwards, backwards):
    if jp.is_tracer(step):
        return jnp.where(step > 0, forwards, backwards)
    return forwards if step > 0 else backwards


def _bound(value, n, low, high, default):
    if value is None:
        return default
    if isinstance(value, (int, np.integer)) and not jp.is_tracer(low):
        return jnp.maximum(n + int(value), low) if value < 0 else jnp.minimum(int(value), high)
    value = jnp.asarray(value, jnp.int32)
    value = jnp.where(value < 0, value + n, value)
    return jnp.clip(value, low, high)


def two_unknown_windows() -> errors.UnimplementedError:
    """A window with traced bounds beside another index."""
    return errors.UnimplementedError(
        errors.message(
            "x.at[...]",
            "a slice with traced bounds stands beside another traced index.",
            do="update in two steps, or use `shims.where` with a mask",
        )
    )
