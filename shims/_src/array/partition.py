"""Partition an array by an index per element, and stitch partitions together."""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.default_dtype import fixed
from shims._src.arguments.operands import agreeing, describe, matching, operand
from shims._src.array.scatter import placed, write
from shims._src.elementwise.elementwise import is_inexact
from shims._src.platform import device_arrays
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by


@fixed("int32", "partitions")
@selected_by("partitions")
def dynamic_partition(data, partitions, num_partitions, name=None):
    """Split an array into a list of partitions, by a partition index per element.

    Args:
      data: array.
      partitions: int32 array with the shape of the leading axes of `data`.
      num_partitions: the number of partitions.
      name: ignored.

    Returns:
      A list of `num_partitions` arrays; elements keep their order.

    Raises:
      InvalidArgumentError: a partition index is out of range, or the shapes do not match.

    Differs from TensorFlow:
      On a GPU, TensorFlow drops rows whose partition index is out of range, instead of raising an error.

    Under jit:
      Each partition has its own data-dependent size.

    https://www.tensorflow.org/api_docs/python/tf/dynamic_partition
    """
    data, partitions = operand(data), operand(partitions)
    count = checks.static_int("dynamic_partition", "num_partitions", num_partitions)
    checks.check_positions("dynamic_partition", "partitions", partitions, count)
    rank = partitions.ndim
    there = data.shape[:rank]
    known = all(map(is_known, (*there, *partitions.shape)))
    if len(there) < rank or (known and there != partitions.shape):
        raise checks.invalid(
            "dynamic_partition",
            "`partitions` must match the leading axes of `data`.",
            required="partitions.shape == data.shape[:partitions.ndim]",
            received=f"data {describe(data)}, partitions {describe(partitions)}",
        )
    if not known:
        for i, d in enumerate(there):
            partitions = primitives.unify_axis(partitions, i, d, label="dynamic_partition")
    if rank != 1:
        flat = math.prod(partitions.shape)
        data = data.reshape((flat, *data.shape[rank:]))
        partitions = partitions.reshape((flat,))
    if not jp.is_tracer(partitions):
        partitions = device_arrays.where_it_lies(partitions)
    return [primitives.compress(data, partitions == i) for i in range(count)]


def _flatten_part(indices, data):
    """Flatten indices to a vector, and the leading axes of `data` to match it."""
    rank = indices.ndim
    if data.ndim < rank:
        raise checks.invalid(
            "dynamic_stitch",
            "an array of `data` has fewer axes than the corresponding array of `indices`.",
            required="data[m].shape[:indices[m].ndim] == indices[m].shape",
            received=f"indices {describe(indices)}, data {describe(data)}",
        )
    indices, data = agreeing("dynamic_stitch", [indices, data], range(rank))
    flat = math.prod(indices.shape)
    return indices.reshape((flat,)), data.reshape((flat, *data.shape[rank:]))


@fixed("int32", "indices")
@selected_by("indices")
def dynamic_stitch(indices, data, name=None):
    """Interleave arrays by index: `result[indices[m]] = data[m]`.

    Args:
      indices: list of int32 arrays.
      data: list of arrays. The leading axes of each array have the shape of its indices; the other
        axes are the same in all arrays.
      name: ignored.

    Returns:
      An array `[largest index + 1, ...]`. If several slices have the same index, the last one is
      used. Rows without an index are 0.

    Raises:
      InvalidArgumentError: an index is negative, or shapes do not match.

    Differs from TensorFlow:
      A row without an index is 0 instead of undefined.

    Under jit:
      The size depends on data.

    https://www.tensorflow.org/api_docs/python/tf/dynamic_stitch
    """
    indices = [operand(i) for i in indices]
    data = matching("dynamic_stitch", **{f"data[{i}]": d for i, d in enumerate(data)})
    if len(indices) != len(data):
        raise checks.invalid(
            "dynamic_stitch",
            f"`indices` contains {len(indices)} arrays, but `data` contains {len(data)}.",
            required="the same number of arrays in `indices` and `data`",
        )
    places, rows = zip(*map(_flatten_part, indices, data), strict=True)
    if len({r.ndim for r in rows}) > 1:
        raise checks.invalid(
            "dynamic_stitch",
            "the rows of `data` have different ranks.",
            required="data[m].shape[indices[m].ndim:] equal for all m",
            received=", ".join(map(describe, data)),
        )
    row = jnp.concatenate(agreeing("dynamic_stitch", rows, range(1, rows[0].ndim)))
    place = jnp.concatenate(places)
    checks.check_data(place < 0, "dynamic_stitch", "an index is negative.", required="indices >= 0")
    highest = lax.reduce_max(place, (0,)).astype(jnp.int32)
    count = primitives.to_dim(primitives.one_more(jnp.maximum(highest, -1)), label="dynamic_stitch")
    empty = jnp.zeros((count, *row.shape[1:]), row.dtype)
    if not is_inexact(row):
        return placed(empty, (place,), row)
    return write(empty, (place,), row)
