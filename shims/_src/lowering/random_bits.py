"""Define the masking rules of random bits, which depend only on the position in the true shape."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.lowering.refusals import line_of, unsupported
from shims._src.lowering.reshaping import linear_position
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


def random_bits(ctx, eqn, key):
    """Generate random bits for a padded array; valid slots get the bits that the true shape gives."""
    shape = eqn.params["shape"]
    if not jax.config.jax_threefry_partitionable or key.array.ndim:
        raise errors.UnsupportedPrimitiveError(
            errors.message(
                "",
                "random numbers of an unknown shape need one key and partitionable Threefry.",
                received=f"shape {shape}",
                at=line_of(eqn),
                do="leave `jax_threefry_partitionable` on, and draw all rows at once from one key: "
                "`jax.random.normal(key, (rows, n))`",
            )
        )
    extents = ctx.shape(shape)
    axes = ctx.axes(shape)
    flat = eqn.primitive.bind(key.array, **dict(eqn.params, shape=(math.prod(extents),)))
    if all(a is None for a in axes[1:]):
        return [Value(flat.reshape(extents), axes)]
    line = linear_position(ctx, shape, extents)
    line = lax.min(line, jnp.int32(flat.shape[0] - 1))
    return [Value(flat[line], axes)]


def random_gamma(ctx, eqn, key, shapes):
    """Draw gamma variates; each element has the key of its position in the true shape."""
    if not jax.config.jax_threefry_partitionable or key.array.ndim:
        raise unsupported(eqn)
    shapes = ctx.pack_all(ctx.expand_uniform(shapes))
    shapes = ctx.fill(shapes, np.ones((), shapes.array.dtype))
    extents, count = shapes.array.shape, shapes.array.size
    line = linear_position(ctx, eqn.outvars[0].aval.shape, extents)
    valid = ctx.valid_over(shapes)
    places = line if valid is None else jnp.where(valid, line, count)
    flat = jnp.ones((count,), shapes.array.dtype).at[places].set(shapes.array, mode="drop")
    out = eqn.primitive.bind(key.array, flat, **eqn.params)
    return [Value(out[lax.min(line, jnp.int32(count - 1))], shapes.axes)]


def random_wrap(ctx, eqn, value):
    """Lower the conversion of key data to keys, which drops the trailing axis."""
    (out,) = jp.bind(eqn, [value.array])
    return [Value(out, value.axes[: out.ndim])]


def random_unwrap(ctx, eqn, value):
    """Lower the conversion of keys to key data, which adds a trailing static axis."""
    (out,) = jp.bind(eqn, [value.array])
    return [Value(out, value.axes + (None,) * (out.ndim - len(value.axes)))]


def random_split(ctx, eqn, key):
    """Lower the split of a key into an unknown number of keys.

    The key is split at full capacity; the keys are a prefix of the result.
    """
    shape = eqn.params["shape"]
    out = eqn.primitive.bind(key.array, **dict(eqn.params, shape=ctx.shape(shape)))
    return [Value(out, (*key.axes, *ctx.axes(shape)))]


def per_element(ctx, eqn, *values):
    """Lower a primitive that acts on each key separately, such as `random_seed` or `random_fold_in`."""
    values, axes = ctx.align(list(values))
    (out,) = jp.bind(eqn, [v.array for v in values])
    return [Value(out, axes)]


RULES = (
    Rule("random_bits", random_bits),
    Rule("random_gamma", random_gamma, uniform=True),
    Rule("random_wrap", random_wrap),
    Rule("random_unwrap", random_unwrap),
    Rule("random_split", random_split),
    Rule("random_clone", per_element),
    Rule("random_fold_in", per_element),
    Rule("random_seed", per_element),
    Rule("threefry2x32", per_element),
)
