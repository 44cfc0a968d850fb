"""Support `x[index]` in a dynamic trace for masks, traced slice bounds and symbolic positions."""

from __future__ import annotations

import itertools
import math

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives, size_bounds
from shims._src.tracing import comparison_callers, fitting


def take(state, original, array, index, **options):
    """Compute `array[index]` for an index with parts that JAX rejects, such as masks."""
    taken = _take_items(state, original, array, index, options)
    if getattr(array, "weak_type", False) and not taken.weak_type:
        taken = jp.as_weak(taken)
    if not _has_none(taken) or _has_none(array):
        return taken
    # JAX returns a constant for no elements, which gradients do not pass; TensorFlow has gradients of
    # zeros, which earlier operations may turn into NaN.
    return primitives.connected(taken, jnp.asarray(array))


def _has_bound_below_one(state, item) -> bool:
    return isinstance(item, slice) and any(_is_below_one(state, b) for b in (item.start, item.stop))


def _is_below_one(state, bound) -> bool:
    """Return whether a slice bound is a data-dependent size negated (`-n`), thus never positive.

    If `n` is 0, such a bound does not count from the end.
    """
    return state.owns(bound) and not state.is_input_only(bound) and size_bounds.sign(-bound) == 1


def _with_traced_bounds(state, item):
    if not _has_bound_below_one(state, item):
        return item
    bounds = (primitives.as_size(b) if jp.is_symbolic(b) else b for b in (item.start, item.stop))
    return slice(*bounds, item.step)


def _with_sizes(items, shape):
    """Replace traced slice bounds by sizes that they are known to be, such as `minimum(2, n)` in an axis of `n`."""
    axis, out = 0, []
    rest = len(shape) - sum(fitting.axes_of(i) for i in items if i is not Ellipsis)
    for item in items:
        if _is_traced_slice(item) and axis < len(shape):
            bounds = (item.start, item.stop)
            item = slice(*(_as_size(bound, shape[axis]) for bound in bounds), item.step)
        axis += rest if item is Ellipsis else fitting.axes_of(item)
        out.append(item)
    return tuple(out)


def _as_size(bound, extent):
    """Return the size that a slice bound is if it cannot lie outside of the axis, otherwise the bound."""
    known = numbering.symbolic_value(bound) if jp.is_tracer(bound) and not bound.ndim else None
    if known is None:
        return bound
    if not jp.is_symbolic(known):  # a constant of the program bounds as a number of Python does
        return known
    return known if jp.never_negative(known) and jp.never_negative(extent - known) else bound


def _has_none(array) -> bool:
    return any(not jp.is_symbolic(d) and d == 0 for d in np.shape(array))


def _take_items(state, original, array, index, options):
    if fitting.is_condition(index):
        array, index = jp.as_jax(array)[None], index[None]
    if fitting.is_mask(index):
        array = jp.as_jax(array)
        mask = fitting.fit_mask(array, index, array.shape[: index.ndim])
        return fitting.select(array, mask, 0)
    items = _unify_position_sizes(_as_tuple(index))
    if any(map(_is_traced_slice, items)):
        index = items = _with_sizes(items, np.shape(array))
    if any(_has_bound_below_one(state, i) for i in items):
        index = items = tuple(_with_traced_bounds(state, i) for i in items)
    if len(items) == 1 and reads_nothing(items[0], array, 0):
        return from_nothing(jnp.asarray(array), items[0], 0)
    if len(items) > 1 and _has_none(array) and all(np.ndim(i) == 0 for i in items):
        array, items = _apply_empty_reads(jnp.asarray(array), items)
    if any(map(_is_reversal, items)):
        array, items = _apply_reversals(jnp.asarray(array), items)
        index = items
    if not any(_is_dynamic(i) for i in items) and not fitting.has_constant_mask(array, items):
        if len(items) > 1 and any(map(_has_step, items)):
            array, items = _apply_unknown_slices(original, jnp.asarray(array), items)
        return original(array, items if isinstance(index, tuple) else index, **options)
    array = jp.as_jax(array)
    items = fitting.fit_masks(array, _expand_ellipsis(items, array.ndim))
    array, items = _apply_traced_slices(array, items)
    if not any(fitting.is_mask(i) for i in items):
        return original(array, tuple(items), **options)
    if sum(map(_is_advanced, items)) > 1:
        return original(array, _masks_as_positions(items), **options)
    return _apply_mask(original, array, items, options)


def reads_nothing(positions, array, axis: int) -> bool:
    """Return whether an integer or traced positions index an axis of size 0."""
    is_one = isinstance(positions, int) and not isinstance(positions, bool)
    is_traced = jp.is_tracer(positions) and jnp.issubdtype(positions.dtype, jnp.integer)
    if not is_one and not is_traced:
        return False
    shape = np.shape(array)
    is_known = -len(shape) <= axis < len(shape) and not jp.is_symbolic(shape[axis])
    return is_known and shape[axis] == 0


def _apply_empty_reads(array, items):
    """Apply the parts of an index that read from an axis of size 0.

    Returns the array and the rest of the index.
    """
    rest = []
    axis = 0
    for item in _expand_ellipsis(items, array.ndim):
        if reads_nothing(item, array, axis):
            array = from_nothing(array, item, axis)
        else:
            rest.append(item)
            axis += fitting.axes_of(item)
    return array, tuple(rest)


def from_nothing(array, positions, axis: int):
    """Index an axis of size 0, which JAX rejects; check at run time that nothing is read.

    The check passes if the read is in a loop or branch that does not run.
    """
    axis %= array.ndim
    places = np.shape(positions)
    if 0 not in places and comparison_callers.is_handled_at_once():
        raise refusals.of_data(errors.OutOfBoundsError(_no_element(axis)))
    count = primitives.as_size(math.prod(places))
    text = errors.message(
        "",
        "an element of an empty axis is read.",
        required="no positions",
        received=f"{errors.NUMBER} positions in an array of shape {array.shape}",
    )
    # Computed from the positions, so that under `vmap` with no examples nothing is read.
    are_read = positions == positions if jp.is_tracer(positions) else count > 0
    primitives.check(are_read, text, count, error=errors.OutOfBoundsError)
    shape = (*array.shape[:axis], *places, *array.shape[axis + 1 :])
    zeros = jnp.zeros(shape, array.dtype)
    # The sum of no elements connects the array, so that its gradient is empty and not `None`.
    return zeros + jnp.sum(array) if jnp.issubdtype(array.dtype, jnp.inexact) else zeros


def _no_element(axis: int) -> str:
    return errors.message(
        "",
        "an element of an empty axis is read or updated.",
        required=f"at least one element along axis {axis}",
        do="test the size first, with `if y.shape[0] > 0` or `shims.cond`",
    )


def update(state, original, array, index, *rest, **options):
    """Compute `array.at[index].set(...)` or a similar update, also for masks and traced slice bounds."""
    array = jnp.asarray(array)
    if fitting.is_condition(index):
        return update(state, original, array[None], index[None], *rest, **options)[0]
    items = _unify_position_sizes(_as_tuple(index))
    _assume_rows(state, array, items)
    if not any(_is_dynamic(i) for i in items) and not fitting.has_constant_mask(array, items):
        index = items if isinstance(index, tuple) else index
        return original(array, index, *fitting.fit_values(array, items, rest), **options)
    items = fitting.fit_masks(array, _expand_ellipsis(items, array.ndim))
    axis = 0
    plain = []
    for item in items:
        if _is_traced_slice(item):
            if not _keeps_its_place(items):
                raise two_unknown_windows()
            plain.append(_slice_positions(item, array.shape[axis]))
        else:
            plain.append(item)
        axis += fitting.axes_of(item)
    items = _masks_as_positions(plain)
    return original(array, items, *fitting.fit_values(array, items, rest), **options)


def _assume_rows(state, array, items) -> None:
    """Assume that axes indexed by an integer are not empty, as an update at that position requires.

    For a traced position that is checked at run time, and for one that is a size.
    """
    axis = 0
    for item in itertools.takewhile(lambda i: i is not Ellipsis, items):
        d = array.shape[axis] if axis < array.ndim else 1
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            state.assume_some(d)
        elif _is_position(item) and _may_have_none(state, d):
            no_rows = primitives.as_size(d) == 0
            primitives.check(no_rows, _no_element(axis), error=errors.OutOfBoundsError)
        axis += fitting.axes_of(item)


def _may_have_none(state, d) -> bool:
    of_data = state.owns(d) and not state.is_input_only(d)
    return of_data and not size_bounds.never_zero(state, d)


def _is_position(item) -> bool:
    """Return whether a part of an index is one position that is known at run time."""
    is_scalar = jp.is_tracer(item) and not item.ndim and jnp.issubdtype(item.dtype, jnp.integer)
    return is_scalar or jp.is_symbolic(item)


def nonzero(mask):
    """Return the positions of the true entries of a traced mask, one vector per axis of the mask."""
    mask = jnp.asarray(mask, bool)
    flat = mask.reshape(-1)
    position = primitives.compress(jnp.arange(flat.shape[0], dtype=jnp.int32), flat)
    places = []
    for d in reversed(mask.shape[1:]):
        places.append(position % primitives.as_size(d))
        position = position // primitives.as_size(d)
    return [position, *reversed(places)]


def _as_tuple(index):
    return index if isinstance(index, tuple) else (index,)


def _is_dynamic(item) -> bool:
    return fitting.is_mask(item) or _is_traced_slice(item) or jp.is_symbolic(item)


def _is_traced_slice(item) -> bool:
    return isinstance(item, slice) and any(
        jp.is_tracer(b) for b in (item.start, item.stop, item.step)
    )


def _is_advanced(item) -> bool:
    return item is not None and item is not Ellipsis and not isinstance(item, slice)


def _expand_ellipsis(items, rank):
    """Expand the Ellipsis in an index; convert symbolic positions to int32 scalars."""
    consumed = sum(fitting.axes_of(i) for i in items if i is not Ellipsis)
    out = []
    for item in items:
        if item is Ellipsis:
            out += [slice(None)] * (rank - consumed)
        else:
            out.append(primitives.as_size(item) if jp.is_symbolic(item) else item)
    return out


def _apply_traced_slices(array, items):
    """Apply the slices with traced bounds; return the array and the rest of the index."""
    axis = 0
    out = []
    for item in items:
        if _is_traced_slice(item):
            array = jnp.take(
                array, _slice_positions(item, array.shape[axis]), axis=axis, mode="clip"
            )
            item = slice(None)
        axis += fitting.axes_of(item)
        out.append(item)
    return array, out


def _apply_reversals(array, items):
    """Apply `[::-1]` to axes of unknown size; return the array and the rest of the index.

    JAX would read from position `u - 1` on, even if the size `u` is 0.
    """
    axis, out = 0, []
    for item in _expand_ellipsis(items, np.ndim(array)):
        size = array.shape[axis] if axis < array.ndim else None  # JAX raises for too many indices
        if _is_reversal(item) and jp.is_symbolic(size):
            array, item = jnp.flip(array, axis), slice(None)
        axis += fitting.axes_of(item)
        out.append(item)
    return array, tuple(out)


def _is_reversal(item) -> bool:
    return isinstance(item, slice) and not _is_traced_slice(item) and item == slice(None, None, -1)


def _has_step(item) -> bool:
    return isinstance(item, slice) and item.step not in (None, 1)


def _apply_unknown_slices(original, array, items):
    """Apply the slices of axes of unknown size before the rest of an index.

    Returns the result, and the index with full slices in their place.
    """
    axis = 0
    out = []
    for item in _expand_ellipsis(items, array.ndim):
        is_cut = isinstance(item, slice) and not _has_step(item) and item != slice(None)
        if is_cut and jp.is_symbolic(array.shape[axis]):
            array = original(array, (*[slice(None)] * axis, item))
            item = slice(None)
        axis += fitting.axes_of(item)
        out.append(item)
    return array, tuple(out)


def _keeps_its_place(items) -> bool:
    """Return whether an index array can replace the traced slice without moving its axis."""
    vectors = [i for i, x in enumerate(items) if _is_advanced(x) or _is_traced_slice(x)]
    between = items[vectors[0] : vectors[-1] + 1]
    return (
        sum(map(_is_traced_slice, items)) == 1
        and all(np.ndim(x) == 0 for x in items if _is_advanced(x))
        and len(between) == len(vectors)
    )


def _masks_as_positions(items):
    """Replace each mask in an index by the positions of its true entries, one vector per axis."""
    out = []
    for item in items:
        out += nonzero(item) if fitting.is_mask(item) else [item]
    return _unify_position_sizes(tuple(out))


def _unify_position_sizes(items):
    """Declare that the index vectors of an index have equal sizes; checked at run time."""
    sizes = [x.shape[0] for x in items if fitting.is_vector(x)]
    sizes = [d for d in sizes if jp.is_symbolic(d) or d != 1]
    if all(jp.is_symbolic(d) == jp.is_symbolic(sizes[0]) and d == sizes[0] for d in sizes):
        return items
    if not any(map(jp.is_symbolic, sizes)):
        return items  # JAX raises an error for known sizes that differ
    # Vectors of positions are paired: fresh sizes must agree, which is checked at run time.
    target = next((d for d in sizes if not jp.is_symbolic(d)), sizes[0])
    return tuple(
        primitives.unify_axis(jnp.asarray(x), 0, target, label="index", broadcasts=True)
        if fitting.is_vector(x) and jp.is_symbolic(x.shape[0])
        else x
        for x in items
    )


def _apply_mask(original, array, items, options):
    """Apply an index that consists of one mask and slices.

    The axes of the mask become one axis of data-dependent size, at the same position.
    """
    axis = 0
    out = []
    for item in items:
        if fitting.is_mask(item):
            array = fitting.select(array, item, axis)
            item = slice(None)
        axis += fitting.axes_of(item)
        out.append(item)
    if all(isinstance(i, slice) and i == slice(None) for i in out):
        return array
    return original(array, tuple(out), **options)


def _slice_positions(item: slice, size):
    """Return the positions that `start:stop:step` selects, a vector of data-dependent size."""
    step = 1 if item.step is None else item.step
    if jp.is_tracer(step) or step == 0:
        step = jnp.asarray(step, jnp.int32)
        checks.check_data(step == 0, "slice", "the step is 0.", required="a step other than 0")
        step = jnp.where(step == 0, 1, step)
    n = primitives.as_size(size)
    # Backwards, a bound before the first element is -1, and one behind the last is the last.
    low = _by_direction(step, 0, -1)
    high = n + low
    start = _clip_bound(item.start, n, low, high, _by_direction(step, low, high))
    stop = _clip_bound(item.stop, n, low, high, _by_direction(step, high, low))
    length = jnp.maximum(_by_direction(step, stop - start, start - stop), 0)
    if not jp.is_tracer(step) and step == 1:
        return start + primitives.fresh_range(length, bound=size, label="slice")
    count = -(-length // abs(step))
    return start + step * primitives.fresh_range(count, bound=size, label="slice")


def _by_direction(step, forwards, backwards):
    if jp.is_tracer(step):
        return jnp.where(step > 0, forwards, backwards)
    return forwards if step > 0 else backwards


def _clip_bound(value, n, low, high, default):
    if value is None:
        return default
    if isinstance(value, (int, np.integer)) and not jp.is_tracer(low):
        return jnp.maximum(n + int(value), low) if value < 0 else jnp.minimum(int(value), high)
    value = jnp.asarray(value, jnp.int32)
    value = jnp.where(value < 0, value + n, value)
    return jnp.clip(value, low, high)


def two_unknown_windows() -> errors.UnimplementedError:
    """Create the error for an update whose index combines a traced slice with another traced index."""
    return errors.UnimplementedError(
        errors.message(
            "x.at[...]",
            "a slice with traced bounds is combined with another traced index.",
            do="update in two steps, or use `shims.where` with a mask",
        )
    )
