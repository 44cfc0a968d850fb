"""Indexing on tracers inside a dynamic trace: masks, traced slice bounds, symbolic positions."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src import jax_private as jp
from shims._src import primitives


def take(state, original, array, index, **options):
    """`array[index]` where the index holds something that JAX would refuse."""
    items = index if isinstance(index, tuple) else (index,)
    if not any(_is_dynamic(i) for i in items):
        return original(array, index, **options)
    array = jnp.asarray(array)
    plain = []
    axis = 0
    consumed = sum(_axes_of(i) for i in items if i is not Ellipsis)
    for item in items:
        if item is Ellipsis:
            axis += array.ndim - consumed
        elif _is_mask(item):
            array = _select(array, item, axis)
            consumed += 1 - np.ndim(item)
            item = slice(None)
            axis += 1
        elif _is_traced_slice(item):
            array = jnp.take(array, _positions(item, array.shape[axis]), axis=axis, mode="clip")
            item = slice(None)
            axis += 1
        elif jp.is_symbolic(item):
            item = primitives.as_size(item)
            axis += 1
        else:
            axis += _axes_of(item)
        plain.append(item)
    if all(isinstance(i, slice) and i == slice(None) for i in plain):
        return array
    return original(array, tuple(plain), **options)


def update(state, original, array, index, *rest, **options):
    """`array.at[index].set(...)` and its relatives with masks and traced bounds as index."""
    items = index if isinstance(index, tuple) else (index,)
    if not any(_is_dynamic(i) for i in items):
        return original(array, index, *rest, **options)
    array = jnp.asarray(array)
    plain = []
    axis = 0
    consumed = sum(_axes_of(i) for i in items if i is not Ellipsis)
    for item in items:
        if item is Ellipsis:
            axis += array.ndim - consumed
            plain.append(item)
        elif _is_mask(item):
            plain += nonzero(item)
            axis += np.ndim(item)
        elif _is_traced_slice(item):
            plain.append(_positions(item, array.shape[axis]))
            axis += 1
        else:
            plain.append(primitives.as_size(item) if jp.is_symbolic(item) else item)
            axis += _axes_of(item)
    return original(array, tuple(plain), *rest, **options)


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


def _is_dynamic(item) -> bool:
    return _is_mask(item) or _is_traced_slice(item) or jp.is_symbolic(item)


def _is_mask(item) -> bool:
    return jp.is_tracer(item) and item.dtype == bool and item.ndim > 0


def _is_traced_slice(item) -> bool:
    return isinstance(item, slice) and any(jp.is_tracer(b) for b in (item.start, item.stop))


def _axes_of(item) -> int:
    if item is None:
        return 0
    return np.ndim(item) if _is_mask(item) else 1


def _select(array, mask, axis):
    rank = mask.ndim
    if rank > 1:
        shape = (*array.shape[:axis], -1, *array.shape[axis + rank :])
        array, mask = array.reshape(shape), mask.reshape(-1)
    return primitives.compress(array, mask, axis)


def _positions(item: slice, size):
    """Positions of `start:stop` with Python's rules, as a vector of a fresh size."""
    if item.step not in (None, 1):
        raise NotImplementedError("slices with traced bounds take no step")
    n = primitives.as_size(size)
    start = _bound(item.start, n, primitives.as_size(0), size)
    stop = _bound(item.stop, n, n, size)
    count = jnp.maximum(stop - start, 0)
    return start + primitives.fresh_range(count, bound=size, label="slice")


def _bound(value, n, default, size):
    if value is None:
        return default
    value = jnp.asarray(value, jnp.int32)
    value = jnp.where(value < 0, value + n, value)
    return jnp.clip(value, 0, n)
