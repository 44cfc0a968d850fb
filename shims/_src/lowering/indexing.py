"""Define the masking rules of gather and scatter, which never read or write padding."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.lowering import bounds
from shims._src.lowering.contraction import align_pair
from shims._src.lowering.refusals import line_of
from shims._src.lowering.rule import Rule
from shims._src.lowering.slicing import missing, place, slice_at, whole
from shims._src.lowering.value import Value, static
from shims._src.numeric.detached import detach_where
from shims._src.platform import accelerators
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims

_FAR = np.int32(2**31 - 1)


def gather(ctx, eqn, operand, indices):
    """Lower a gather; indices in padding read position 0, and what they read becomes padding."""
    dn, sizes = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
    shape = eqn.invars[0].aval.shape
    if indices.array.ndim == 1 and not dn.operand_batching_dims and not _fills(eqn):
        return [_gather_window(ctx, eqn, operand, indices, dn, sizes, shape)]
    full = [whole(shape[a], sizes[a]) for a in range(len(shape))]
    indexed = [a for a in dn.start_index_map if not full[a] or a in dn.collapsed_slice_dims]
    for a, b in zip(dn.operand_batching_dims, dn.start_indices_batching_dims, strict=True):
        operand, indices = align_pair(ctx, operand, a, indices, b)
    for a in indexed:
        if jp.is_symbolic(sizes[a]):
            raise partial_window_error(eqn)
        operand = ctx.pack(ctx.expand_uniform(operand, (a,)), a)
    indices = ctx.fill(ctx.expand_uniform(indices), np.zeros((), indices.array.dtype))
    coordinates, absent, outside = _read_positions(
        ctx, eqn, indices.array, dn, shape, sizes, indexed
    )
    physical = tuple(
        operand.array.shape[a] if full[a] and a not in dn.collapsed_slice_dims else sizes[a]
        for a in range(len(shape))
    )
    out = lax.gather(
        operand.array,
        coordinates,
        dn,
        physical,
        unique_indices=eqn.params["unique_indices"] and not indices.dynamic,
        indices_are_sorted=eqn.params["indices_are_sorted"] and not indices.dynamic,
        mode=eqn.params["mode"],
        fill_value=eqn.params["fill_value"],
    )
    if outside is not None and jnp.issubdtype(out.dtype, jnp.inexact):
        # As in JAX, an index out of range reads the nearest element, which gets no gradient from it.
        outside = lax.broadcast_in_dim(
            outside, out.shape, [i for i in range(out.ndim) if i not in dn.offset_dims]
        )
        out = detach_where(outside, out)
    gone = (*dn.collapsed_slice_dims, *dn.operand_batching_dims)
    windows = [operand.axes[a] if full[a] else None for a in range(len(shape)) if a not in gone]
    axes = _interleave_axes(dn.offset_dims, windows, indices.axes[:-1])
    read = [i for i in range(len(axes)) if i not in dn.offset_dims]
    result = ctx.clear_padding(Value(out, axes, None, bounds.of(operand)), read)
    if absent is not None:
        # An empty operand is not an error if there is no valid index.
        valid = ctx.valid_over(result)
        absent = absent if valid is None else absent & valid
        result = missing(ctx, eqn, result, absent, shape)
    return [result]


def _fills(eqn) -> bool:
    """Return whether windows out of range are filled with a number, where their positions are of a static extent."""
    sizes, indexed = eqn.params["slice_sizes"], eqn.params["dimension_numbers"].start_index_map
    filling = eqn.params["mode"] == lax.GatherScatterMode.FILL_OR_DROP
    return filling and not any(jp.is_symbolic(sizes[a]) for a in indexed)


def _interleave_axes(offset_dims, windows, batch):
    rank = len(windows) + len(batch)
    windows, batch = iter(windows), iter(batch)
    return tuple(next(windows) if i in offset_dims else next(batch) for i in range(rank))


def _gather_window(ctx, eqn, operand, indices, dn, sizes, shape) -> Value:
    begins = [0] * len(shape)
    for place_, a in enumerate(dn.start_index_map):
        begins[a] = indices.array[place_]
    drop = tuple(dn.collapsed_slice_dims)
    taken = slice_at(ctx, eqn, operand, shape, begins, sizes, drop)
    axes = tuple(a for i, a in enumerate(taken.axes) if i not in drop)
    return Value(lax.squeeze(taken.array, drop), axes, None, taken.bounds)


def _read_positions(ctx, eqn, array, dn, shape, sizes, indexed):
    """Clamp the indices of a gather to the true sizes.

    Returns `(positions, absent, outside)`: `absent` is true if the operand is too small to read from,
    `outside` marks the indices that are out of range although they were promised to be in range. Both may be
    `None`.
    """
    mode = eqn.params["mode"]
    filling = mode == lax.GatherScatterMode.FILL_OR_DROP
    absent = outside = None
    columns = []
    for column, a in enumerate(dn.start_index_map):
        part = array[..., column]
        if a in indexed and jp.is_symbolic(shape[a]):
            room = jnp.asarray(ctx.size(shape[a]), jnp.int32) - sizes[a]
            room = room.astype(part.dtype)
            if filling:
                part = jnp.where((part < 0) | (part > room), _far_outside(part.dtype), part)
            else:
                if mode == lax.GatherScatterMode.PROMISE_IN_BOUNDS:
                    far = (part < 0) | (part > room)
                    outside = far if outside is None else outside | far
                part = jnp.clip(part, 0, jnp.maximum(room, 0))
            if dims.interval(shape[a], ctx.env)[0] < sizes[a]:
                absent = room < 0 if absent is None else absent | (room < 0)
        columns.append(part)
    return jnp.stack(columns, -1), absent, outside


def _far_outside(dtype):
    return np.asarray(min(jnp.iinfo(dtype).max, int(_FAR)), dtype)


def scatter(ctx, eqn, operand, indices, updates):
    """Lower a scatter; updates in padding are discarded."""
    dn = eqn.params["dimension_numbers"]
    shape = eqn.invars[0].aval.shape
    if not hasattr(updates.array, "ndim"):  # a number of Python
        updates = static(np.asarray(updates.array, eqn.invars[2].aval.dtype))
    window_axes = [
        a
        for a in range(len(shape))
        if a not in dn.inserted_window_dims and a not in dn.operand_batching_dims
    ]
    update_shape = eqn.invars[2].aval.shape
    sizes = [1] * len(shape)
    for a, u in zip(window_axes, dn.update_window_dims, strict=True):
        sizes[a] = update_shape[u]
    partial = [a for a in window_axes if not whole(shape[a], sizes[a])]
    if indices.array.ndim == 1 and any(jp.is_symbolic(sizes[a]) for a in partial):
        return [_place_window(ctx, eqn, operand, indices, updates, dn, shape, sizes)]
    if any(jp.is_symbolic(sizes[a]) for a in partial):
        raise partial_window_error(eqn)
    operand, updates = ctx.expand_uniform(operand), ctx.expand_uniform(updates)
    indices = ctx.expand_uniform(indices)
    for a, u in zip(window_axes, dn.update_window_dims, strict=True):
        if a not in partial:
            operand, updates = align_pair(ctx, operand, a, updates, u)
    for a in dn.scatter_dims_to_operand_dims:
        if a in partial or a in dn.inserted_window_dims:
            operand = ctx.pack(operand, a)
    batch = [u for u in range(updates.array.ndim) if u not in dn.update_window_dims]
    for i, u in enumerate(batch):
        indices, updates = align_pair(ctx, indices, i, updates, u)
    for a, b in zip(dn.operand_batching_dims, dn.scatter_indices_batching_dims, strict=True):
        operand, indices = align_pair(ctx, operand, a, indices, b)
        updates = _align_updates(ctx, updates, batch[b], indices, b)
    if 0 in operand.array.shape:  # there is nothing to update, of which JAX has no derivative
        return [operand]
    is_sorted = eqn.params["indices_are_sorted"] and _is_in_order(indices)
    positions = _write_positions(ctx, eqn, indices, dn, shape, sizes, is_sorted)
    options = {
        "indices_are_sorted": is_sorted,
        "unique_indices": eqn.params["unique_indices"] and not indices.dynamic,
        "mode": lax.GatherScatterMode.FILL_OR_DROP,
    }
    out = _scatter_call(eqn, operand.array, positions, updates.array, options)
    return [Value(out, operand.axes)]


def _is_in_order(indices) -> bool:
    """Return whether the padding of indices comes last, so sorted ones stay sorted."""
    return not indices.dynamic or (indices.array.ndim == 2 and indices.axes[0].packed)


def _align_updates(ctx, updates, u, indices, b):
    updates, _ = align_pair(ctx, updates, u, indices, b)
    return updates


def _write_positions(ctx, eqn, indices, dn, shape, sizes, is_sorted):
    """Clamp the indices of a scatter to the true sizes; updates to discard get an index out of range.

    Sorted indices stay sorted: negative ones are not changed, as they are out of range already.
    """
    clipping = eqn.params["mode"] == lax.GatherScatterMode.CLIP
    columns = []
    for column, a in enumerate(dn.scatter_dims_to_operand_dims):
        part = indices.array[..., column]
        room = (jnp.asarray(ctx.size(shape[a]), jnp.int32) - sizes[a]).astype(part.dtype)
        if clipping:
            part = jnp.clip(part, 0, jnp.maximum(room, 0))
        elif jp.is_symbolic(shape[a]):
            outside = part > room if is_sorted else (part < 0) | (part > room)
            part = jnp.where(outside, _far_outside(part.dtype), part)
        columns.append(part)
    positions = jnp.stack(columns, -1) if columns else indices.array
    if indices.dynamic and columns:
        valid = ctx.valid_over(Value(positions, indices.axes))
        positions = jnp.where(valid, positions, _far_outside(positions.dtype))
    return positions


_SCATTERS = {
    "scatter": lax.scatter,
    "scatter-add": lax.scatter_add,
    "scatter_add": lax.scatter_add,
    "scatter-sub": lax.scatter_sub,
    "scatter_sub": lax.scatter_sub,
    "scatter-mul": lax.scatter_mul,
    "scatter_mul": lax.scatter_mul,
    "scatter-min": lax.scatter_min,
    "scatter_min": lax.scatter_min,
    "scatter-max": lax.scatter_max,
    "scatter_max": lax.scatter_max,
}
_COMBINE = {
    "scatter": lambda old, new: new,
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "min": lax.min,
    "max": lax.max,
}


# The number of copies of the result that consecutive rows are added to in turn, the number of rows
# from which this pays, and the rows per position that outweigh the cost of adding up the copies.
_COPIES, _MANY_ROWS, _ROWS_A_PLACE = 8, 1 << 16, 32


def _scatter_call(eqn, operand, positions, updates, options):
    is_sorted = eqn.params["indices_are_sorted"]
    if is_sorted and eqn.primitive.name.endswith("add") and _pays_in_copies(operand, updates):
        in_order = functools.partial(_scatter_in_order, eqn, options)
        return accelerators.chosen(
            operand, positions, updates, cpu=_add_in_copies, default=in_order
        )
    return _scatter_in_order(eqn, options, operand, positions, updates)


def _scatter_in_order(eqn, options, operand, positions, updates):
    if _applied_function(eqn):
        (out,) = jp.bind(eqn, [operand, positions, updates], eqn.params | options)
        return out
    call = _SCATTERS[eqn.primitive.name]
    return call(operand, positions, updates, eqn.params["dimension_numbers"], **options)


def _pays_in_copies(operand, updates) -> bool:
    """Return whether a scatter-add may be faster if it adds into several copies of the result.

    A CPU adds the numbers one after another, and additions to one position wait for each other.
    """
    if updates.ndim != 1 or operand.ndim != 1:
        return False
    return updates.size >= max(_MANY_ROWS, _ROWS_A_PLACE * operand.size)


def _add_in_copies(operand, indices, updates):
    """Scatter-add consecutive updates to different copies of the result, and sum the copies."""
    places = operand.size
    positions = indices[:, 0].astype(jnp.promote_types(indices.dtype, jnp.int32))
    copy = jnp.arange(updates.size, dtype=positions.dtype) % _COPIES
    inside = (positions >= 0) & (positions < places)
    positions = jnp.where(inside, positions + places * copy, places * _COPIES)
    # Adding -0.0 changes no number, not even -0.0.
    others = jnp.full((places * (_COPIES - 1),), -0.0, operand.dtype)
    copies = jnp.concatenate([operand, others]).at[positions].add(updates, mode="drop")
    return functools.reduce(lax.add, copies.reshape((_COPIES, places)))


def _place_window(ctx, eqn, operand, indices, updates, dn, shape, sizes) -> Value:
    """Lower a scatter of one window of unknown extent (`x.at[2:].set(...)`)."""
    begins = [0] * len(shape)
    for column, a in enumerate(dn.scatter_dims_to_operand_dims):
        begins[a] = indices.array[column]
    array = lax.expand_dims(updates.array, dn.inserted_window_dims)
    axes = iter(updates.axes)
    window = Value(
        array,
        tuple(None if a in dn.inserted_window_dims else next(axes) for a in range(len(shape))),
    )
    combine = _COMBINE[eqn.primitive.name.replace("_", "-").partition("-")[2] or "scatter"]
    if applied := _applied_function(eqn):
        combine = _elementwise(*jp.open_jaxpr(applied))
    return place(ctx, operand, window, shape, sizes, begins, combine)


def _applied_function(eqn):
    """Return the jaxpr of the function that `x.at[...].apply` calls, `None` for other scatters."""
    return eqn.params["update_jaxpr"] if eqn.primitive.name == "scatter" else None


def _elementwise(jaxpr, consts):
    """Return a function of two arrays that evaluates a jaxpr of two numbers for each pair of elements."""

    def combine(old, new):
        call = lambda a, b: jp.core.eval_jaxpr(jaxpr, consts, a, b)[0]
        return jax.vmap(call)(old.ravel(), jnp.broadcast_to(new, old.shape).ravel()).reshape(
            old.shape
        )

    return combine


def partial_window_error(eqn) -> errors.UnsupportedPrimitiveError:
    """Return the error for a gather or scatter of several windows of unknown extent."""
    return errors.UnsupportedPrimitiveError(
        errors.message(
            "",
            f"`{eqn.primitive.name}` accesses several windows whose sizes are unknown.",
            received=str(eqn.invars[0].aval),
            at=line_of(eqn),
            do="access whole rows, or windows of static size",
        )
    )


RULES = (
    Rule("gather", gather, uniform=True),
    *(Rule(name, scatter, uniform=True) for name in _SCATTERS),
)
