"""Writing elements by coordinates."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, matching, operand
from shims._src.array.gather import check_coordinates, coordinates
from shims._src.array.shapes import sizes_of
from shims._src.elementwise.elementwise import is_inexact
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by


@sized_by("shape", compiled=True)
def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None):
    """Zeros with updates added at coordinates.

    Args:
      indices: integer array `[..., k]` of coordinates.
      updates: array `indices.shape[:-1] + shape[k:]`.
      shape: the sizes of the result.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops.
      name: ignored.

    Returns:
      The array; updates at equal coordinates add up.

    Raises:
      InvalidArgumentError: coordinates are out of range.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are served too.

    Under jit:
      Sizes may be traced. Inside `shims.function` coordinates out of range raise after the call; in
      somebody else's trace they are dropped.

    https://www.tensorflow.org/api_docs/python/tf/scatter_nd
    """
    updates = operand(updates)
    zeros = jnp.zeros(sizes_of("scatter_nd", shape), updates.dtype)
    return _scatter("scatter_nd", "add", zeros, indices, updates, bad_indices_policy)


def _scatter(function, method, x, indices, updates, policy=""):
    indices = operand(indices)
    # A vector of nothing is one that nothing is written by, here as in TensorFlow.
    is_vector = indices.ndim == 1 and checks.is_known(indices.shape[0]) and indices.shape[0] > 0
    if indices.ndim == 0 or is_vector:
        raise checks.invalid(
            function,
            "`indices` holds no rows of coordinates.",
            required="rank 2 or more",
            received=describe(indices),
            do="give one row: `indices[None]`, and one row of `updates`",
        )
    if policy != "IGNORE":
        check_coordinates(function, indices, x.shape)
    updates = _following(function, indices, x, updates)
    _check_emptiness(function, indices, updates, x)
    if method == "add" and updates.dtype == bool:
        method = "max"
    places = coordinates(indices, x.shape, lenient=True)
    if method == "set" and is_inexact(x):
        return write(x, places, updates)
    if method in ("max", "min") and is_inexact(x):
        return _extreme(method, x, places, updates)
    if method == "set":
        out = placed(x, places, updates)
    else:
        out = getattr(x.at[places], method)(updates, mode="drop")
    if checks.is_known_shape(updates) and not updates.size:
        return primitives.connected(out, x, updates)
    return out


def _check_emptiness(function, indices, updates, x):
    """Refuse indices for an array of no elements, and coordinates of no numbers, as TensorFlow."""
    arrays = (x, indices, updates)
    if all(map(checks.is_known_shape, arrays)):
        sizes = [a.size for a in arrays]
    else:
        sizes = [primitives.as_size(a.size) for a in arrays]
    into, places, written = (size > 0 for size in sizes)
    bad = (places | written) != (into & places & written)
    if checks.is_known(indices.shape[-1]) and indices.shape[-1] == 0:
        bad |= into  # one place for the whole array is none that TensorFlow writes to
    checks.check_data(
        bad,
        function,
        "there are indices, updates or an array without the others.",
        required="coordinates of one number and more, and no indices for an empty array",
        received=f"{describe(updates)}, {describe(indices)}, shape {x.shape}",
    )


def _following(function, indices, x, updates):
    """Updates whose sizes are those of the indices, and then those of what they are written to."""
    sizes = (*indices.shape[:-1], *x.shape[indices.shape[-1] :])
    known = (
        checks.is_known(a) and checks.is_known(b) and a != b
        for a, b in zip(sizes, updates.shape, strict=False)
    )
    if len(sizes) != updates.ndim or any(known):
        raise checks.invalid(
            function,
            "`updates` does not have the shape of what it is written to.",
            required="updates.shape == indices.shape[:-1] + shape[indices.shape[-1]:]",
            received=f"{describe(updates)}, {describe(indices)}, shape {x.shape}",
        )
    if checks.is_known_shape(updates) and all(map(checks.is_known, sizes)):
        return updates
    for i, d in enumerate(sizes):
        updates = primitives.unify_axis(updates, i, d, label=function)
    return updates


def placed(x, places, updates):
    """`x` with updates written at places, of several for one place the last; none outside.

    Args:
      x: array.
      places: arrays of one shape, one for each of the first axes of `x`.
      updates: array, its first axes those of `places`.

    A CPU writes one after the other. An accelerator writes all at once, and which of several stays
    is chance: there all but the last are left out.
    """
    if jax.default_backend() != "cpu":
        places = (_without_earlier(x, places), *places[1:])
    return x.at[places].set(updates, mode="drop")


def _without_earlier(x, places):
    """The first coordinates, those out of range that a later update writes to as well."""
    shape = places[0].shape
    number = jnp.arange(math.prod(shape), dtype=jnp.int32).reshape(shape)
    nobody = jnp.full(x.shape[: len(places)], -1, jnp.int32)
    last = nobody.at[places].max(number, mode="drop")
    is_last = last.at[places].get(mode="fill", fill_value=-1) == number
    first = places[0].astype(jnp.promote_types(places[0].dtype, jnp.int32))
    return jnp.where(is_last, first, jnp.iinfo(jnp.int32).max)


@jax.custom_jvp
def write(x, places, updates):
    """`x` with updates written at places; every update gets a gradient."""
    return placed(x, places, updates)


@write.defjvp
def _write_jvp(primals, tangents):
    x, places, updates = primals
    tx, _, tu = tangents
    # Of equal places the last update wins, but TensorFlow gives every one of them the gradient of
    # the result: that is what adding their tangents comes to.
    kept = jnp.ones(x.shape, bool).at[places].set(False, mode="drop")
    return write(x, places, updates), jnp.where(kept, tx, 0).at[places].add(tu, mode="drop")


def _extreme(method, x, places, updates):
    """Maximum or minimum, the gradient shared evenly by all that are equal to the result."""
    return _shared_extreme(method)(x, places, updates)


def _shared_extreme(method):
    @jax.custom_jvp
    def extreme(x, places, updates):
        return getattr(x.at[places], method)(updates, mode="drop")

    @extreme.defjvp
    def jvp(primals, tangents):
        x, places, updates = primals
        tx, _, tu = tangents
        x, updates = lax.optimization_barrier((x, updates))  # computed once: extremes_held.py
        out = extreme(x, places, updates)
        read = out.at[places].get(mode="fill", fill_value=jnp.nan)
        # Held, since of a product with a mask XLA makes a selection: 0 times infinity is NaN.
        kept, taken = lax.optimization_barrier(
            ((x == out).astype(x.dtype), (updates == read).astype(x.dtype))
        )
        # Only at NaN is there none, and NaN the slope, as in TensorFlow.
        count = kept.at[places].add(taken, mode="drop")
        total = (tx * kept).at[places].add(tu * taken, mode="drop")
        return out, total / count

    return extreme


def _updated(function, method, tensor, indices, updates, policy=""):
    tensor, updates = matching(function, tensor=tensor, updates=updates)
    return _scatter(function, method, tensor, indices, updates, policy)


@operator(compiled=True)
def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    """An array with updates written at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array `indices.shape[:-1] + tensor.shape[k:]`.
      name: ignored.

    Returns:
      The new array; of updates at equal coordinates the last one counts.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are served too. Every update at equal coordinates gets a
      gradient, as there.

    Under jit:
      Inside `shims.function` coordinates out of range raise after the call; in somebody else's
      trace they are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_update
    """
    return _updated("tensor_scatter_nd_update", "set", tensor, indices, updates)


@operator(compiled=True)
def tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy="", name=None):
    """An array with updates added at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are served too.

    Under jit:
      Inside `shims.function` coordinates out of range raise after the call; in somebody else's
      trace they are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_add
    """
    function = "tensor_scatter_nd_add"
    return _updated(function, "add", tensor, indices, updates, bad_indices_policy)


@operator(compiled=True)
def tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy="", name=None):
    """An array with updates subtracted at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are served too.

    Under jit:
      Inside `shims.function` coordinates out of range raise after the call; in somebody else's
      trace they are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_sub
    """
    function = "tensor_scatter_nd_sub"
    tensor, updates = matching(function, tensor=tensor, updates=updates)
    return _scatter(function, "add", tensor, indices, -updates, bad_indices_policy)


@operator(compiled=True)
def tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy="", name=None):
    """An array with the larger of itself and the updates at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are served too. Of 0.0 and -0.0 the larger one is 0.0, and
      there the first.

    Under jit:
      Inside `shims.function` coordinates out of range raise after the call; in somebody else's
      trace they are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_max
    """
    function = "tensor_scatter_nd_max"
    return _updated(function, "max", tensor, indices, updates, bad_indices_policy)


@operator(compiled=True)
def tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy="", name=None):
    """An array with the smaller of itself and the updates at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are served too. Of 0.0 and -0.0 the smaller one is -0.0, and
      there the first.

    Under jit:
      Inside `shims.function` coordinates out of range raise after the call; in somebody else's
      trace they are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_min
    """
    function = "tensor_scatter_nd_min"
    return _updated(function, "min", tensor, indices, updates, bad_indices_policy)
