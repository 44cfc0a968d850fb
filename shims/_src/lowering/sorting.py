"""Define the masking rules of sorting, which keep padding at the end."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.lowering.extremes import highest, lowest
from shims._src.lowering.rule import Rule
from shims._src.lowering.slicing import fit
from shims._src.lowering.value import Value
from shims._src.numeric.sort_keys import ascending_key, has_key
from shims._src.platform import jax_private as jp


def last_in_order(dtype):
    """Return the number of a dtype that JAX sorts after or equal to all others."""
    if jnp.issubdtype(dtype, jnp.inexact):
        return np.asarray(np.nan, dtype)
    return highest(dtype)


def first_in_order(dtype):
    """Return the number of a dtype that `lax.top_k` ranks below or equal to all others: a NaN with a sign."""
    if jnp.issubdtype(dtype, jnp.floating):
        return np.full(np.dtype(dtype).itemsize, 0xFF, np.uint8).view(dtype)[0]
    return lowest(dtype)


def sort(ctx, eqn, *values):
    """Lower a sort: padding gets the greatest key, and is kept at the end by a stable sort."""
    if eqn.params["num_keys"] == 1 and has_key(values[0].array.dtype):
        first = values[0]
        key = Value(ascending_key(first.array), first.axes)
        return _sort_padded(ctx, eqn, key, *values)[1:]
    return _sort_padded(ctx, eqn, *values)


def _sort_padded(ctx, eqn, *values):
    dimension, keys = eqn.params["dimension"], eqn.params["num_keys"]
    values, axes = ctx.align(list(values))
    if axes[dimension] is None:
        outs = jp.bind(eqn, [v.array for v in values])
        return [Value(o, axes) for o in outs]
    values = [ctx.pack(ctx.expand_uniform(v, (dimension,)), dimension) for v in values]
    axes = values[0].axes
    filled = [
        ctx.fill(v, last_in_order(v.array.dtype), (dimension,)) if i < keys else v
        for i, v in enumerate(values)
    ]
    params = dict(eqn.params, is_stable=True)
    outs = eqn.primitive.bind(*(v.array for v in filled), **params)
    outs = [Value(o, axes, None, v.bounds) for o, v in zip(outs, values, strict=True)]
    # Replace the sentinels, since derivatives of later operations would be NaN there.
    return [ctx.fill(o, np.zeros((), o.array.dtype)) for o in outs]


def top_k(ctx, eqn, value):
    """Lower `top_k` over the valid slots; that `k` is not too large was checked during tracing."""
    axis = eqn.params.get("axis", -1) % value.array.ndim
    value = ctx.pack(ctx.expand_uniform(value, (axis,)), axis)
    filled = ctx.fill(value, first_in_order(value.array.dtype), (axis,))
    k = eqn.params["k"]
    # The greatest possible `k` may be greater than the axis, though no `k` of the data is: `3 * n <= m` may hold.
    count = min(ctx.capacity(k), filled.array.shape[axis])
    outs = eqn.primitive.bind(filled.array, **dict(eqn.params, k=count))
    outs = [fit(o, axis, ctx.capacity(k)) for o in outs]
    outs = [Value(o, value.with_axis(axis, ctx.axis(k))) for o in outs]
    return [ctx.fill(o, np.zeros((), o.array.dtype)) for o in outs]


RULES = (Rule("sort", sort, uniform=True), Rule("top_k", top_k, uniform=True))
