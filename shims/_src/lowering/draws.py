"""Define the masking rule of TensorFlow's random numbers, which depend on positions."""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from shims._src.errors import errors
from shims._src.lowering.refusals import line_of
from shims._src.lowering.reshaping import linear_position
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value


def draw(ctx, eqn, *operands):
    """Generate random numbers for the full capacity, and place them by positions in the true shape."""
    shape = eqn.params["shape"]
    if any(v.dynamic for v in operands) or eqn.params["batches"]:
        raise errors.UnsupportedPrimitiveError(
            errors.message(
                "",
                "random numbers are not supported if their parameters have unknown sizes.",
                received=", ".join(str(v.aval) for v in eqn.invars),
                at=line_of(eqn),
                do="draw numbers from the standard distribution with the unknown shape, and scale these numbers",
            )
        )
    extents, axes = ctx.shape(shape), ctx.axes(shape)
    arrays = [v.array for v in operands]
    if all(a is None for a in axes[1:]):
        out = eqn.primitive.bind(*arrays, **dict(eqn.params, shape=extents))
        return [Value(out, axes)]
    flat = eqn.primitive.bind(*arrays, **dict(eqn.params, shape=(math.prod(extents),)))
    line = lax.min(linear_position(ctx, shape, extents), jnp.int32(flat.shape[0] - 1))
    return [Value(flat[line], axes)]


RULES = (Rule("tensorflow_random", draw),)
