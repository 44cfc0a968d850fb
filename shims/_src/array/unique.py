"""Find distinct values, in order of appearance."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.checks import check_vector
from shims._src.arguments.first_occurrences import first_occurrences
from shims._src.arguments.operands import matching, operand
from shims._src.platform import jax_private as jp
from shims._src.sizes import on_host, primitives
from shims._src.tracing.sized_by import selected_by
from shims._src.types.dtypes import array_dtype


class Unique(NamedTuple):
    """The distinct values `y`, and for each element the index `idx` of its value in `y`."""

    y: jax.Array
    idx: jax.Array


class UniqueWithCounts(NamedTuple):
    """The distinct values `y`, the indices `idx` into `y`, and the `count` of each value."""

    y: jax.Array
    idx: jax.Array
    count: jax.Array  # type: ignore[assignment]  # TensorFlow's name; hides `tuple.count`


class ListDiff(NamedTuple):
    """The elements `out` of a list that are not in another list, and their positions `idx`."""

    out: jax.Array
    idx: jax.Array


def _unique(function, x, dtype):
    x = operand(x)
    check_vector(function, "x", x)
    if on_host.lies_here(x):
        return _unique_on_host(x, array_dtype(dtype, function))
    first = first_occurrences(lax.stop_gradient(x))
    is_first = first == jnp.arange(x.shape[0], dtype=jnp.int32)
    values = primitives.compress(x, is_first)
    rank = lax.cumsum(is_first.astype(jnp.int32)) - 1
    return values, rank[first].astype(array_dtype(dtype, function))


def _unique_on_host(x, dtype):
    values = np.asarray(x)
    first = on_host.first_occurrences(values)
    is_first = first == np.arange(len(values), dtype=np.int32)
    rank = np.cumsum(is_first, dtype=dtype) - dtype.type(1)
    return jp.as_array_like(values[is_first], x), jp.as_array_like(rank[first], x)


@selected_by("x")
def unique(x, out_idx=np.int32, name=None):
    """Return the distinct values of a vector, in order of appearance.

    Args:
      x: vector.
      out_idx: the dtype of the positions.
      name: ignored.

    Returns:
      `(y, idx)`: `y` is the vector of distinct values, whose size depends on data. `idx` has the
      shape of `x` and contains the position of each element in `y`: `y[idx] == x`. Each NaN is
      distinct; 0.0 and -0.0 are equal.

    Raises:
      InvalidArgumentError: `x` is not a vector.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values depends on data: in a `jax.jit` of your own, `y` is a `Padded`.

    Example:
      >>> import shims
      >>> y, idx = shims.unique([3, 1, 3, 2])
      >>> y.tolist(), idx.tolist()
      ([3, 1, 2], [0, 1, 0, 2])

    https://www.tensorflow.org/api_docs/python/tf/unique
    """
    return Unique(*_unique("unique", x, out_idx))


@selected_by("x")
def unique_with_counts(x, out_idx=np.int32, name=None):
    """Return the distinct values of a vector, in order of appearance, and their counts.

    Args:
      x: vector.
      out_idx: the dtype of positions and counts.
      name: ignored.

    Returns:
      `(y, idx, count)` with `y[idx] == x`.

    Raises:
      InvalidArgumentError: `x` is not a vector.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values depends on data: in a `jax.jit` of your own, `y` is a `Padded`.

    https://www.tensorflow.org/api_docs/python/tf/unique_with_counts
    """
    values, idx = _unique("unique_with_counts", x, out_idx)
    count = jnp.zeros(values.shape[:1], idx.dtype).at[idx].add(1)
    return UniqueWithCounts(values, idx, count)


@selected_by("x", "y")
def setdiff1d(x, y, index_dtype=np.int32, name=None):
    """Return the elements of one vector that are not in another, keeping order and repetitions.

    Args:
      x: vector.
      y: vector of the same dtype.
      index_dtype: the dtype of the positions.
      name: ignored.

    Returns:
      `(out, idx)` with `out == x[idx]`.

    Raises:
      InvalidArgumentError: the dtypes differ, or an argument is not a vector.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of elements depends on data.

    https://www.tensorflow.org/api_docs/python/tf/sets/difference
    """
    x, y = matching("setdiff1d", x=x, y=y)
    check_vector("setdiff1d", "x", x)
    check_vector("setdiff1d", "y", y)
    # `y` comes first, so that the first occurrence of an element that is in `y` lies in `y`.
    first = first_occurrences(jnp.concatenate([y, x]))
    mine = jnp.take(first, jnp.arange(x.shape[0]) + primitives.as_size(y.shape[0]), mode="clip")
    absent = mine >= primitives.as_size(y.shape[0])
    place = jnp.arange(x.shape[0], dtype=array_dtype(index_dtype, "setdiff1d"))
    return ListDiff(primitives.compress(x, absent), primitives.compress(place, absent))
