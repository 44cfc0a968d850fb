"""One array over `[n, ...]` and ids `[n]`, reduced: ids outside of the segments count for nothing."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.elementwise.elementwise import is_inexact, square_root
from shims._src.elementwise.quotients import floating_quotients
from shims._src.sizes import primitives


def _slots(data, count, value):
    return jnp.full((count, *data.shape[1:]), value, data.dtype)


def total(data, ids, count, *, is_sorted=False):
    """The sum of each segment."""
    # A gradient passes through the sum of no rows, not through a scatter of nothing.
    if data.shape[0] == 0 or any(is_known(d) and d == 0 for d in data.shape[1:]):
        return jnp.broadcast_to(jnp.sum(data, axis=0), (count, *data.shape[1:])).astype(data.dtype)
    return _slots(data, count, 0).at[ids].add(data, mode="drop", indices_are_sorted=is_sorted)


def total_of_sorted(data, ids, count):
    """The sum of each segment; the ids are known not to decrease."""
    return total(data, ids, count, is_sorted=True)


def population(data, ids, count):
    """How many rows each segment has, shaped to divide the segments of `data`."""
    ones = jnp.ones(ids.shape, jnp.int32)
    number = jnp.zeros((count,), jnp.int32).at[ids].add(ones, mode="drop")
    number = jnp.maximum(number, 1).astype(data.dtype)
    return lax.expand_dims(number, tuple(range(1, data.ndim)))


def average(data, ids, count):
    """The mean of each segment, 0 where it is empty."""
    sums, number = total(data, ids, count), population(data, ids, count)
    if is_inexact(data):
        return sums / number
    return lax.div(sums, jnp.broadcast_to(number, sums.shape))


def average_of_whole(data, ids, count):
    """The floating-point mean of integers: sums and numbers of rows wrap around, as in TensorFlow."""
    sums, number = total(data, ids, count), total(jnp.ones(ids.shape, data.dtype), ids, count)
    number = lax.expand_dims(jnp.maximum(number, 1), tuple(range(1, data.ndim)))
    return jnp.divide(*floating_quotients(sums, number))


def over_root(data, ids, count):
    """The sum of each segment over the root of its number of rows."""
    return total(data, ids, count) / square_root(population(data, ids, count))


def _place(ids, count):
    """Ids as positions that can be read; a negative one is not read from the end."""
    return jnp.clip(ids, 0, primitives.as_size(count).astype(ids.dtype) - 1)


def _read(segments, ids, count):
    # Filled where there are no segments: of what is read there nothing is used.
    return jnp.take(segments, _place(ids, count), axis=0, mode="fill", fill_value=0)


def _inside(ids, data):
    return lax.expand_dims(ids >= 0, tuple(range(1, data.ndim)))


@functools.cache
def extreme(method: str):
    """The largest or smallest row of each segment; equal ones share the gradient."""

    @functools.partial(jax.custom_jvp, nondiff_argnums=(2, 3))
    def reduce(data, ids, count, start):
        return getattr(_slots(data, count, start).at[ids], method)(data, mode="drop")

    @reduce.defjvp
    def jvp(count, start, primals, tangents):
        data, ids = primals
        data = lax.optimization_barrier(data)  # computed once: extremes_held.py
        out = reduce(data, ids, count, start)
        here = (data == _read(out, ids, count)) & _inside(ids, data)
        shared = jnp.maximum(total(here.astype(data.dtype), ids, count), 1)
        # Chosen, not multiplied: a slope that is NaN reaches the largest only.
        return out, total(jnp.where(here, tangents[0], 0), ids, count) / shared

    return reduce


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def product(data, ids, count):
    """The product of each segment, 1 where it is empty."""
    return _slots(data, count, 1).at[ids].multiply(data, mode="drop")


@product.defjvp
def _product_jvp(count, primals, tangents):
    data, ids = primals
    out = product(data, ids, count)
    is_zero = data == 0
    is_dropped = (ids < 0) | (ids >= primitives.as_size(count).astype(ids.dtype))
    first = jnp.where(is_dropped, 0, ids)  # where TensorFlow looks for what it drops
    zeros = _read(total(is_zero.astype(jnp.int32), ids, count), first, count)
    without = product(jnp.where(is_zero, 1, data), ids, count)
    # The product of the others, as TensorFlow has it: it forgets to conjugate it.
    divided = _read(out, first, count) / jnp.where(is_zero, 1, data)
    others = jnp.conj(jnp.where(is_zero, _read(without, first, count), divided))
    # Where two are zero, and of rows that count for nothing, TensorFlow takes 0 for the gradient of the
    # product, whatever it is, and multiplies it by that slope, which may be NaN.
    dropped = lax.expand_dims(is_dropped, tuple(range(1, data.ndim)))
    slopes = jnp.where((zeros > 1) | dropped, 0, tangents[0] * others)
    return out, total(slopes, first, count)


def _lowest(dtype, method):
    """What stands in an empty segment before anything does: the finite end of the range."""
    info = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype)
    return np.asarray(info.min if method == "max" else info.max, dtype)[()]


def _extreme_or_zero(method, data, ids, count):
    """Sorted segments have 0 where they are empty."""
    start = -np.inf if method == "max" else np.inf
    start = start if is_inexact(data) else _lowest(data.dtype, method)
    out = extreme(method)(data, ids, count, start)
    number = jnp.zeros((count,), jnp.int32).at[ids].add(1, mode="drop")
    return jnp.where(lax.expand_dims(number > 0, tuple(range(1, data.ndim))), out, 0)


def product_of_any(data, ids, count):
    """The product of each segment, in the dtype of `data`."""
    if is_inexact(data):
        return product(data, ids, count)
    return _slots(data, count, 1).at[ids].multiply(data, mode="drop")


def _extreme_or_lowest(method, data, ids, count):
    """Unsorted segments have the end of the range where they are empty, not infinity."""
    return extreme(method)(data, ids, count, _lowest(data.dtype, method))


def largest_or_zero(data, ids, count):
    """The largest row of each of sorted segments, 0 where it is empty."""
    return _extreme_or_zero("max", data, ids, count)


def smallest_or_zero(data, ids, count):
    """The smallest row of each of sorted segments, 0 where it is empty."""
    return _extreme_or_zero("min", data, ids, count)


def largest_or_lowest(data, ids, count):
    """The largest row of each of unsorted segments, the lowest number where it is empty."""
    return _extreme_or_lowest("max", data, ids, count)


def smallest_or_highest(data, ids, count):
    """The smallest row of each of unsorted segments, the highest number where it is empty."""
    return _extreme_or_lowest("min", data, ids, count)
