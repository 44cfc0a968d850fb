"""Apply operators to ragged operands, using an implementation found by the operator's name."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np

from shims._src.arguments.checks import static_int
from shims._src.array.creation import one_hot
from shims._src.array.select import where
from shims._src.errors import errors
from shims._src.native import operators
from shims._src.ragged import (
    coordinates,
    coordinates_read,
    gathering,
    joining,
    reduction,
    reshaping,
    rows,
    segments,
)
from shims._src.ragged.elementwise import map_rows
from shims._src.ragged.tensor import is_ragged
from shims._src.types.composite import OperatorCall, operators_taking


def call_operator(call: OperatorCall):
    """Call an operator on ragged operands; return `NotImplemented` if it does not support them."""
    name, operator, operands, options = call.name, call.operator, call.operands, call.options
    kwargs = {k: v for k, v in call.kwargs.items() if k != "name"}
    if name in operators_taking("ragged_unary"):
        if not is_ragged(operands[0]) or any(map(is_ragged, options.values())):
            return NotImplemented  # ragged limits of `clip_by_value`, for example
        return map_rows(name, lambda x: operator(x, **options), operands[:1])
    if name in operators_taking("ragged_binary"):
        return map_rows(name, operator, operands[:2])
    if name in operators_taking("ragged_reductions"):
        return reduction.reduce(name, *call.args[:3], **_rename_input_tensor(kwargs))
    if name == "embedding_lookup":
        return _embedding_lookup(call)
    handler = _HANDLERS.get(name)
    return NotImplemented if handler is None else handler(*call.args, **kwargs)


def _embedding_lookup(call: OperatorCall):
    """Look up the embedding rows of ragged ids."""
    ids = call.arguments["ids"]
    if not is_ragged(ids):
        return NotImplemented
    if ids.flat_values.dtype not in (np.int32, np.int64):
        raise ValueError(f"embedding_lookup: ids must be int32 or int64, not {ids.dtype.name}.")
    return ids.with_flat_values(call.operator(**{**call.arguments, "ids": ids.flat_values}))


def _rename_input_tensor(kwargs):
    return {("rt" if k == "input_tensor" else k): v for k, v in kwargs.items()}


def _choose(condition, x, y):
    return map_rows("where", where, (condition, x, y))


def _concat(values, axis):
    return joining.concat(values, axis)


def _stack(values, axis=0):
    return joining.stack(values, axis)


def _gather(params, indices, validate_indices=None, axis=None, batch_dims=0):
    return gathering.take(params, indices, axis=axis, batch_dims=batch_dims)


def _tile(input, multiples):
    return reshaping.tile(input, multiples)


def _one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None):
    rank, ragged = indices.shape.rank, indices.ragged_rank
    axis = rank if axis is None else static_int("one_hot", "axis", axis)
    if axis == -1:
        axis = rank
    if 0 <= axis <= ragged:
        raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({ragged}).")
    flat = one_hot(
        indices.flat_values, depth, on_value, off_value, axis if axis < 0 else axis - ragged, dtype
    )
    return indices.with_flat_values(flat)


def _expand_dims(input, axis):
    return reshaping.expand_dims(input, axis)


def _softmax(logits, axis=None):
    return reduction.softmax(logits, axis)


def _size(input, out_type=None):
    return reshaping.size(input, out_type)


def _shape(input, out_type=None):
    raise errors.UnimplementedError(
        errors.message(
            "shape",
            "the shape of a ragged tensor is not a vector; TensorFlow returns a "
            "`DynamicRaggedShape`.",
            received=f"{input.shape}",
            do="use `x.nrows()`, `x.row_lengths()`, or `x.bounding_shape()`, which is a vector; for "
            "`zeros(shape)` write `shims.zeros_like(x)`",
        )
    )


def _rank(input):
    return jnp.asarray(reshaping.rank_of(input), np.int32)


def _add_n(inputs):
    out = inputs[0]
    for x in inputs[1:]:
        out = map_rows("add_n", operators.add, (out, x))
    return out


_HANDLERS = {
    "_choose": _choose,
    "_positions": coordinates.where,
    "add_n": _add_n,
    "concat": _concat,
    "counts": rows.counts,
    "counts_of_some": rows.counts_of_some,
    "dynamic_partition": rows.dynamic_partition,
    "expand_dims": _expand_dims,
    "gather": _gather,
    "gather_nd": coordinates_read.gather_nd,
    "one_hot": _one_hot,
    "rank": _rank,
    "resize": rows.resize,
    "reverse": rows.reverse,
    "shape": _shape,
    "size": _size,
    "softmax": _softmax,
    "split": rows.split,
    "squeeze": coordinates_read.squeeze,
    "stack": _stack,
    "tile": _tile,
    **{
        name: functools.partial(segments.reduce, name)
        for name in (
            *("unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min"),
            *("unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum"),
        )
    },
}
