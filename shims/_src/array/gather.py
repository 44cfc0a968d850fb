"""Gather elements by position."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, check_positions, is_known, static_int
from shims._src.arguments.operands import agreeing, describe, operand
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording import recording
from shims._src.recording.indexed_slices import rows_of
from shims._src.sizes import primitives, trace
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Gather slices along an axis, by position.

    Args:
      params: array.
      indices: integer array.
      validate_indices: ignored, as in TensorFlow.
      axis: the axis to take from; `batch_dims` when `None`.
      batch_dims: the number of leading batch axes that `params` and `indices` share; TensorFlow ignores
        `batch_dims` if `axis` is 0.
      name: ignored.

    Returns:
      An array of shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.

    Raises:
      InvalidArgumentError: an index is negative or too large.

    Differs from TensorFlow:
      On a GPU, TensorFlow returns 0 for an index out of range, instead of raising an error.

    Under jit:
      Inside `shims.function` an index out of range raises an error after the call; in an
      enclosing trace, the nearest element is read, as in TensorFlow's XLA.

    Example:
      >>> import shims
      >>> print(shims.gather([10, 20, 30], [2, 0, 2]))
      [30 10 30]

    https://www.tensorflow.org/api_docs/python/tf/gather
    """
    params, indices = operand(params), operand(indices)
    batch_dims = static_int("gather", "batch_dims", batch_dims)
    batch_dims += indices.ndim if batch_dims < 0 else 0
    if axis is not None and static_int("gather", "axis", axis) == 0:
        batch_dims = 0
    axis = batch_dims if axis is None else axis_of("gather", axis, params.ndim)
    if not 0 <= batch_dims <= min(indices.ndim, axis):
        raise checks.invalid(
            "gather",
            f"`batch_dims` is out of range: {batch_dims}.",
            required="batch_dims <= axis and <= the rank of `indices`",
            received=f"axis={axis}, indices of rank {indices.ndim}",
        )
    if axis >= params.ndim:
        raise checks.invalid(
            "gather",
            "`params` has too few axes.",
            required=f"rank >= {axis + 1}",
            received=describe(params),
        )
    others = (*params.shape[batch_dims:axis], *params.shape[axis + 1 :])
    check_positions("gather", "indices", indices, params.shape[axis], others=others)
    params, indices = agreeing("gather", [params, indices], range(batch_dims))
    if not batch_dims and _is_zero(params.shape[axis]) and not all(map(is_known, indices.shape)):
        # The axis is empty and the positions were checked, so there can be no positions.
        shape = (*params.shape[:axis], *indices.shape, *params.shape[axis + 1 :])
        return jnp.zeros(shape, params.dtype)

    if batch_dims and _is_zero(params.shape[axis]):
        # There are no positions, but `vmap` over an empty batch still traces a read at position 0.
        params = jnp.pad(params, [(0, int(i == axis)) for i in range(params.ndim)])

    def take(x, i):
        at = axis - batch_dims
        taken = primitives.take(x, i, at)
        if not _may_be_outside(i):
            return taken
        outside = (i < 0) | (i >= x.shape[at])
        return _without_gradient(
            taken, jnp.expand_dims(outside, _axes_without(taken.ndim, at, i.ndim))
        )

    for _ in range(batch_dims):
        take = jax.vmap(take)
    if axis == 0 and recording.is_followed(params):
        return _gather_rows(take, params, indices)
    return take(params, indices)


def _may_be_outside(indices) -> bool:
    """Return whether positions out of range raise no error, as is the case in an enclosing trace."""
    state = trace.current()
    raises = state is not None and state.may_assume
    return jp.is_tracer(indices) and not raises


def _axes_without(rank: int, start: int, count: int) -> tuple[int, ...]:
    """Return the axes `0, ..., rank - 1` except the `count` axes from `start` on."""
    return (*range(start), *range(start + count, rank))


def _without_gradient(taken, outside):
    """Block the gradient of gathered elements where the mask `outside` is true.

    TensorFlow's XLA reads the nearest element for a position out of range, and drops its gradient.
    """
    if not jnp.issubdtype(taken.dtype, jnp.inexact) or any(map(_is_zero, taken.shape)):
        return taken  # `jnp.where` would return its first branch for no elements, without links
    return jnp.where(outside, lax.stop_gradient(taken), taken)


def _gather_rows(take, params, indices):
    """Gather rows, and record their gradient on the active tape as `IndexedSlices`."""
    with recording.unrecorded():
        taken = take(params, indices)
    shape = params.shape
    recording.record([params], [taken], lambda ct: [rows_of(ct, indices, shape)])
    return taken


def _is_zero(d) -> bool:
    return is_known(d) and d == 0


@operator(compiled=True)
def batch_gather(params, indices, name=None):
    """Gather slices by position, separately in each row of a batch.

    Args:
      params: array.
      indices: integer array; all axes but the last are batch axes shared with `params`.
      name: ignored.

    Returns:
      An array of shape `indices.shape + params.shape[indices.ndim:]`.

    Raises:
      InvalidArgumentError: an index is negative or too large.

    Differs from TensorFlow:
      On a GPU, TensorFlow returns 0 for an index out of range, instead of raising an error.
      In TensorFlow 2, write `gather(params, indices, batch_dims=-1)`.

    Under jit:
      Like `gather`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/batch_gather
    """
    return gather(params, indices, batch_dims=operand(indices).ndim - 1)


@operator(compiled=True)
def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Gather slices by coordinates.

    Args:
      params: array.
      indices: integer array `[..., k]` of coordinates into the first `k` axes (after the batch
        axes).
      batch_dims: the number of leading batch axes that `params` and `indices` share.
      name: ignored.
      bad_indices_policy: `""` and `"DEFAULT"` raise an error, `"IGNORE"` returns 0.

    Returns:
      An array of shape `indices.shape[:-1] + params.shape[batch_dims + k:]`.

    Raises:
      InvalidArgumentError: coordinates are out of range.

    Differs from TensorFlow:
      Batch sizes must be equal even if there are no elements. Coordinates in more than 7 axes are
      supported.

    Under jit:
      Inside `shims.function` coordinates out of range raise an error after the call; in an
      enclosing trace, the nearest element is read.

    Example:
      >>> import shims
      >>> print(shims.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]))
      [3 2]

    https://www.tensorflow.org/api_docs/python/tf/gather_nd
    """
    params, indices = operand(params), operand(indices)
    batch_dims = static_int("gather_nd", "batch_dims", batch_dims)
    ignore = bad_indices_policy == "IGNORE"
    if not ignore:
        check_coordinates("gather_nd", indices, params.shape[batch_dims:])
    params, indices = agreeing("gather_nd", [params, indices], range(batch_dims))
    # For no indices JAX makes a new empty array, which has no gradient with respect to `params`.
    connected = primitives.connected if any(map(_is_zero, indices.shape[:-1])) else lambda x, _: x
    if not indices.shape[-1]:
        _check_has_elements(params, indices)
    elif any(map(_is_zero, params.shape[batch_dims:])):
        return _gather_from_empty(params, indices, batch_dims)
    elif not all(map(is_known, params.shape)):
        _check_has_elements(params, indices)

    def take(x, i):
        places = coordinates(i, x.shape, lenient=ignore)
        if not places:
            return jnp.broadcast_to(x, (*i.shape[:-1], *x.shape))
        if ignore:
            return x.at[places].get(mode="fill", fill_value=0)
        if not _may_be_outside(i):
            return x.at[places].get(mode="clip")
        outside = functools.reduce(
            jnp.logical_or, [(p < 0) | (p >= d) for p, d in zip(places, x.shape)]
        )
        # Without the maximum, JAX would count negative coordinates from the end.
        taken = x.at[tuple(jnp.maximum(p, 0) for p in places)].get(mode="clip")
        return _without_gradient(
            taken, jnp.expand_dims(outside, _axes_without(taken.ndim, 0, outside.ndim))
        )

    for _ in range(batch_dims):
        take = jax.vmap(take)
    return connected(take(params, indices), params)


def _gather_from_empty(params, indices, batch_dims: int):
    """Compute `gather_nd` of an array without elements: an empty result, or an error."""
    _check_has_elements(params, indices)
    rest = params.shape[batch_dims + indices.shape[-1] :]
    return jnp.zeros((*indices.shape[:-1], *rest), params.dtype)


def _check_has_elements(params, indices) -> None:
    """Raise an error if there are indices into an array without elements."""
    rows, elements = (math.prod(s) for s in (indices.shape[:-1], params.shape))
    checks.check_data(
        (primitives.as_size(rows) > 0) & (primitives.as_size(elements) == 0),
        "gather_nd",
        "`params` has no elements.",
        required="no indices",
        received=f"params of shape {params.shape}, indices of shape {indices.shape}",
    )


def check_coordinates(function: str, indices, shape) -> None:
    """Check that coordinates `[..., k]` are inside the first `k` axes of a shape."""
    if not is_known(indices.shape[-1]):
        raise errors.FreshSizeError(
            errors.message(
                function,
                "the number of coordinates per index depends on data.",
                required="indices.shape[-1] known while the program is traced",
                received=f"indices of shape {indices.shape}",
                do="declare the number with `indices = tf.ensure_shape(indices, [..., 2])`",
            )
        )
    if indices.shape[-1] > len(shape):
        raise checks.invalid(
            function,
            f"the indices have {indices.shape[-1]} coordinates, but the array has rank "
            f"{len(shape)}.",
            required=f"indices.shape[-1] <= {len(shape)}",
            received=f"indices of shape {indices.shape}",
        )
    for i in range(indices.shape[-1]):
        check_positions(function, f"indices[..., {i}]", indices[..., i], shape[i])


def coordinates(indices, shape, *, lenient: bool = False):
    """Split coordinates `[..., k]` into one index array per axis.

    With `lenient`, negative coordinates become out-of-range indices, since JAX would count them from the
    end.
    """
    places = tuple(indices[..., i] for i in range(indices.shape[-1]))
    if not lenient:
        return places
    behind = (primitives.as_size(d).astype(indices.dtype) for d in shape)
    return tuple(jnp.where(p < 0, n, p) for p, n in zip(places, behind, strict=False))
