"""Concatenate and stack ragged tensors."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of
from shims._src.arguments.operands import operand
from shims._src.array import joining as arrays
from shims._src.ragged import dense, partition
from shims._src.ragged.elementwise import check_same_rows
from shims._src.ragged.gathering import entries
from shims._src.ragged.reshaping import expand_dims, rank_of
from shims._src.ragged.tensor import RaggedTensor, is_ragged, row_total
from shims._src.sizes import primitives
from shims._src.tracing import text_operands


def concat(values, axis):
    """Implement `tf.concat` for operands of which at least one is ragged."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    values = [v if is_ragged(v) else operand(v) for v in values]
    rank = rank_of(values[0])
    if any(rank_of(v) != rank for v in values):
        raise checks.invalid(
            "concat",
            "the operands have different ranks.",
            required="operands of the same rank",
            received=", ".join(str(rank_of(v)) for v in values),
        )
    return _concat(values, axis_of("concat", axis, rank))


def _concat(values, axis):
    if len(values) == 1:
        return values[0]
    if not any(map(is_ragged, values)):
        return arrays.concat(values, axis)
    ragged = [v for v in values if is_ragged(v)]
    depth, dtype = max(v.ragged_rank for v in ragged), ragged[0].row_splits.dtype
    values = [dense.as_ragged(v, depth, dtype) for v in values]
    if axis == 0:
        return _concat_rows(values)
    if axis == 1:
        return _concat_within_rows(values)
    for v in values[1:]:
        check_same_rows("concat", _outer_partition(v), _outer_partition(values[0]))
    return values[0].with_values(_concat([v.values for v in values], axis - 1))


def _outer_partition(rt):
    return RaggedTensor(rt.value_rowids(), rt.row_splits)


def _concat_rows(values):
    lengths = jnp.concatenate([v.row_lengths() for v in values])
    inner = _concat([v.values for v in values], 0)
    return RaggedTensor(inner, partition.from_lengths(lengths))


def _concat_within_rows(values):
    """Concatenate along axis 1: row `i` of the result joins row `i` of all operands."""
    for v in values[1:]:
        if row_total(v) is not row_total(values[0]):
            _check_row_count(v, values[0])
    lengths = [v.row_lengths() for v in values]
    splits = partition.from_lengths(sum(lengths[1:], lengths[0]))
    before = jnp.zeros_like(lengths[0])
    targets = []
    for v, own in zip(values, lengths, strict=True):
        ids = v.value_rowids()
        start = partition.of_row(splits[:-1] + before, ids)
        targets.append(start + partition.offsets(v.row_splits, ids))
        before = before + own
    target = jnp.concatenate(targets)
    places = jnp.arange(target.shape[0], dtype=jnp.int32)
    source = jnp.zeros_like(places).at[target].set(places, mode="drop")
    below = _concat([v.values for v in values], 0)
    return RaggedTensor(entries(below, source, times=1), splits)


def _check_row_count(x, y):
    have, need = row_total(x), row_total(y)
    primitives.unify_axis(jnp.arange(have), 0, need, label="concat")


def stack(values, axis=0):
    """Implement `tf.stack` and `tf.ragged.stack` for ragged operands or a ragged result."""
    values = [v if is_ragged(v) else operand(v) for v in values]
    if not values:
        raise checks.invalid("stack", "`values` is empty.", required="at least one value")
    rank = rank_of(values[0])
    if any(rank_of(v) != rank for v in values):
        raise checks.invalid(
            "stack", "the operands have different ranks.", required="operands of the same rank"
        )
    axis = axis_of("stack", axis, rank + 1)
    dtype = next((v.row_splits.dtype for v in values if is_ragged(v)), partition.splits_dtype())
    if rank == 0:
        return arrays.stack(values, axis)
    if not any(map(is_ragged, values)):
        if rank == 1 and axis == 0:
            dtype = np.dtype(np.int32)  # the lengths are shapes, and TensorFlow's shapes are int32
        if rank > 1 and axis >= rank - 1:
            return arrays.stack(values, axis)
        if rank > 1:
            values = [dense.as_ragged(v, 1, dtype) for v in values]
    expanded = [
        expand_dims(v, axis)
        if is_ragged(v)
        else dense.as_ragged(jnp.expand_dims(v, axis), 1, dtype)
        for v in values
    ]
    return _concat(expanded, axis)


@text_operands.computed
def ragged_stack(values, axis=0, name=None):
    """Stack arrays and ragged tensors along a new axis; their sizes may differ.

    Args:
      values: list of arrays or ragged tensors of the same rank and dtype.
      axis: the position of the new axis.
      name: ignored.

    Returns:
      A `RaggedTensor` with one more axis.

    Raises:
      InvalidArgumentError: ranks or dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values is the sum over the operands; this sum may be known only at run time.

    Example:
      >>> import shims
      >>> shims.ragged.stack([[1, 2], [3]])
      <tf.RaggedTensor [[1, 2], [3]]>

    https://www.tensorflow.org/api_docs/python/tf/ragged/stack
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    return stack(values, axis)
