"""Define maxima and minima over padded axes, with derivatives that ignore the padding."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering.value import Value
from shims._src.numeric import integer_extremes
from shims._src.platform import jax_private as jp


def lowest(dtype):
    """Return the lowest number of a dtype, the neutral element of `max`."""
    dtype = np.dtype(dtype) if not jnp.issubdtype(dtype, jnp.floating) else dtype
    if jnp.issubdtype(dtype, jnp.floating):
        return np.asarray(-np.inf, dtype)
    if dtype == np.bool_:
        return np.False_
    return np.asarray(jnp.iinfo(dtype).min, dtype)


def highest(dtype):
    """Return the highest number of a dtype, the neutral element of `min`."""
    if jnp.issubdtype(dtype, jnp.floating):
        return np.asarray(np.inf, dtype)
    if dtype == np.bool_:
        return np.True_
    return np.asarray(jnp.iinfo(dtype).max, dtype)


def reduce(ctx, eqn, value, *, neutral):
    """Lower a maximum or minimum over axes of which some are dynamic."""
    axes = tuple(int(a) for a in eqn.params["axes"])
    value = ctx.expand_uniform(value, axes)
    left = tuple(a for i, a in enumerate(value.axes) if i not in axes)
    valid = ctx.valid_over(value, axes)
    value = ctx.fill(value, neutral(value.array.dtype), axes)
    if integer_extremes.reduces(eqn.primitive.name, [value.array]):
        out = integer_extremes.reduce(eqn.primitive.name, value.array, axes)
    elif valid is None or not jnp.issubdtype(value.array.dtype, jnp.floating):
        (out,) = jp.bind(eqn, [value.array])
    else:
        out = _extreme(_Reduction(eqn), axes, value.array, valid)
    return [Value(out, left)]


class _Reduction:
    """The reduction of one equation, as a function of its operand."""

    def __init__(self, eqn):
        self.eqn = eqn

    def __call__(self, array):
        return jp.bind(self.eqn, [array])[0]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _extreme(reduction, axes, array, valid):
    return reduction(array)


@_extreme.defjvp
def _extreme_jvp(reduction, axes, primals, tangents):
    # JAX's own rule divides the derivative among all slots that equal the result; an infinite result
    # equals the padding, too.
    (array, valid), (slope, _) = primals, tangents
    array = lax.optimization_barrier(array)  # so that XLA computes it once: extremes_held.py
    out = _extreme(reduction, axes, array, valid)
    equal = lax.eq(array, lax.expand_dims(out, axes))
    chosen = lax.bitwise_and(equal, valid).astype(slope.dtype)
    # Select before multiplying: an infinite slope times zero would be NaN in the padding.
    slope = lax.select(valid, slope, lax.full_like(slope, 0)) * chosen
    return out, jnp.sum(slope, axes) / jnp.sum(chosen, axes)
