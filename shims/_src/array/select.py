"""Select elements by a condition."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import broadcasting, describe, matching, operand
from shims._src.sizes import on_host, primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import selected_by
from shims._src.tracing.static_results import computed, known_operand
from shims._src.types.dtypes import canonical_dtype


@selected_by("mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """Return the elements where a mask is True, in order.

    Args:
      tensor: array `[..., n, ...]`.
      mask: bool array whose shape equals the shape of `tensor` from `axis` on.
      axis: the first axis that the mask applies to; 0 when `None`.
      name: ignored.

    Returns:
      `tensor` with the axes of the mask replaced by one axis of the selected elements.

    Raises:
      InvalidArgumentError: the mask is a scalar, or its shape does not match the shape of `tensor`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The size of the new axis depends on data. In a `jax.jit` of your own, the result is a `Padded`, an array
      with padding that functions of `shims` accept and functions of JAX reject. The selected elements stay in
      place, marked by a mask, until the position of an element is needed.

    Example:
      >>> import shims
      >>> shims.boolean_mask([1, 2, 3, 4], [True, False, False, True]).tolist()
      [1, 4]

    https://www.tensorflow.org/api_docs/python/tf/boolean_mask
    """
    tensor, mask = operand(tensor), known_operand(mask)
    if mask.ndim == 0:
        raise checks.invalid(
            "boolean_mask", "`mask` is a scalar.", required="a mask with at least one axis"
        )
    axis = 0 if axis is None else checks.axis_of("boolean_mask", axis, tensor.ndim)
    mask = _match_mask(tensor, mask, axis)
    end = axis + mask.ndim
    if mask.ndim > 1:
        flat = math.prod(tensor.shape[axis:end])
        tensor = tensor.reshape((*tensor.shape[:axis], flat, *tensor.shape[end:]))
        mask = mask.reshape((flat,))
    return primitives.compress(tensor, mask if mask.dtype == jnp.bool_ else mask != 0, axis)


def _match_mask(tensor, mask, axis):
    """Check the shape of the mask against the array; unify symbolic sizes."""
    there = tensor.shape[axis : axis + mask.ndim]
    known = all(map(is_known, (*there, *mask.shape)))
    if len(there) < mask.ndim or (known and there != mask.shape):
        raise checks.invalid(
            "boolean_mask",
            "`mask` must match the leading axes of `tensor`.",
            required=f"mask.shape == tensor.shape[{axis}:{axis + mask.ndim}] (axis={axis})",
            received=f"tensor {describe(tensor)}, mask {describe(mask)}",
            do="build the mask from `tensor`, or give both sizes the same name in the spec",
        )
    if not known:
        for i, d in enumerate(there):
            mask = primitives.unify_axis(mask, i, d, label="boolean_mask")
    return mask


@selected_by("condition")
def _positions(condition):
    """Return the coordinates `[n, rank]` of the elements for which a condition is true."""
    condition = operand(condition)
    if on_host.lies_here(condition):
        return on_host.positions(condition, canonical_dtype(np.int64))
    if condition.dtype != jnp.bool_:
        condition = condition != 0
    flat = math.prod(condition.shape)
    place = jnp.arange(flat, dtype=jnp.int32)
    place = primitives.compress(place, condition.reshape((flat,)))
    columns = []
    for d in reversed(condition.shape[1:]):
        extent = jnp.broadcast_to(jnp.maximum(primitives.as_size(d), 1), place.shape)
        columns.append(lax.rem(place, extent))
        place = lax.div(place, extent)
    columns.append(place)
    if condition.ndim == 0:
        out = jnp.zeros((place.shape[0], 0), jnp.int32)
    elif condition.ndim == 1:
        out = place[:, None]
    else:
        out = jnp.stack(columns[::-1], -1)
    return out.astype(canonical_dtype(np.int64))


@operator(compiled=True)
def _choose(condition, x, y):
    x, y = matching("where", x=x, y=y)
    arrays = broadcasting("where", operand(condition), x, y)
    if any(0 in a.shape for a in arrays):
        # For empty arrays `jnp.where` returns `x`; `y` would have no gradient instead of 0.
        condition, x, y = jnp.broadcast_arrays(*arrays)
        return lax.select(condition.astype(jnp.bool_), x, y)
    return jnp.where(*arrays)


@computed
@checked
def where(condition, x=None, y=None, name=None):
    """Return the coordinates where a condition holds, or choose between two arrays.

    Args:
      condition: bool array. Without `x` and `y`, any array, whose nonzero elements count as True.
      x: array of the values where the condition holds.
      y: array of the same dtype with the values elsewhere; all three arrays are broadcast.
      name: ignored.

    Returns:
      Without `x` and `y`, the coordinates: an int64 array `[n, rank]`, in row-major order.
      Otherwise, the chosen elements, in the shape to which the three arrays broadcast.

    Raises:
      ValueError: one of `x` and `y` is missing.
      InvalidArgumentError: their dtypes differ.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

      The gradient with respect to elements that are not chosen is 0. If such an element is computed
      by a function whose derivative is infinite there, the gradient with respect to the function's
      argument is NaN (0 times infinity), as in TensorFlow.

    Under jit:
      Without `x` and `y`, the number of rows depends on data: in a `jax.jit` of your own, the result is a `Padded`,
      an array with padding that functions of `shims` accept and functions of JAX reject.

    Example:
      >>> import shims
      >>> shims.where([[True, False], [True, True]]).tolist()
      [[0, 0], [1, 0], [1, 1]]

    https://www.tensorflow.org/api_docs/python/tf/where
    """
    if x is None and y is None:
        return _positions(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _choose(condition, x, y)
