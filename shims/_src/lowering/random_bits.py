"""Define the masking rules of random bits, which depend only on the position in the true shape."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.lowering.refusals import line_of
from shims._src.lowering.reshaping import linear_position
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


def random_bits(ctx, eqn, key):
    """Generate random bits for a padded array; valid slots get the bits that each key gives for the true shape."""
    shape = eqn.params["shape"]
    extents, axes = ctx.shape(shape), ctx.axes(shape)
    if all(a is None for a in axes):
        draw = functools.partial(eqn.primitive.bind, **dict(eqn.params, shape=extents))
        return [Value(draw(key.array), (*key.axes, *axes))]
    _need_partitionable(eqn)

    def draw(key):
        flat = eqn.primitive.bind(key, **dict(eqn.params, shape=(math.prod(extents),)))
        if all(a is None for a in axes[1:]):
            return flat.reshape(extents)
        line = linear_position(ctx, shape, extents)
        return flat[lax.min(line, jnp.int32(flat.shape[0] - 1))]

    return [Value(_for_each_key(draw, key)(key.array), (*key.axes, *axes))]


def random_gamma(ctx, eqn, key, shapes):
    """Draw gamma variates; each element has the key of its position in the true shape.

    The keys stand along the leading axes of the parameters; each draws for the axes that follow.
    """
    _need_partitionable(eqn)
    key = ctx.pack_all(key)
    shapes = ctx.pack_all(ctx.expand_uniform(shapes))
    shapes = ctx.fill(shapes, np.ones((), shapes.array.dtype))
    extents = shapes.array.shape[key.array.ndim :]
    count = math.prod(extents)
    line = linear_position(ctx, eqn.outvars[0].aval.shape[key.array.ndim :], extents)
    valid = ctx.valid_over(shapes)
    valid = jnp.ones(shapes.array.shape, bool) if valid is None else valid

    def draw(key, shapes, valid):
        places = jnp.where(valid, line, count)
        flat = jnp.ones((count,), shapes.dtype).at[places].set(shapes, mode="drop")
        out = eqn.primitive.bind(key, flat, **eqn.params)
        return out[lax.min(line, jnp.int32(count - 1))]

    out = _for_each_key(draw, key)(key.array, shapes.array, valid)
    return [Value(out, shapes.axes)]


def _for_each_key(draw, key):
    for _ in range(key.array.ndim):
        draw = jax.vmap(draw)
    return draw


def _need_partitionable(eqn) -> None:
    """Refuse the older Threefry, in which a number depends on how many there are."""
    if jax.config.jax_threefry_partitionable:
        return
    raise errors.UnsupportedPrimitiveError(
        errors.message(
            "",
            "random numbers of an unknown shape need partitionable Threefry.",
            received=f"shape {eqn.outvars[0].aval.shape}",
            at=line_of(eqn),
            do="set `jax.config.update('jax_threefry_partitionable', True)`, which is JAX's default",
        )
    )


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
