"""Provide the operators of `raw_ops` that have no other public name."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array import creation
from shims._src.array.unique import Unique, UniqueWithCounts
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import selected_by, sized_by
from shims._src.types.dtypes import array_dtype


@sized_by("shape")
def Empty(shape, dtype, init=False, name=None):
    """Return an array of unspecified contents.

    Args:
      shape: the shape.
      dtype: the dtype.
      init: whether the array must be filled with zeros.
      name: ignored.

    Returns:
      Zeros.

    Raises:
      InvalidArgumentError: a size is negative.

    Differs from TensorFlow:
      The array is always filled with zeros.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> print(shims.raw_ops.Empty(shape=[2], dtype=shims.float32, init=True))
      [0. 0.]

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/Empty
    """
    return creation.zeros(shape, dtype)


def _first_equal_rows(rows):
    """Return, for each row of a matrix, the index of the first row that equals it.

    NaN differs from every value.
    """
    place = jnp.arange(rows.shape[0], dtype=jnp.int32)

    def split_by(ids, column):
        """Refine groups of equal rows by one more column."""
        ids, column, order = lax.sort((ids, column, place), num_keys=3)
        before = jnp.maximum(place - 1, 0)
        new = (ids != ids[before]) | (column != column[before])
        group = jnp.cumsum((new & (place > 0)).astype(jnp.int32))
        return jnp.zeros(ids.shape, jnp.int32).at[order].set(group, unique_indices=True), None

    ids, _ = loops_per_device.scan(
        split_by, jnp.zeros(place.shape, jnp.int32), jnp.moveaxis(rows, 1, 0)
    )
    first = jnp.full(place.shape, primitives.as_size(rows.shape[0])).at[ids].min(place)
    return first[ids]


def _unique_slices(function, x, axis, dtype):
    """Return the distinct slices along an axis, and the index of each slice among them."""
    x = lax.stop_gradient(operand(x))
    axes = np.asarray(axis).ravel().tolist()
    if len(axes) > 1 or (not axes and x.ndim != 1):
        raise checks.invalid(
            function,
            "`axis` must contain one axis, or must be empty for a vector.",
            required="[axis], or [] and a vector",
            received=f"axis={axes}, x {describe(x)}",
        )
    axis = checks.axis_of(function, axes[0], x.ndim) if axes else 0
    rows = jnp.moveaxis(x, axis, 0)
    flat = rows.reshape((rows.shape[0], math.prod(rows.shape[1:])))
    place = jnp.arange(rows.shape[0], dtype=jnp.int32)
    if is_known(rows.shape[0]) and rows.shape[0] == 0:
        return x, place.astype(array_dtype(dtype, function))
    first = _first_equal_rows(flat)
    is_first = first == place
    values = primitives.compress(x, is_first, axis)
    rank = lax.cumsum(is_first.astype(jnp.int32)) - 1
    return values, rank[first].astype(array_dtype(dtype, function))


@selected_by("x")
def UniqueV2(x, axis, out_idx=np.int32, name=None):
    """Return the distinct slices along an axis, in order of appearance.

    Args:
      x: array.
      axis: `[axis]`, or `[]` for a vector.
      out_idx: the dtype of the indices.
      name: ignored.

    Returns:
      `(y, idx)`: the distinct slices, and the index of each slice of `x` among them.

    Raises:
      InvalidArgumentError: `axis` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of slices depends on data.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/UniqueV2
    """
    return Unique(*_unique_slices("UniqueV2", x, axis, out_idx))


@selected_by("x")
def UniqueWithCountsV2(x, axis, out_idx=np.int32, name=None):
    """Return the distinct slices along an axis, in order of appearance, with their counts.

    Args:
      x: array.
      axis: `[axis]`, or `[]` for a vector.
      out_idx: the dtype of indices and counts.
      name: ignored.

    Returns:
      `(y, idx, count)`.

    Raises:
      InvalidArgumentError: `axis` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of slices depends on data.

    https://www.tensorflow.org/api_docs/python/tf/raw_ops/UniqueWithCountsV2
    """
    values, idx = _unique_slices("UniqueWithCountsV2", x, axis, out_idx)
    axes = np.asarray(axis).ravel().tolist()
    count = values.shape[axes[0] if axes else 0]
    return UniqueWithCounts(values, idx, jnp.zeros((count,), idx.dtype).at[idx].add(1))
