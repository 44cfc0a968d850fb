"""Sort, search and rank elements."""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known, is_known_shape
from shims._src.arguments.default_dtype import fixed
from shims._src.arguments.operands import agreeing, describe, matching, operand
from shims._src.arguments.searching import insertion_points
from shims._src.array.shapes import size_of
from shims._src.numeric.sort_keys import ascending_key, descending_key, has_key
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by
from shims._src.types.dtypes import array_dtype


class TopKV2(NamedTuple):
    """The result of `top_k`: the largest elements and their positions."""

    values: jax.Array
    indices: jax.Array


def order(x, axis: int, descending: bool):
    """Return the positions that sort `x` in a stable order."""
    x = lax.stop_gradient(x)
    key = descending_key(x) if descending else ascending_key(x)
    return jnp.argsort(key, axis=axis, stable=True)


def _direction(function, direction) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"{function}: `direction` should be one of ASCENDING and DESCENDING, "
            f"received {direction!r}."
        )
    return direction == "DESCENDING"


@operator(compiled=True)
def sort(values, axis=-1, direction="ASCENDING", name=None):
    """Sort the elements along an axis.

    Args:
      values: array of numbers.
      axis: the axis to sort along.
      direction: `ASCENDING` or `DESCENDING`.
      name: ignored.

    Returns:
      The sorted array, of the shape of `values`.

    Raises:
      ValueError: the direction is unknown.
      InvalidArgumentError: the axis is out of range.

    Differs from TensorFlow:
      NaN is larger than every number: NaN is last in ascending order, and first in descending
      order. In TensorFlow, the position of NaN is undefined.

    Under jit:
      Sizes may be known only at run time; padding is not sorted.

    Example:
      >>> import shims
      >>> print(shims.sort([3, 1, 2], direction="DESCENDING"))
      [3 2 1]

    https://www.tensorflow.org/api_docs/python/tf/sort
    """
    x = operand(values)
    axis = axis_of("sort", axis, x.ndim)
    if _direction("sort", direction):
        key = descending_key(lax.stop_gradient(x))
    elif has_key(x.dtype):
        key = ascending_key(lax.stop_gradient(x))
    else:
        return jnp.sort(x, axis=axis)
    return lax.sort((key, x), dimension=axis, num_keys=1)[1]


@operator(compiled=True)
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    """Return the positions that sort the elements along an axis.

    Args:
      values: array of numbers.
      axis: the axis to sort along.
      direction: `ASCENDING` or `DESCENDING`.
      stable: ignored; the order is always stable.
      name: ignored.

    Returns:
      int32 positions, in the shape of `values`; equal elements keep their order.

    Raises:
      ValueError: the direction is unknown.
      InvalidArgumentError: the axis is out of range.

    Differs from TensorFlow:
      NaN is larger than every number: NaN is last in ascending order, and first in descending
      order. In TensorFlow, the position of NaN is undefined.

    Under jit:
      Sizes may be known only at run time; positions count elements, not padding.

    Example:
      >>> import shims
      >>> print(shims.argsort([30, 10, 20]))
      [1 2 0]

    https://www.tensorflow.org/api_docs/python/tf/argsort
    """
    x = operand(values)
    axis = axis_of("argsort", axis, x.ndim)
    return order(x, axis, _direction("argsort", direction)).astype(jnp.int32)


@sized_by("k", compiled=True)
def top_k(input, k=1, sorted=True, index_type=np.int32, name=None):
    """Return the `k` largest elements of the last axis, and their positions.

    Args:
      input: array of numbers.
      k: the number of largest elements.
      sorted: has no effect; the result is always sorted.
      index_type: the dtype of the positions.
      name: ignored.

    Returns:
      `(values, indices)`, both of the shape of `input` with `k` in place of the last size; equal
      elements are ordered by position.

    Raises:
      InvalidArgumentError: there are fewer than `k` elements, or `k` is negative.

    Differs from TensorFlow:
      NaN is larger than every number; in TensorFlow, the position of NaN is undefined. With
      `sorted=False`, TensorFlow returns the same elements in an order that it does not define.

    Under jit:
      `k` may be traced, and the number of elements may be known only at run time.

    Example:
      >>> import shims
      >>> values, indices = shims.math.top_k([1, 9, 3, 9], k=3)
      >>> values.tolist(), indices.tolist()
      ([9, 9, 3], [1, 3, 2])

    https://www.tensorflow.org/api_docs/python/tf/math/top_k
    """
    x = operand(input)
    axis = axis_of("top_k", -1, x.ndim)
    extent = x.shape[axis]
    traced = jp.is_tracer(k)
    count = size_of("top_k", k, bound=extent)
    if is_known(count) and count < 0:
        raise checks.invalid("top_k", f"`k` is {count}.", required="k >= 0")
    if is_known(count) and is_known(extent):
        if count > extent:
            raise _too_few_columns(count, extent)
    else:
        needed = jnp.asarray(k, jnp.int32) if traced else primitives.as_size(count)
        checks.check_data(
            needed > primitives.as_size(extent),
            "top_k",
            "the input has fewer than k columns.",
            required="k <= input.shape[-1]",
            received=f"k={count}, input.shape[-1]={extent}",
        )
    indices = _largest_positions(x, count)
    if is_known(count) and count == 0:  # `take_along_axis` fails on an axis of size 0
        values = x[..., :0]
    elif x.ndim == 1:  # `take_along_axis` asks whether the axis is empty
        values = primitives.take(x, indices, 0)
    else:
        values = jnp.take_along_axis(x, indices, axis=axis, mode="clip")
    return TopKV2(values, indices.astype(array_dtype(index_type, "top_k")))


def _too_few_columns(count, extent):
    return checks.invalid(
        "top_k",
        f"the input must have at least k columns. Had {extent}, needed {count}.",
        required="k <= input.shape[-1]",
        received=f"k={count}, input.shape[-1]={extent}",
        do="limit `k`: `k=shims.minimum(k, shims.shape(x)[-1])`",
    )


def _largest_positions(x, count):
    x = lax.stop_gradient(x)
    if is_known(count) and x.dtype != jnp.bool_:
        if has_key(x.dtype):
            # `lax.top_k` tells -0.0 from 0.0, and NaNs by their signs.
            x = jnp.where(x == 0, 0, jnp.where(jnp.isnan(x), jnp.nan, x))
        last = -jnp.inf if has_key(x.dtype) else jnp.iinfo(x.dtype).min
        if not is_known_shape(x):
            # Add `k` elements that are never among the largest: `lax.top_k` then traces for any
            # size.
            widths = [(0, 0, 0)] * (x.ndim - 1) + [(0, count, 0)]
            x = lax.pad(x, jnp.asarray(last, x.dtype), widths)
        return lax.top_k(x, count)[1]
    positions = order(x, x.ndim - 1, True).astype(jnp.int32)
    return jnp.take(positions, jnp.arange(count), axis=-1, mode="clip")


def first_extreme(x, axis: int, *, largest: bool):
    """Return the index of the first largest (or smallest) element; there must be no NaN.

    Two passes that XLA vectorizes on a CPU are several times faster than one pass that carries indices.
    """
    # Not `jnp.max`, which refuses an axis that may be empty; emptiness is checked at run time.
    find = lax.reduce_max if largest else lax.reduce_min
    here = x == jnp.expand_dims(find(x, (axis,)), axis)
    places = lax.broadcasted_iota(jnp.int32, x.shape, axis)
    return lax.reduce_min(jnp.where(here, places, jnp.iinfo(jnp.int32).max), (axis,))


def _arg_extremum(function, largest, worst, input, axis, output_type):
    x = operand(input)
    axis = axis_of(function, 0 if axis is None else axis, x.ndim)
    extent = x.shape[axis]
    is_empty = extent == 0 if is_known(extent) else primitives.as_size(extent) == 0
    if is_known(extent) and is_empty and trace.current() is not None and jp.is_inner_trace():
        is_empty = jnp.all(
            x == x
        )  # True for an empty array, and evaluated only if the enclosing body runs
    checks.check_data(
        is_empty,
        function,
        f"axis {axis} is empty.",
        required="at least one element",
        received=f"shape {x.shape}",
    )
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = jnp.where(jnp.isnan(x), worst, x)
    found = first_extreme(lax.stop_gradient(x), axis, largest=largest)
    return found.astype(array_dtype(output_type, function))


@operator(compiled=True)
def argmax(input, axis=None, output_type=np.int64, name=None):
    """Return the position of the largest element along an axis.

    Args:
      input: array of numbers.
      axis: the axis to search; 0 when `None`.
      output_type: the dtype of the positions.
      name: ignored.

    Returns:
      Positions, in the shape of `input` without the axis; among equal elements, the position of the
      first one. The position of a NaN is returned only if all elements are NaN.

    Raises:
      InvalidArgumentError: the axis is empty.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      Sizes may be known only at run time; positions count elements, not padding.

    Example:
      >>> import shims
      >>> print(shims.argmax([[1, 9, 2], [8, 3, 8]], axis=1))
      [1 0]

    https://www.tensorflow.org/api_docs/python/tf/math/argmax
    """
    return _arg_extremum("argmax", True, -jnp.inf, input, axis, output_type)


@operator(compiled=True)
def argmin(input, axis=None, output_type=np.int64, name=None):
    """Return the position of the smallest element along an axis.

    Args:
      input: array of numbers.
      axis: the axis to search; 0 when `None`.
      output_type: the dtype of the positions.
      name: ignored.

    Returns:
      Positions; among equal elements, the position of the first one. The position of a NaN is
      returned only if all elements are NaN.

    Raises:
      InvalidArgumentError: the axis is empty.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      Sizes may be known only at run time; positions count elements, not padding.

    https://www.tensorflow.org/api_docs/python/tf/math/argmin
    """
    return _arg_extremum("argmin", False, jnp.inf, input, axis, output_type)


@operator(compiled=True)
def searchsorted(sorted_sequence, values, side="left", out_type=np.int32, name=None):
    """Return the positions at which values would be inserted into a sorted sequence.

    Args:
      sorted_sequence: array, ascending along its last axis.
      values: array of the same dtype and with the same number of rows.
      side: `left` inserts before equal elements, `right` after equal elements.
      out_type: the dtype of the positions.
      name: ignored.

    Returns:
      Positions in the shape of `values`.

    Raises:
      ValueError: `side` is neither `left` nor `right`.
      InvalidArgumentError: the dtypes or the leading sizes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of both arrays may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/searchsorted
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: {side!r}.")
    found = matching("searchsorted", sorted_sequence=sorted_sequence, values=values)
    shape = found[1].shape
    leading = [f.shape[:-1] for f in found]
    if len(leading[0]) != len(leading[1]) or (
        all(map(is_known_shape, found)) and len(set(leading)) > 1
    ):
        # TensorFlow only requires the same number of rows in both.
        found = [f.reshape((math.prod(f.shape[:-1]), f.shape[-1])) for f in found]
    sequence, values = agreeing("searchsorted", found, range(found[0].ndim - 1))
    dtype = array_dtype(out_type, "searchsorted")
    return insertion_points(sequence, values, side).reshape(shape).astype(dtype)


@fixed("float32", "predictions")
@operator(compiled=True)
def in_top_k(targets, predictions, k, name=None):
    """Return whether the prediction of the target class is among the `k` largest.

    Args:
      targets: integers `[batch]`.
      predictions: float32 array `[batch, classes]`.
      k: the number of largest elements.
      name: ignored.

    Returns:
      Bool `[batch]`. Predictions that are equal to the `k`-th largest prediction count as among the
      `k` largest. The result is False for a row with a prediction that is not finite.

    Raises:
      InvalidArgumentError: the shapes do not match.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time, and `k` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/math/in_top_k
    """
    targets, predictions = operand(targets), operand(predictions)
    if targets.ndim != 1 or predictions.ndim != 2:
        raise checks.invalid(
            "in_top_k",
            "the shapes of `targets` and `predictions` do not match.",
            required="targets [batch], predictions [batch, classes]",
            received=f"targets {describe(targets)}, predictions {describe(predictions)}",
        )
    targets, predictions = agreeing("in_top_k", [targets, predictions], (0,))
    classes = primitives.as_size(predictions.shape[-1])
    inside = (targets >= 0) & (targets < classes)
    is_target = jnp.arange(predictions.shape[-1], dtype=targets.dtype) == targets[:, None]
    picked = jnp.sum(jnp.where(is_target, predictions, 0), axis=-1, keepdims=True)
    larger = jnp.sum(predictions > picked, axis=-1, dtype=jnp.int32)
    return inside & jnp.all(jnp.isfinite(predictions), axis=-1) & (larger < k)
