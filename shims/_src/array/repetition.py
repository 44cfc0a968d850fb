"""Repeat whole arrays or single elements."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import operand
from shims._src.array.shapes import size_of, sizes_of
from shims._src.sizes import primitives, trace
from shims._src.sizes.padded import Padded
from shims._src.tracing.sized_by import selected_by, sized_by
from shims._src.tracing.static_results import computed, known_operand


@sized_by("multiples", compiled=True)
def tile(input, multiples, name=None):
    """Repeat an array along every axis.

    Args:
      input: array.
      multiples: integers `[rank]`.
      name: ignored.

    Returns:
      The array, of shape `input.shape * multiples`.

    Raises:
      InvalidArgumentError: `multiples` does not have one number for each axis, or a number is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Multiples may be traced.

    Example:
      >>> import shims
      >>> print(shims.tile([1, 2], [2]))
      [1 2 1 2]

    https://www.tensorflow.org/api_docs/python/tf/tile
    """
    x = operand(input)
    times = sizes_of("tile", multiples)
    if len(times) != x.ndim:
        raise checks.invalid(
            "tile",
            f"`multiples` has length {len(times)}, but the array has rank {x.ndim}.",
            required="one number for each axis",
            received=f"multiples={times}",
        )
    shape, spread, into = [], [], []
    for d, m in zip(x.shape, times, strict=True):
        if not (is_known(m) and m == 1):
            spread.append(len(shape))
            shape.append(m)
        shape.append(d)
        into.append(d * m)
    return jnp.broadcast_to(lax.expand_dims(x, spread), shape).reshape(into)


def _repeat(x, repeats, axis):
    """Repeat each slice along `axis` by its own count from the vector `repeats`."""
    checks.check_data(
        repeats < 0, "repeat", "`repeats` is negative.", required="repeats >= 0 everywhere"
    )
    if isinstance(repeats, np.ndarray) and is_known(x.shape[axis]):
        source = np.repeat(np.arange(x.shape[axis]), np.broadcast_to(repeats, x.shape[axis]))
        return primitives.take(x, source, axis)
    repeats = jnp.broadcast_to(repeats, (x.shape[axis],)).astype(jnp.int32)
    ends = jnp.cumsum(repeats)
    total = primitives.fresh_range(primitives.total(repeats, label="repeat"), label="repeat")
    # At every position where a slice ends, the index of the source slice increases by one.
    steps = jnp.zeros(total.shape, jnp.int32).at[ends].add(1, mode="drop")
    return primitives.take(x, jnp.cumsum(steps), axis)


@computed
@checked
def repeat(input, repeats, axis=None, name=None):
    """Repeat each element, or each slice along an axis.

    Args:
      input: array.
      repeats: the number of repetitions, given as one number for all slices, or one number for each slice.
      axis: the axis whose slices are repeated; the flattened array when `None`.
      name: ignored.

    Returns:
      The array: a vector if `axis` is `None`, otherwise of the shape of `input`, with the sum of
      `repeats` along `axis`.

    Raises:
      InvalidArgumentError: a number is negative, or `repeats` has neither one number nor one per slice.

    Differs from TensorFlow:
      Negative numbers raise an error; TensorFlow treats negative numbers as 0.

    Under jit:
      With traced `repeats` the size depends on data.

    Example:
      >>> import shims
      >>> shims.repeat([7, 8], [1, 3]).tolist()
      [7, 8, 8, 8]

    https://www.tensorflow.org/api_docs/python/tf/repeat
    """
    if _is_one_number(repeats):
        return _repeat_evenly(input, repeats, axis)
    return _repeat_each(input, repeats, axis)


def _is_one_number(repeats) -> bool:
    if isinstance(repeats, Padded):
        return False
    shape = operand(repeats).shape
    return not shape or (len(shape) == 1 and is_known(shape[0]) and shape[0] == 1)


@sized_by("repeats", compiled=True)
def _repeat_evenly(input, repeats, axis):
    x, axis = _flatten_or_check_axis(input, axis)
    times = size_of("repeat", repeats if np.ndim(repeats) == 0 else repeats[0])
    if is_known(times) and times < 0:
        raise checks.invalid("repeat", "`repeats` is negative.", required="repeats >= 0")
    shape = (*x.shape[: axis + 1], times, *x.shape[axis + 1 :])
    out = jnp.broadcast_to(lax.expand_dims(x, (axis + 1,)), shape)
    return out.reshape((*x.shape[:axis], x.shape[axis] * times, *x.shape[axis + 1 :]))


@selected_by("repeats")
def _repeat_each(input, repeats, axis):
    x, axis = _flatten_or_check_axis(input, axis)
    repeats = known_operand(repeats)
    extent = x.shape[axis]
    one = repeats.ndim == 0 or (is_known(repeats.shape[0]) and repeats.shape[0] == 1)
    if not one and is_known(extent) and is_known(repeats.shape[0]) and repeats.shape[0] != extent:
        raise checks.invalid(
            "repeat",
            f"`repeats` has length {repeats.shape[0]}, but the array has {extent} slices.",
            required="one number, or one number for each slice",
        )
    if is_known(extent) and extent == 0:
        return x
    if not one and not (is_known(extent) and is_known(repeats.shape[0])):
        repeats = _one_per_slice(repeats, extent)
    return _repeat(x, repeats, axis)


def _one_per_slice(repeats, extent):
    """Broadcast `repeats` to one number per slice; its size may be data-dependent."""
    state, size = trace.current(), repeats.shape[0]
    if is_known(size) or state is None or not state.fresh.of(size):
        return primitives.unify_axis(repeats, 0, extent, label="repeat")
    count, slices = primitives.as_size(size), primitives.as_size(extent)
    checks.check_data(
        (count != 1) & (count != slices),
        "repeat",
        "the size of `repeats` differs from the number of slices.",
        required="one number, or one number for each slice",
    )
    places = jnp.where(count == 1, 0, jnp.arange(extent))
    return jnp.take(repeats, places, mode="clip")


def _flatten_or_check_axis(input, axis):
    x = operand(input)
    if axis is None:
        return x.reshape((-1,)), 0
    if not x.ndim:  # a scalar is treated as a vector of one element
        x = x.reshape((1,))
    return x, axis_of("repeat", axis, x.ndim)
