"""Apply elementwise operators to ragged tensors; arrays are broadcast into the rows."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.errors import errors
from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor, is_ragged, row_total
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.text_operands import elements


def leader_of(function: str, operands) -> RaggedTensor:
    """Return the operand with the most ragged axes, whose row partition the result gets."""
    ragged = [x for x in operands if is_ragged(x)]
    leader = max(ragged, key=lambda x: x.ragged_rank)
    if any(_rank(x) != _rank(leader) for x in ragged):
        raise errors.UnimplementedError(
            errors.message(
                function,
                "ragged operands of different ranks do not broadcast.",
                required="operands of the same rank",
                received=", ".join(f"rank {_rank(x)}" for x in ragged),
                do="add axes with `shims.expand_dims`",
            )
        )
    return leader


def _rank(x) -> int:
    return x.ragged_rank + x.flat_values.ndim


def map_rows(function: str, op, operands, **options) -> RaggedTensor:
    """Apply `op` to the flat values of ragged operands; arrays are broadcast into the rows."""
    leader = leader_of(function, operands)
    flat = [flat_like(function, x, leader) for x in operands]
    return leader.with_flat_values(op(*flat, **options))


def flat_like(function: str, x, leader: RaggedTensor):
    """Broadcast an operand to the flat values of the ragged tensor `leader`."""
    if x is leader:
        return x.flat_values
    if is_ragged(x):
        if x.ragged_rank < leader.ragged_rank:
            return _align_lower_rank(function, x, leader)
        check_same_rows(function, x, leader)
        return primitives.unify_axis(x.flat_values, 0, leader.flat_values.shape[0], label=function)
    if jnp.ndim(x) == 0:
        return x
    return _broadcast_into_rows(function, operand(x, None), leader)


def _align_lower_rank(function, x, leader):
    """Broadcast an operand with fewer ragged axes to the flat values of `leader`."""
    check_same_rows(function, _outer_partition(x), _outer_partition(leader))
    inner = x.values
    if not is_ragged(inner):
        inner = primitives.unify_axis(inner, 0, row_total(leader.values), label=function)
    return flat_like(function, inner, leader.values)


def _outer_partition(x):
    return RaggedTensor(x.value_rowids(), x.row_splits)


def check_same_rows(function: str, x: RaggedTensor, y: RaggedTensor) -> None:
    """Check that two ragged tensors have equal row partitions."""
    for a, b in zip(x.nested_row_splits, y.nested_row_splits, strict=True):
        check_same_splits(function, a, b)


def check_same_splits(function: str, a, b) -> None:
    """Check that two vectors of row splits are equal."""
    if a is b:
        return
    if is_known(a.shape[0]) and is_known(b.shape[0]) and a.shape[0] != b.shape[0]:
        raise _row_count_error(function, a.shape[0] - 1, b.shape[0] - 1)
    a = primitives.unify_axis(a, 0, b.shape[0], label=function)
    checks.check_data(
        a.astype(b.dtype) != b,
        function,
        "the rows of two ragged tensors have different lengths.",
        required="equal row_splits",
    )


def _row_count_error(function, n, m):
    return checks.invalid(
        function,
        "two ragged tensors have different numbers of rows.",
        required="equal row_splits",
        received=f"{n} and {m} rows",
    )


def _broadcast_into_rows(function, x, leader):
    """Broadcast an array to the flat values of `leader`, one entry per value.

    The array has the shape `[rows or 1, 1 or a common length, ...]`.
    """
    flat = leader.flat_values
    inner = flat.ndim - 1
    if x.ndim <= inner:
        return x
    rank = leader.ragged_rank + flat.ndim
    if x.ndim > rank:
        raise checks.invalid(
            function,
            "an array has more axes than the ragged tensor.",
            required=f"rank {rank} or less",
            received=describe(x),
        )
    x = x.reshape((*(1,) * (rank - x.ndim), *x.shape))
    if not _has_size_one(x.shape[0]):
        x = primitives.unify_axis(x, 0, row_total(leader), label=function)
    level = leader
    while is_ragged(level):
        ids = level.value_rowids()
        x = _broadcast_axis_into_rows(function, x, level.row_splits, ids)
        level = level.values
    return x


def _broadcast_axis_into_rows(function, x, splits, ids):
    """Broadcast the first two axes of an array into the rows of one ragged axis.

    The shape changes from `[rows or 1, 1 or a common length, ...]` to `[values or 1, ...]`.
    """
    per_row = not _has_size_one(x.shape[0])
    if _has_size_one(x.shape[1]):
        x = x[:, 0]
        return partition.of_row(x, ids) if per_row else x
    length = primitives.as_size(x.shape[1]).astype(splits.dtype)
    checks.check_data(
        partition.lengths_of(splits) != length,
        function,
        "the row lengths of a ragged tensor do not match the size of the array's axis.",
        required="an axis of size 1, or rows whose length is the size of the axis",
        received=describe(x),
    )
    place = partition.offsets(splits, ids)
    shape = (x.shape[0] * x.shape[1], *x.shape[2:])
    return jnp.take(x.reshape(shape), ids * length + place if per_row else place, 0, mode="clip")


def _has_size_one(d) -> bool:
    return is_known(d) and d == 1


def _first_of_equal_ranks(ragged) -> RaggedTensor:
    """Return the first of the ragged arguments, whose flat values may have other ranks."""
    ranks = [x.ragged_rank for x in ragged]
    if len(set(ranks)) > 1:
        raise checks.invalid(
            "map_flat_values",
            "the ragged arguments have different ragged ranks.",
            required="equal ragged ranks",
            received=f"ragged ranks {', '.join(map(str, ranks))}",
        )
    return ragged[0]


@operator
def map_flat_values(op, *args, **kwargs):
    """Apply a function to the flat values of ragged tensors and keep their rows.

    Args:
      op: a function of arrays.
      *args: the arguments of `op`; ragged tensors are replaced by their flat values.
      **kwargs: keyword arguments of `op`, replaced likewise.

    Returns:
      A ragged tensor with the result as flat values, or the result itself if no argument is ragged.

    Raises:
      InvalidArgumentError: the rows or the ragged ranks of two ragged arguments differ, or the result does
        not have one entry per flat value.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `op` receives arrays of symbolic sizes.

    https://www.tensorflow.org/api_docs/python/tf/ragged/map_flat_values
    """
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=is_ragged)
    if not any(map(is_ragged, leaves)):
        return op(*args, **kwargs)
    leader = _first_of_equal_ranks([x for x in leaves if is_ragged(x)])
    flat = [flat_like("map_flat_values", x, leader) if is_ragged(x) else x for x in leaves]
    args, kwargs = jax.tree.unflatten(tree, flat)
    out = elements(op(*args, **kwargs))
    if out.ndim == 0:
        raise checks.invalid(
            "map_flat_values",
            "the result of `op` does not contain one entry for each flat value.",
            required="an array of at least one axis",
            received=describe(out),
        )
    return leader.with_flat_values(out)
