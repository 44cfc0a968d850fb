"""Reduce ragged tensors over any of their axes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import axes_of
from shims._src.elementwise.elementwise import is_inexact, square_root
from shims._src.math import reduction as dense
from shims._src.math import segment
from shims._src.ragged import partition
from shims._src.ragged.elementwise import map_rows
from shims._src.ragged.reshaping import expand_dims
from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by
from shims._src.types.dtypes import canonical_dtype

# Empty rows reduce to the identity, as in TensorFlow's unsorted segment reductions.
_SEGMENTS = {
    "reduce_sum": segment.unsorted_segment_sum,
    "reduce_prod": segment.unsorted_segment_prod,
    "reduce_max": segment.unsorted_segment_max,
    "reduce_min": segment.unsorted_segment_min,
}
_DENSE = {
    "reduce_sum": dense.reduce_sum,
    "reduce_prod": dense.reduce_prod,
    "reduce_max": dense.reduce_max,
    "reduce_min": dense.reduce_min,
}


def reduce(name: str, rt, axis=None, keepdims=False):
    """Reduce a ragged tensor; the result is an array if no ragged axis remains."""
    if axis is None and name not in _COMPOSED:
        out = _DENSE[name](rt.flat_values, None, False)
        rank = rt.ragged_rank + rt.flat_values.ndim
        return out.reshape((1,) * rank) if keepdims else out
    axes = axes_of(name, axis, rt.ragged_rank + rt.flat_values.ndim)
    return _COMPOSED.get(name, functools.partial(_reduce_axes, name))(rt, axes, bool(keepdims))


def _reduce_axes(name, rt, axes, keepdims):
    """Reduce axes one by one, the innermost first."""
    out = rt
    for axis in sorted(axes, reverse=True):
        out = _reduce_axis(name, out, axis, keepdims)
    return out


def _reduce_axis(name, rt, axis, keepdims):
    if not is_ragged(rt):
        return _DENSE[name](rt, axis, keepdims)
    if axis > 1:
        return rt.with_values(_reduce_axis(name, rt.values, axis - 1, keepdims))
    out = _reduce_columns(name, rt) if axis == 0 else _reduce_rows(name, rt)
    if not keepdims:
        return out
    return expand_dims(out, axis)


def _reduce_rows(name, rt):
    count = partition.row_count(rt.row_splits)
    return _aggregate(name, rt.values, rt.value_rowids(), count)


@selected_by("rt")
def _reduce_columns(name, rt):
    ids = rt.value_rowids()
    count = partition.longest(rt.row_splits, ids.shape[0])
    return _aggregate(name, rt.values, partition.offsets(rt.row_splits, ids), count)


def _aggregate(name, values, ids, count):
    if not is_ragged(values):
        return _SEGMENTS[name](values, ids, count)
    return _aggregate_ragged(name, values, ids, count)


@selected_by("values", "ids")
def _aggregate_ragged(name, values, ids, count):
    """Reduce groups of rows elementwise; a result row is as long as the longest row of its group."""
    lengths = values.row_lengths()
    longest = jnp.zeros((count,), lengths.dtype).at[ids].max(lengths, mode="drop")
    splits = partition.from_lengths(longest)
    inner = values.value_rowids()
    place = partition.offsets(values.row_splits, inner)
    target = partition.of_row(partition.of_row(splits, ids), inner) + place
    bound = inner.shape[0]
    total = primitives.to_dim(jnp.sum(longest), label=name, bound=bound)
    return RaggedTensor(_aggregate(name, values.values, target, total), splits)


def _mean(rt, axes, keepdims):
    total = _reduce_axes("reduce_sum", rt, axes, keepdims)
    ones = rt.with_flat_values(jnp.ones_like(rt.flat_values))
    return _divide(total, _reduce_axes("reduce_sum", ones, axes, keepdims))


def _divide(total, count):
    if is_ragged(total):
        return total.with_flat_values(_divide(total.flat_values, count.flat_values))
    return total / count if is_inexact(total) else _divide_integers(total, count)


def _divide_integers(total, count):
    """Divide integers in floating point, as TensorFlow's `/` does."""
    dtype = canonical_dtype(_QUOTIENT[total.dtype.name])
    return total.astype(dtype) / count.astype(dtype)


_QUOTIENT = {
    "int8": np.float32,
    "uint8": np.float32,
    "int16": np.float32,
    "uint16": np.float32,
    "int32": np.float64,
    "uint32": np.float64,
    "int64": np.float64,
    "uint64": np.float64,
}


def _reduce_bools(name, rt, axes, keepdims):
    """Reduce booleans as TensorFlow does: `all` as a product, `any` as a sum of 0 and 1."""
    numbers = rt.with_flat_values(rt.flat_values.astype(jnp.int32))
    method = "reduce_prod" if name == "reduce_all" else "reduce_sum"
    out = _reduce_axes(method, numbers, axes, keepdims)
    return _map_flat(lambda x: x != 0, out)


def _variance(rt, axes, keepdims):
    mean = _mean(rt, axes, keepdims=False)
    square = rt.with_flat_values(rt.flat_values * rt.flat_values)
    mean_of_squares = _mean(square, axes, keepdims=False)
    out = _combine_flat(lambda a, b: a - b * b, mean_of_squares, mean)
    if not keepdims:
        return out
    for axis in sorted(axes):
        out = expand_dims(out, axis)
    return out


def _combine_flat(f, x, y):
    if is_ragged(x):
        return x.with_flat_values(f(x.flat_values, y.flat_values))
    return f(x, y)


def _logsumexp(rt, axes, keepdims):
    top = lax.stop_gradient(rt.flat_values)
    kept = _reduce_axes("reduce_max", rt.with_flat_values(top), axes, True)
    kept = _map_flat(lambda m: jnp.where(jnp.isfinite(m), m, 0), kept)
    powers = map_rows("reduce_logsumexp", lambda x, m: jnp.exp(x - m), (rt, kept))
    total = _map_flat(jnp.log, _reduce_axes("reduce_sum", powers, axes, keepdims))
    back = _reduce_axes("reduce_max", rt.with_flat_values(top), axes, keepdims)
    back = _map_flat(lambda m: jnp.where(jnp.isfinite(m), m, 0), back)
    return _combine_flat(jnp.add, total, back)


def softmax(logits, axis=None):
    """Compute the softmax along an axis, which may be ragged."""
    rank = logits.ragged_rank + logits.flat_values.ndim
    axes = axes_of("softmax", -1 if axis is None else axis, rank)
    fixed = logits.with_flat_values(lax.stop_gradient(logits.flat_values))
    top = _reduce_axes("reduce_max", fixed, axes, True)
    powers = map_rows("softmax", lambda x, m: jnp.exp(x - m), (logits, top))
    total = _reduce_axes("reduce_sum", powers, axes, True)
    return map_rows("softmax", jnp.divide, (powers, total))


def _map_flat(f, x):
    return x.with_flat_values(f(x.flat_values)) if is_ragged(x) else f(x)


def _std(rt, axes, keepdims):
    variance = _variance(rt, axes, keepdims)
    return _map_flat(square_root, variance)


_COMPOSED: dict[str, Callable[..., Any]] = {
    "reduce_logsumexp": _logsumexp,
    "reduce_mean": _mean,
    "reduce_all": functools.partial(_reduce_bools, "reduce_all"),
    "reduce_any": functools.partial(_reduce_bools, "reduce_any"),
    "reduce_variance": _variance,
    "reduce_std": _std,
}
