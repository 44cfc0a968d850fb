"""Compute sets of values, and positions in sorted arrays, for arrays of unknown sizes as `jax.numpy` does."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.searching import insertion_points
from shims._src.numeric.sort_keys import ascending_key
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def _is_traced(*arrays) -> bool:
    return any(jp.is_tracer(a) or jp.is_symbolic(a) for a in arrays)


def _as_array(a):
    return primitives.as_size(a) if jp.is_symbolic(a) else jnp.asarray(a)


def _distinct(ar, equal_nan: bool = True):
    """Return the sorted distinct values, with the derivative that JAX has where a size is given."""
    values = jnp.sort(jnp.ravel(ar))
    places = jnp.arange(values.shape[0])
    before = values[jnp.maximum(places - 1, 0)]
    differs = values != before
    if equal_nan:
        differs &= ~(jnp.isnan(values) & jnp.isnan(before))
    return values[(places == 0) | differs]


def _of_size(values, size, fill_value):
    """Cut or extend the values of a set to a size."""
    if size is None:
        return values
    filled = jnp.full((size,), fill_value, values.dtype)
    return filled.at[jnp.arange(values.shape[0])].set(values, mode="drop")


def _unique(
    state,
    original,
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    **options,
):
    along_axis = axis is not None and np.ndim(ar) != 1
    size, fill_value = options.get("size"), options.get("fill_value")
    if jp.is_symbolic(size) and not (return_index or return_inverse or return_counts or along_axis):
        values = _distinct(_as_array(ar), options.get("equal_nan", True))
        return _of_size(values, size, values[0] if fill_value is None else fill_value)
    if along_axis and size is None and _can_be_rows(ar, axis):
        wanted = (return_index, return_inverse, return_counts)
        return _unique_rows(ar, axis, wanted, equal_nan=options.get("equal_nan", True))
    if size is not None or not _is_traced(ar) or along_axis:
        return original(ar, return_index, return_inverse, return_counts, axis, **options)
    from shims._src.arguments import sorted_unique

    # The derivative of `jnp.unique` is zero.
    ar = lax.stop_gradient(_as_array(ar))
    if not options.get("equal_nan", True) and jnp.issubdtype(ar.dtype, jnp.inexact):
        return _unique_with_each_nan(ar, (return_index, return_inverse, return_counts))
    return sorted_unique.unique(ar, return_index, return_inverse, return_counts)


# The most elements of a row: rows are sorted by one after the other.
_MOST_COLUMNS = 64


def _can_be_rows(ar, axis: int) -> bool:
    """Return whether only the number of rows along an axis is unknown."""
    if not jp.is_tracer(ar) or not -ar.ndim <= axis < ar.ndim:
        return False
    others = [d for i, d in enumerate(ar.shape) if i != axis % ar.ndim]
    return not any(map(jp.is_symbolic, others)) and 0 < math.prod(others) <= _MOST_COLUMNS


def _unique_rows(ar, axis: int, wanted: tuple[bool, bool, bool], *, equal_nan: bool):
    """Return the sorted distinct rows along an axis, with their first places, the place of each row, and counts."""
    rows = jnp.moveaxis(lax.stop_gradient(ar), axis, 0)
    flat = rows.reshape(rows.shape[0], math.prod(rows.shape[1:]))
    order = jnp.lexsort(tuple(flat[:, i] for i in reversed(range(flat.shape[1]))))
    places = jnp.arange(rows.shape[0])
    ordered = flat[order]
    before = ordered[jnp.maximum(places - 1, 0)]
    differs = ordered != before
    if equal_nan:
        differs &= ~(jnp.isnan(ordered) & jnp.isnan(before))
    is_new = (places == 0) | jnp.any(differs, 1)
    values = jnp.moveaxis(rows[order][is_new], 0, axis)
    group = jnp.cumsum(is_new) - 1
    extras = (
        lambda: order[is_new],
        lambda: jnp.zeros_like(order).at[order].set(group.astype(order.dtype)),
        lambda: jnp.zeros(values.shape[axis], order.dtype).at[group].add(1),
    )
    chosen = [extra() for extra, is_wanted in zip(extras, wanted, strict=True) if is_wanted]
    return (values, *chosen) if chosen else values


def _unique_with_each_nan(ar, wanted: tuple[bool, bool, bool]):
    """Return the sorted distinct numbers, where no two NaNs are equal, and the other results that were asked for."""
    results = _unique_rows(jnp.ravel(ar)[:, None], 0, wanted, equal_nan=False)
    if not any(wanted):
        return results[:, 0]
    values, *others = results
    if wanted[1]:
        others[wanted[0]] = others[wanted[0]].reshape(ar.shape)
    return (values[:, 0], *others)


def _union1d(state, original, ar1, ar2, *, size=None, fill_value=None):
    if not (_is_traced(ar1, ar2) or jp.is_symbolic(size)):
        return original(ar1, ar2, size=size, fill_value=fill_value)
    both = jnp.concatenate([jnp.ravel(_as_array(a)) for a in (ar1, ar2)])
    return jnp.unique(both, size=size, fill_value=fill_value)


def _setdiff1d(state, original, ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    if not (_is_traced(ar1, ar2) or jp.is_symbolic(size)):
        return original(ar1, ar2, assume_unique, size=size, fill_value=fill_value)
    values, others = (jnp.ravel(_as_array(a)) for a in (ar1, ar2))
    if not assume_unique:
        values = jnp.unique(values) if size is None else _distinct(values)
    left = values[jnp.isin(values, others, invert=True)]
    return _of_size(left, size, 0 if fill_value is None else fill_value)


def _trim_zeros(state, original, filt, trim="fb", axis=None):
    if not _is_traced(filt):
        return original(filt, trim, axis)
    filt = _as_array(filt)
    axes = range(filt.ndim) if axis is None else np.atleast_1d(axis)
    for i in (int(a) % filt.ndim for a in axes):
        others = tuple(a for a in range(filt.ndim) if a != i)
        is_used, count = jnp.any(filt != 0, others), primitives.as_size(filt.shape[i])
        places = jnp.arange(filt.shape[i])
        first = jnp.min(jnp.where(is_used, places, count), initial=count)
        last = jnp.max(jnp.where(is_used, places + 1, 0), initial=0)
        bounds = slice(first if "f" in trim else None, last if "b" in trim else None)
        filt = filt[(slice(None),) * i + (bounds,)]
    return filt


def _searchsorted(state, original, a, v, side="left", sorter=None, **options):
    if not (np.ndim(a) == 1 and jp.is_symbolic(np.shape(a)[0])):
        return original(a, v, side=side, sorter=sorter, **options)
    a, v = jnp.asarray(a), jnp.asarray(v)
    kind = jnp.promote_types(a.dtype, v.dtype)
    a = a if sorter is None else a[sorter]
    a, v = (ascending_key(x.astype(kind)) for x in (a, v))
    return insertion_points(a, v.reshape(-1), side).reshape(v.shape)


FUNCTIONS = (
    ("unique", _unique),
    ("union1d", _union1d),
    ("setdiff1d", _setdiff1d),
    ("searchsorted", _searchsorted),
    ("trim_zeros", _trim_zeros),
)
