"""Reduce `data` `[n, ...]` by segment ids `[n]`; rows with ids out of range are ignored."""

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


def _fill_segments(data, count, value):
    return jnp.full((count, *data.shape[1:]), value, data.dtype)


def total(data, ids, count, *, is_sorted=False):
    """Sum the rows of each segment; 0 for an empty segment."""
    # The sum of no rows has a gradient; a scatter of no updates has none.
    if data.shape[0] == 0 or any(is_known(d) and d == 0 for d in data.shape[1:]):
        return jnp.broadcast_to(jnp.sum(data, axis=0), (count, *data.shape[1:])).astype(data.dtype)
    return (
        _fill_segments(data, count, 0).at[ids].add(data, mode="drop", indices_are_sorted=is_sorted)
    )


def total_of_sorted(data, ids, count):
    """Sum the rows of each segment, whose ids are sorted; 0 for an empty segment."""
    return total(data, ids, count, is_sorted=True)


def _rows(ids, count, is_sorted):
    """Count the rows of each segment."""
    return total(jnp.ones(ids.shape, jnp.int32), ids, count, is_sorted=is_sorted)


def population(data, ids, count, *, is_sorted=False):
    """Count the rows of each segment, at least 1, in a shape that broadcasts with the segments."""
    number = jnp.maximum(_rows(ids, count, is_sorted), 1).astype(data.dtype)
    return lax.expand_dims(number, tuple(range(1, data.ndim)))


def average_of_sorted(data, ids, count):
    """Compute the mean of each segment, whose ids are sorted; the mean of an empty segment is 0."""
    return average(data, ids, count, is_sorted=True)


def average(data, ids, count, *, is_sorted=False):
    """Compute the mean of each segment; the mean of an empty segment is 0."""
    sums = total(data, ids, count, is_sorted=is_sorted)
    number = population(data, ids, count, is_sorted=is_sorted)
    if is_inexact(data):
        return sums / number
    return lax.div(sums, jnp.broadcast_to(number, sums.shape))


def average_of_whole(data, ids, count):
    """Compute the floating-point mean of integers; sums and counts wrap around, as in TensorFlow."""
    sums, number = total(data, ids, count), total(jnp.ones(ids.shape, data.dtype), ids, count)
    number = lax.expand_dims(jnp.maximum(number, 1), tuple(range(1, data.ndim)))
    return jnp.divide(*floating_quotients(sums, number))


def over_root(data, ids, count):
    """Sum each segment and divide by the square root of its number of rows."""
    return total(data, ids, count) / square_root(population(data, ids, count))


def _clamp_ids(ids, count):
    """Clamp ids to valid indices, since JAX would count negative ones from the end."""
    return jnp.clip(ids, 0, primitives.as_size(count).astype(ids.dtype) - 1)


def _read_segments(segments, ids, count):
    # `fill` allows an array without segments; the filled values are not used.
    return jnp.take(segments, _clamp_ids(ids, count), axis=0, mode="fill", fill_value=0)


def _is_not_negative(ids, data):
    return lax.expand_dims(ids >= 0, tuple(range(1, data.ndim)))


@functools.cache
def extreme(method: str, is_sorted: bool = False):
    """Make a function that computes the maximum or minimum of each segment.

    Equal rows share the gradient.
    """

    @functools.partial(jax.custom_jvp, nondiff_argnums=(2, 3))
    def reduce(data, ids, count, start):
        segments = _fill_segments(data, count, start).at[ids]
        return getattr(segments, method)(data, mode="drop", indices_are_sorted=is_sorted)

    @reduce.defjvp
    def jvp(count, start, primals, tangents):
        data, ids = primals
        data = lax.optimization_barrier(data)  # computed once: extremes_held.py
        out = reduce(data, ids, count, start)
        here = (data == _read_segments(out, ids, count)) & _is_not_negative(ids, data)
        sums = functools.partial(total, ids=ids, count=count, is_sorted=is_sorted)
        # Selected, not multiplied: a NaN gradient reaches only the rows equal to the result.
        slopes = sums(jnp.where(here, tangents[0], 0))
        return out, slopes / jnp.maximum(sums(here.astype(data.dtype)), 1)

    return reduce


def _multiplied(data, ids, count, is_sorted):
    segments = _fill_segments(data, count, 1).at[ids]
    return segments.multiply(data, mode="drop", indices_are_sorted=is_sorted)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2, 3))
def product(data, ids, count, is_sorted):
    """Compute the product of each segment of floating-point or complex rows; 1 for an empty segment."""
    return _multiplied(data, ids, count, is_sorted)


@product.defjvp
def _product_jvp(count, is_sorted, primals, tangents):
    data, ids = primals
    out = product(data, ids, count, is_sorted)
    is_zero = data == 0
    is_dropped = (ids < 0) | (ids >= primitives.as_size(count).astype(ids.dtype))
    first = jnp.where(is_dropped, 0, ids)  # TensorFlow reads segment 0 for the rows that it drops
    zeros = _read_segments(total(is_zero.astype(jnp.int32), ids, count), first, count)
    without = product(jnp.where(is_zero, 1, data), ids, count, is_sorted)
    # The product of the others; as in TensorFlow, it is not conjugated in the gradient.
    divided = _read_segments(out, first, count) / jnp.where(is_zero, 1, data)
    others = jnp.conj(jnp.where(is_zero, _read_segments(without, first, count), divided))
    # Where two elements are zero, and for dropped rows, TensorFlow uses the gradient 0, whatever
    # the incoming gradient is.
    dropped = lax.expand_dims(is_dropped, tuple(range(1, data.ndim)))
    slopes = jnp.where((zeros > 1) | dropped, 0, tangents[0] * others)
    return out, total(slopes, first, count)


def _initial_value(dtype, method):
    """Return the value of an empty segment: the lowest finite number for a maximum, else the highest."""
    info = jnp.finfo(dtype) if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype)
    return np.asarray(info.min if method == "max" else info.max, dtype)[()]


def _extreme_or_zero(method, data, ids, count, is_sorted):
    """Compute the maximum or minimum of each segment; the result for an empty segment is 0."""
    start = -np.inf if method == "max" else np.inf
    start = start if is_inexact(data) else _initial_value(data.dtype, method)
    out = extreme(method, is_sorted)(data, ids, count, start)
    is_present = _rows(ids, count, is_sorted) > 0
    return jnp.where(lax.expand_dims(is_present, tuple(range(1, data.ndim))), out, 0)


def product_of_sorted(data, ids, count):
    """Compute the product of each segment, whose ids are sorted; 1 for an empty segment."""
    return product_of_any(data, ids, count, is_sorted=True)


def product_of_any(data, ids, count, *, is_sorted=False):
    """Compute the product of each segment, also of integers and bools; 1 for an empty segment."""
    return (product if is_inexact(data) else _multiplied)(data, ids, count, is_sorted)


def _extreme_or_lowest(method, data, ids, count):
    """Compute the maximum or minimum of unsorted segments.

    An empty segment has the lowest finite number for a maximum, the highest for a minimum.
    """
    return extreme(method)(data, ids, count, _initial_value(data.dtype, method))


def largest_or_zero(data, ids, count):
    """Compute the maximum of each segment; the maximum of an empty segment is 0."""
    return _extreme_or_zero("max", data, ids, count, is_sorted=False)


def largest_of_sorted(data, ids, count):
    """Compute the maximum of each segment, whose ids are sorted; an empty segment gives 0."""
    return _extreme_or_zero("max", data, ids, count, is_sorted=True)


def smallest_of_sorted(data, ids, count):
    """Compute the minimum of each segment, whose ids are sorted; an empty segment gives 0."""
    return _extreme_or_zero("min", data, ids, count, is_sorted=True)


def largest_or_lowest(data, ids, count):
    """Compute the maximum of each segment; an empty segment gives the lowest finite number."""
    return _extreme_or_lowest("max", data, ids, count)


def smallest_or_highest(data, ids, count):
    """Compute the minimum of each segment; an empty segment gives the highest finite number."""
    return _extreme_or_lowest("min", data, ids, count)
