"""Scatter updates into arrays by coordinates."""

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
from shims._src.platform import accelerators
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by


@sized_by("shape", compiled=True)
def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None):
    """Add updates to an array of zeros at coordinates.

    Args:
      indices: integer array `[..., k]` of coordinates.
      updates: array of shape `indices.shape[:-1] + shape[k:]`.
      shape: the sizes of the result.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops bad updates.
      name: ignored.

    Returns:
      The array; updates at equal coordinates add up.

    Raises:
      InvalidArgumentError: coordinates are out of range.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are supported.

    Under jit:
      Sizes may be traced. Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, updates at such coordinates are dropped.

    Example:
      >>> import shims
      >>> print(shims.scatter_nd([[1], [3], [1]], [5, 6, 7], [4]))
      [ 0 12  0  6]

    https://www.tensorflow.org/api_docs/python/tf/scatter_nd
    """
    updates = operand(updates)
    zeros = jnp.zeros(sizes_of("scatter_nd", shape), updates.dtype)
    return _scatter("scatter_nd", "add", zeros, indices, updates, bad_indices_policy)


def _scatter(function, method, x, indices, updates, policy=""):
    indices = operand(indices)
    # An empty vector of indices writes nothing, as in TensorFlow.
    is_vector = indices.ndim == 1 and checks.is_known(indices.shape[0]) and indices.shape[0] > 0
    if indices.ndim == 0 or is_vector:
        raise checks.invalid(
            function,
            "`indices` must be an array of coordinate vectors.",
            required="rank 2 or more",
            received=describe(indices),
            do="for a single vector of coordinates, pass `indices[None]` and `updates[None]`",
        )
    if policy != "IGNORE":
        check_coordinates(function, indices, x.shape)
    updates = _match_updates(function, indices, x, updates)
    _check_emptiness(function, indices, updates, x)
    if method == "add" and updates.dtype == bool:
        method = "max"
    places = coordinates(indices, x.shape, lenient=True)
    if method == "set" and is_inexact(x):
        return write(x, places, updates)
    if method in ("max", "min") and is_inexact(x):
        return _scatter_extreme(method, x, places, updates)
    if method == "set":
        out = placed(x, places, updates)
    else:
        out = getattr(x.at[places], method)(updates, mode="drop")
    if checks.is_known_shape(updates) and not updates.size:
        return primitives.connected(out, x, updates)
    return out


def _check_emptiness(function, indices, updates, x):
    """Reject a scatter in which some but not all arrays are empty, and empty coordinates."""
    arrays = (x, indices, updates)
    if all(map(checks.is_known_shape, arrays)):
        sizes = [a.size for a in arrays]
    else:
        sizes = [primitives.as_size(a.size) for a in arrays]
    into, places, written = (size > 0 for size in sizes)
    bad = (places | written) != (into & places & written)
    if checks.is_known(indices.shape[-1]) and indices.shape[-1] == 0:
        bad |= into  # TensorFlow does not write a whole array by empty coordinates
    checks.check_data(
        bad,
        function,
        "some of `indices`, `updates` and the array are empty, but not all of them.",
        required="coordinates of at least one number, and no indices for an empty array",
        received=f"{describe(updates)}, {describe(indices)}, shape {x.shape}",
    )


def _match_updates(function, indices, x, updates):
    """Check the shape of `updates` against the indices and the array; unify symbolic sizes."""
    sizes = (*indices.shape[:-1], *x.shape[indices.shape[-1] :])
    known = (
        checks.is_known(a) and checks.is_known(b) and a != b
        for a, b in zip(sizes, updates.shape, strict=False)
    )
    if len(sizes) != updates.ndim or any(known):
        raise checks.invalid(
            function,
            "the shape of `updates` does not match `indices` and the array.",
            required="updates.shape == indices.shape[:-1] + shape[indices.shape[-1]:]",
            received=f"{describe(updates)}, {describe(indices)}, shape {x.shape}",
        )
    if checks.is_known_shape(updates) and all(map(checks.is_known, sizes)):
        return updates
    for i, d in enumerate(sizes):
        updates = primitives.unify_axis(updates, i, d, label=function)
    return updates


def placed(x, places, updates):
    """Write updates at positions; of duplicates the last wins, and out-of-range updates are dropped.

    Args:
      x: array.
      places: arrays of the same shape, one for each of the first axes of `x`.
      updates: array whose first axes have the shape of `places`.

    A CPU writes updates in order. An accelerator writes them in parallel, so the winner among
    equal positions would be undefined: there all but the last are dropped.
    """
    is_cpu = accelerators.runs_on_cpu(x, places, updates)
    if is_cpu is not True and places:
        places = (jnp.where(is_cpu, places[0], _without_earlier(x, places)), *places[1:])
    return x.at[places].set(updates, mode="drop")


def _without_earlier(x, places):
    """Return the first index array, with the indices of overwritten updates moved out of range.

    An update is overwritten if a later one has the same coordinates.
    """
    if any(checks.is_known(d) and d == 0 for d in x.shape[: len(places)]):
        return places[0]  # every update is out of range
    shape = places[0].shape
    number = jnp.arange(math.prod(shape), dtype=jnp.int32).reshape(shape)
    unwritten = jnp.full(x.shape[: len(places)], -1, jnp.int32)
    last = unwritten.at[places].max(number, mode="drop")
    is_last = last.at[places].get(mode="fill", fill_value=-1) == number
    first = places[0].astype(jnp.promote_types(places[0].dtype, jnp.int32))
    return jnp.where(is_last, first, jnp.iinfo(jnp.int32).max)


@jax.custom_jvp
def write(x, places, updates):
    """Write updates at positions; the gradient reaches every update, even overwritten ones."""
    return placed(x, places, updates)


@write.defjvp
def _write_jvp(primals, tangents):
    x, places, updates = primals
    tx, _, tu = tangents
    # The last of equal positions wins, but TensorFlow gives each of them the gradient of the
    # result, which is the transpose of adding their tangents.
    kept = jnp.ones(x.shape, bool).at[places].set(False, mode="drop")
    return write(x, places, updates), jnp.where(kept, tx, 0).at[places].add(tu, mode="drop")


def _scatter_extreme(method, x, places, updates):
    """Scatter updates by maximum or minimum; equal elements share the gradient evenly."""
    return _make_scatter_extreme(method)(x, places, updates)


def _make_scatter_extreme(method):
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
        # Behind a barrier, since XLA turns a product with a mask into a select: 0 times infinity is
        # NaN.
        kept, taken = lax.optimization_barrier(
            ((x == out).astype(x.dtype), (updates == read).astype(x.dtype))
        )
        # The count is 0 only for a NaN result, whose derivative is NaN, as in TensorFlow.
        count = kept.at[places].add(taken, mode="drop")
        total = (tx * kept).at[places].add(tu * taken, mode="drop")
        return out, total / count

    return extreme


def _update(function, method, tensor, indices, updates, policy=""):
    tensor, updates = matching(function, tensor=tensor, updates=updates)
    return _scatter(function, method, tensor, indices, updates, policy)


@operator(compiled=True)
def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    """Write updates into an array at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array of shape `indices.shape[:-1] + tensor.shape[k:]`.
      name: ignored.

    Returns:
      The new array; of several updates at the same coordinates, the last is written, but all of them get a
      gradient.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are supported.

    Under jit:
      Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, updates at such coordinates are dropped.

    Example:
      >>> import shims
      >>> print(shims.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [10, 30]))
      [10  2 30]

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_update
    """
    return _update("tensor_scatter_nd_update", "set", tensor, indices, updates)


@operator(compiled=True)
def tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy="", name=None):
    """Add updates to an array at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array of shape `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops bad updates.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are supported.

    Under jit:
      Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, updates at such coordinates are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_add
    """
    function = "tensor_scatter_nd_add"
    return _update(function, "add", tensor, indices, updates, bad_indices_policy)


@operator(compiled=True)
def tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy="", name=None):
    """Subtract updates from an array at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array of shape `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops bad updates.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are supported.

    Under jit:
      Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, updates at such coordinates are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_sub
    """
    function = "tensor_scatter_nd_sub"
    tensor, updates = matching(function, tensor=tensor, updates=updates)
    return _scatter(function, "add", tensor, indices, -updates, bad_indices_policy)


@operator(compiled=True)
def tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy="", name=None):
    """Take the maximum of an array and updates at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array of shape `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops bad updates.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are supported. The maximum of 0.0 and -0.0 is 0.0; TensorFlow
      returns the first of the two numbers.

    Under jit:
      Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, updates at such coordinates are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_max
    """
    function = "tensor_scatter_nd_max"
    return _update(function, "max", tensor, indices, updates, bad_indices_policy)


@operator(compiled=True)
def tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy="", name=None):
    """Take the minimum of an array and updates at coordinates.

    Args:
      tensor: array.
      indices: integer array `[..., k]` of coordinates.
      updates: array of shape `indices.shape[:-1] + tensor.shape[k:]`.
      bad_indices_policy: `""` and `"DEFAULT"` raise, `"IGNORE"` drops bad updates.
      name: ignored.

    Returns:
      The new array.

    Raises:
      InvalidArgumentError: coordinates are out of range, or the dtypes differ.

    Differs from TensorFlow:
      Coordinates in more than 7 axes are supported. The minimum of 0.0 and -0.0 is -0.0; TensorFlow
      returns the first of the two numbers.

    Under jit:
      Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, updates at such coordinates are dropped.

    https://www.tensorflow.org/api_docs/python/tf/tensor_scatter_nd_min
    """
    function = "tensor_scatter_nd_min"
    return _update(function, "min", tensor, indices, updates, bad_indices_policy)
