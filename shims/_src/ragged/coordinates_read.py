"""Implement `gather_nd` and `squeeze` for ragged operands."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import axes_of
from shims._src.arguments.operands import operand
from shims._src.array import gather, shapes
from shims._src.errors import errors
from shims._src.ragged import gathering
from shims._src.ragged.reshaping import rank_of
from shims._src.ragged.tensor import is_ragged, row_total
from shims._src.sizes import primitives


def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Implement `tf.gather_nd` for ragged `params` or `indices`."""
    if not isinstance(batch_dims, int) or batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    if is_ragged(indices):
        return indices.with_flat_values(gather_nd(params, indices.flat_values))
    indices = operand(indices)
    if not is_ragged(params):
        return gather.gather_nd(params, indices)
    depth, outer = indices.shape[-1], indices.shape[:-1]
    columns = jnp.reshape(indices, (-1, depth)) if len(outer) != 1 else indices
    left = [columns[:, i] for i in range(depth)]
    place = left.pop(0)
    checks.check_positions("gather_nd", "indices[..., 0]", place, row_total(params))
    while left and is_ragged(params):
        inner = left.pop(0)
        first = jnp.take(params.row_splits, place, mode="clip")
        length = jnp.take(params.row_splits, place + 1, mode="clip") - first
        _check_inside(inner, length)
        place = (first + inner).astype(jnp.int32)
        params = params.values
    if not is_ragged(params):
        found = gather.gather_nd(params, jnp.stack([place, *left], axis=1))
        return jnp.reshape(found, (*outer, *found.shape[1:])) if len(outer) != 1 else found
    if len(outer) != 1:
        raise errors.UnimplementedError(
            errors.message(
                "gather_nd",
                "rows of a ragged tensor can be gathered only by a matrix of indices.",
                required="indices [n, depth]",
                received=f"indices {tuple(indices.shape)}",
            )
        )
    return gathering.take(params, place)


def _check_inside(position, length):
    """Check that positions lie inside their row; a gather would read from the next row otherwise."""
    checks.check_data(
        (position < 0) | (position >= length),
        "gather_nd",
        "`indices` is out of range.",
        required="positions inside the row",
    )


def squeeze(input, axis=None, name=None):
    """Implement `tf.squeeze` of a ragged tensor."""
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    for i in sorted(axes_of("squeeze", axis, rank_of(input)), reverse=True):
        input = _squeeze_axis(input, i)
    return input


def _squeeze_axis(value, axis: int):
    """Remove one axis of size 1."""
    if not is_ragged(value):
        return shapes.squeeze(value, axis)
    if axis == 0:
        rows = primitives.as_size(row_total(value))
        checks.check_data(
            rows != 1, "squeeze", "the axis does not have size 1.", required="one row"
        )
        return value.values
    if axis == 1:
        lengths = value.row_lengths()
        checks.check_data(
            lengths != 1,
            "squeeze",
            "the axis does not have size 1.",
            required="rows with one element",
        )
        return value.values
    return value.with_values(_squeeze_axis(value.values, axis - 1))
