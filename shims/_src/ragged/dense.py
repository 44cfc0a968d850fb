"""Convert between arrays and ragged tensors."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known, static_int
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import size_of
from shims._src.ragged import partition, uniform
from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.sizes import primitives
from shims._src.tracing import text_operands
from shims._src.tracing.sized_by import selected_by


def to_tensor(rt, default_value=None, shape=None):
    """Implement `RaggedTensor.to_tensor`."""
    sizes = _requested_sizes(shape, rt.shape.rank)
    return _to_tensor(rt, default_value, sizes)


def _requested_sizes(shape, rank):
    if shape is None:
        return [None] * rank
    sizes = shape.as_list() if hasattr(shape, "as_list") else shape
    if not isinstance(sizes, (list, tuple)):
        sizes = [sizes[i] for i in range(sizes.shape[0])]
    sizes = [None if s is None else size_of("to_tensor", s) for s in sizes]
    return [None if s is not None and is_known(s) and s == -1 else s for s in sizes]


@selected_by("rt", "sizes")
def _to_tensor(rt, default_value, sizes):
    flat = rt.flat_values
    dtype = flat.dtype
    default = jnp.zeros((), dtype) if default_value is None else operand(default_value, dtype)
    _check_default(default, flat)
    if len(sizes) != flat.ndim + rt.ragged_rank:
        raise checks.invalid(
            "to_tensor",
            f"`shape` has {len(sizes)} entries, but the ragged tensor has rank {flat.ndim + rt.ragged_rank}.",
            required="one entry for each axis",
        )
    return _pad_rows(rt, default, sizes)


def _check_default(default, flat):
    """Check that `default_value` broadcasts to the values of a row.

    As TensorFlow does, compare the sizes of both from the first axis on, and from the last axis back.
    """
    sizes = flat.shape[1:]
    front = zip(default.shape, sizes, strict=False)
    back = zip(default.shape[::-1], sizes[::-1], strict=False)
    unlike = any(
        is_known(a) and is_known(b) and a not in (1, b) for pair in (front, back) for a, b in pair
    )
    if default.ndim >= flat.ndim or unlike:
        raise checks.invalid(
            "to_tensor",
            "`default_value` does not broadcast to the values of a row.",
            required="a value that broadcasts to one row of `flat_values`",
            received=f"{describe(default)}, flat_values {describe(flat)}",
        )


def _pad_rows(rt, default, sizes):
    values = rt.values
    if is_ragged(values):
        values = _pad_rows(values, default, [None, *sizes[2:]])
    else:
        values = _check_uniform_sizes(values, sizes[2:])
    splits = rt.row_splits
    rows, count = partition.row_count(splits), values.shape[0]
    length = partition.longest(splits, count) if rt.uniform_row_length is None else None
    length = rt.uniform_row_length if length is None else length
    shape = (
        rows if sizes[0] is None else sizes[0],
        length if sizes[1] is None else sizes[1],
        *values.shape[1:],
    )
    ids = partition.row_ids(splits, count)
    place = partition.offsets(splits, ids)
    empty = jnp.broadcast_to(default, shape)
    if any(is_known(d) and d == 0 for d in (count, *shape)):
        return primitives.connected(empty, values)
    return empty.at[ids, place].set(values, mode="drop")


def _check_uniform_sizes(values, sizes):
    """Check the requested sizes of uniform axes; only ragged axes are padded or truncated."""
    for axis, size in enumerate(sizes, 1):
        if size is None:
            continue
        have = values.shape[axis]
        if is_known(have) and is_known(size) and have != size:
            raise checks.invalid(
                "to_tensor",
                "`shape` changes the size of an axis that is not ragged.",
                required=f"size {have}",
                received=f"size {size}",
            )
        values = primitives.unify_axis(values, axis, size, label="to_tensor")
    return values


@text_operands.computed
def from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype) -> RaggedTensor:
    """Implement `RaggedTensor.from_tensor`."""
    tensor = operand(tensor)
    dtype = partition.splits_dtype(row_splits_dtype)
    ragged_rank = static_int("from_tensor", "ragged_rank", ragged_rank)
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received: {ragged_rank}.")
    if ragged_rank >= max(tensor.ndim, 1):
        raise ValueError(
            f"`ragged_rank` must be below the rank of `tensor`. Received: {describe(tensor)}, "
            f"ragged_rank={ragged_rank}."
        )
    if isinstance(lengths, (list, tuple)) and lengths and np.ndim(lengths[0]) > 0:
        if ragged_rank not in (1, len(lengths)):
            raise ValueError(
                f"`ragged_rank` must be {len(lengths)}, the number of parts of `lengths`."
            )
        return _with_nested_lengths(tensor, lengths, dtype)
    if ragged_rank > 1:
        return _with_uniform_outer_axes(tensor, lengths, padding, ragged_rank, dtype)
    if lengths is None and padding is None:
        return _with_whole_rows(tensor, dtype)
    if padding is not None:
        lengths = _lengths_without_padding(tensor, padding, dtype)
    else:
        lengths = partition.as_partition("from_tensor", "lengths", lengths).astype(dtype)
    return _truncate_rows(tensor, lengths)


def _flatten_outer(tensor):
    return tensor.reshape((tensor.shape[0] * tensor.shape[1], *tensor.shape[2:]))


def _with_whole_rows(tensor, dtype):
    return uniform.wrap(_flatten_outer(tensor), tensor.shape[1], tensor.shape[0], dtype)


def _with_uniform_outer_axes(tensor, lengths, padding, ragged_rank, dtype):
    """Build a ragged tensor with uniform outer axes and a ragged last axis."""
    outer = tensor.shape[:ragged_rank]
    flat = tensor.reshape((math.prod(outer), *tensor.shape[ragged_rank:]))
    out = from_tensor(flat, lengths, padding, 1, dtype)
    for axis in reversed(range(1, ragged_rank)):
        out = uniform.wrap(out, outer[axis], math.prod(outer[:axis]), dtype)
    return out


def _with_nested_lengths(tensor, lengths, dtype):
    """Truncate each ragged axis to its own row lengths, from the outermost axis inward."""
    out = _truncate_rows(
        tensor, partition.as_partition("from_tensor", "lengths", lengths[0]).astype(dtype)
    )
    if len(lengths) == 1:
        return out
    rest = list(lengths[1:])
    inner = from_tensor(out.values, rest if len(rest) > 1 else rest[0], None, 1, dtype)
    return RaggedTensor(inner, out.row_splits)


def _lengths_without_padding(tensor, padding, dtype):
    """Return the length of each row without trailing padding."""
    padding = operand(padding, tensor.dtype)
    if padding.shape != tensor.shape[2:]:
        raise ValueError(
            f"`padding` has shape {padding.shape}, but the entries of `tensor` have shape "
            f"{tensor.shape[2:]}."
        )
    is_padding = tensor == padding
    is_padding = jnp.all(is_padding, axis=tuple(range(2, tensor.ndim)))
    place = jnp.arange(tensor.shape[1], dtype=dtype) + 1
    return jnp.max(jnp.where(is_padding, 0, place), axis=1, initial=0)


@selected_by("lengths")
def _truncate_rows(tensor, lengths):
    """Keep the first `lengths[i]` entries of each row."""
    extent = primitives.as_size(tensor.shape[1]).astype(lengths.dtype)
    lengths = primitives.unify_axis(lengths, 0, tensor.shape[0], label="from_tensor")
    lengths = jnp.clip(lengths, 0, extent)
    mask = jnp.arange(tensor.shape[1], dtype=lengths.dtype) < lengths[:, None]
    values = primitives.compress(_flatten_outer(tensor), mask.reshape(-1))
    return RaggedTensor(values, partition.from_lengths(lengths))


def as_ragged(value, ragged_rank: int, dtype) -> RaggedTensor:
    """Convert a value to a ragged tensor of the given ragged rank; arrays get uniform rows."""
    if is_ragged(value):
        if value.ragged_rank < ragged_rank:
            inner = as_ragged(value.values, ragged_rank - 1, dtype)
            return RaggedTensor(inner, value.row_splits, value.uniform_row_length)
        return value
    value = operand(value)
    out = value.reshape(
        (math.prod(value.shape[: ragged_rank + 1]), *value.shape[ragged_rank + 1 :])
    )
    for axis in reversed(range(1, ragged_rank + 1)):
        out = uniform.wrap(out, value.shape[axis], math.prod(value.shape[:axis]), dtype)
    return out
