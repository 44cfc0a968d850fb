"""Index and slice ragged tensors: `rt[i]`, `rt[i:j]`, `rt[:, :k]`."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.platform import jax_private as jp
from shims._src.ragged import gathering, partition
from shims._src.ragged.gathering import check_row, entries, kept, kept_rows, row, rows
from shims._src.ragged.reshaping import expand_dims, rank_of
from shims._src.ragged.tensor import RaggedTensor, is_ragged, row_total
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by

_ALL = slice(None)


def take(rt, key):
    """Implement `rt[key]` with TensorFlow's rules."""
    if is_ragged(key):
        return gathering.take(rt, key)
    items = list(key) if isinstance(key, (tuple, list)) else [key]
    return _apply_keys(rt, _expand_ellipsis(items, rank_of(rt)))


def _expand_ellipsis(items, rank):
    """Replace `...` in an index by full slices."""
    if not any(i is Ellipsis for i in items):
        return items
    place = next(n for n, i in enumerate(items) if i is Ellipsis)
    used = sum(i is not None for i in items) - 1
    if any(i is Ellipsis for i in items[place + 1 :]):
        raise ValueError("Only one Ellipsis is allowed in a key.")
    return [*items[:place], *[_ALL] * (rank - used), *items[place + 1 :]]


def _apply_keys(rt, items):
    if not items:
        return rt
    if not is_ragged(rt):
        return _index_array(rt, items)
    first, rest = items[0], items[1:]
    if first is None:
        return _apply_inner_keys(expand_dims(rt, 0), rest)
    if not isinstance(first, slice):
        return _apply_keys(row(rt, first), rest)
    return _apply_inner_keys(_slice_rows(rt, first), rest)


def _apply_inner_keys(rt, items):
    """Index the axes after the row axis of a ragged tensor with `items`."""
    if not items:
        return rt
    first, rest = items[0], items[1:]
    if first is None:
        inner = expand_dims(rt, 1)
        return inner if not rest else inner.with_values(_apply_inner_keys(inner.values, rest))
    if not isinstance(first, slice):
        if rt.uniform_row_length is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        length = rt.uniform_row_length
        position = checks.static_int("index", "position", first)
        if not -length <= position < length:
            raise checks.invalid(
                "index", f"position {position} is out of range for rows of length {length}."
            )
        place = rt.row_splits[:-1] + position % length
        return _apply_value_keys(entries(rt.values, place), rest)
    if first != _ALL:
        rt = _slice_within_rows(rt, _with_int_bounds(first))
    if not rest:
        return rt
    return RaggedTensor(_apply_value_keys(rt.values, rest), rt.row_splits, rt.uniform_row_length)


def _apply_value_keys(values, items):
    """Index the axes 1, 2, ... of the flat values of a ragged tensor; axis 0 is kept whole."""
    if not items:
        return values
    return (
        _apply_inner_keys(values, items)
        if is_ragged(values)
        else _index_array(values, [_ALL, *items])
    )


def _index_array(values, items):
    """Index an array; reject positions out of range, which JAX would clamp."""
    places = [i for i in items if i is not None]
    if len(places) > values.ndim:
        raise checks.invalid(
            "index", f"the index has {len(places)} keys, but the array has rank {values.ndim}."
        )
    for place, size in zip(places, values.shape, strict=False):
        if not isinstance(place, slice):
            _check_position(place, size)
    return values[tuple(items)]


def _check_position(position, size):
    if is_known(size) and not jp.is_tracer(position) and not jp.is_symbolic(position):
        check_row(int(np.asarray(position)), size)
        return
    position, size = jnp.asarray(position), primitives.as_size(size)
    checks.check_data(
        (position < -size) | (position >= size),
        "index",
        "a position is out of range.",
        required="-size <= index < size",
    )


def _with_int_bounds(key: slice) -> slice:
    parts = (key.start, key.stop, key.step)
    return slice(*(p if p is None or jp.is_tracer(p) else int(p) for p in parts))


# ---- rows ----------------------------------------------------------------------------------------


def _slice_rows(rt, key):
    if key == _ALL:
        return rt
    return _slice_rows_by(rt, _with_int_bounds(key))


@selected_by("rt", "key")
def _slice_rows_by(rt, key):
    step = checks.static_int("index", "step", 1 if key.step is None else key.step)
    count = primitives.as_size(row_total(rt))
    low, number = _range_of(key, count, step)
    if step != 1:
        numbers = primitives.fresh_range(number, bound=row_total(rt), label="slice")
        return rows(rt, low + step * numbers, times=1)
    place = jnp.arange(row_total(rt), dtype=jnp.int32)
    return kept_rows(rt, (place >= low) & (place < low + number))


def _range_of(key, length, step):
    """Return the first position and the element count of a slice, for each row length."""
    backwards = step < 0
    least, most = (-1, length - 1) if backwards else (0, length)
    start = _slice_bound(key.start, length, least, most, most if backwards else least)
    stop = _slice_bound(key.stop, length, least, most, least if backwards else most)
    span = start - stop if backwards else stop - start
    size = abs(step)
    return start, jnp.maximum((span + size - 1) // size, 0)


def _slice_bound(value, length, least, most, default):
    if value is None:
        return jnp.asarray(default, length.dtype)
    value = jnp.asarray(value, length.dtype)
    return jnp.clip(jnp.where(value < 0, value + length, value), least, most)


# ---- parts of every row --------------------------------------------------------------------------


@selected_by("rt", "key")
def _slice_within_rows(rt, key):
    """Slice every row: `rt[:, key]`."""
    step = checks.static_int("index", "step", 1 if key.step is None else key.step)
    lengths = rt.row_lengths()
    first, number = _range_of(key, lengths, step)
    first = jnp.broadcast_to(first, lengths.shape)
    if step < 0:
        bound = row_total(rt.values)
        splits, ids, place = partition.spread(number, bound=bound, label="slice")
        source = partition.of_row(rt.row_splits[:-1] + first, ids) + step * place
        return RaggedTensor(entries(rt.values, source, times=1), splits)
    ids = rt.value_rowids()
    place = partition.offsets(rt.row_splits, ids) - partition.of_row(first, ids)
    inside = (place >= 0) & (place < step * partition.of_row(number, ids)) & (place % step == 0)
    return RaggedTensor(kept(rt.values, inside), partition.from_lengths(number))
