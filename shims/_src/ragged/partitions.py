"""Distribute elements over the rows of a ragged tensor by partition numbers."""

from __future__ import annotations

import math

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import size_of
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import sized_by


@sized_by("num_partitions")
def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Group the elements of each partition into the rows of a ragged tensor.

    Args:
      data: array.
      partitions: int32 or int64 array in the shape of the leading axes of `data`.
      num_partitions: the number of partitions.
      name: ignored.

    Returns:
      A `RaggedTensor` `[num_partitions, (n), ...]`; each row keeps the order of `data`.

    Raises:
      InvalidArgumentError: a partition number is out of range, or the shapes do not match.

    Differs from TensorFlow:
      Ragged `data` and `partitions` are rejected.

    Under jit:
      The row lengths depend on data.

    https://www.tensorflow.org/api_docs/python/tf/ragged/stack_dynamic_partitions
    """
    function = "ragged.stack_dynamic_partitions"
    data, partitions = operand(data), operand(partitions)
    checks.check_kind(function, "index", partitions)
    there = data.shape[: partitions.ndim]
    known = all(map(is_known, (*there, *partitions.shape)))
    if len(there) < partitions.ndim or (known and there != partitions.shape):
        raise checks.invalid(
            function,
            "`partitions` must match the leading axes of `data`.",
            required="partitions.shape == data.shape[:partitions.ndim]",
            received=f"data {describe(data)}, partitions {describe(partitions)}",
        )
    if not known:
        for i, d in enumerate(there):
            partitions = primitives.unify_axis(partitions, i, d, label=function)
    count = size_of(function, num_partitions)
    flat = math.prod(partitions.shape)
    data = data.reshape((flat, *data.shape[partitions.ndim :]))
    partitions = partitions.reshape((flat,))
    checks.check_positions(function, "partitions", partitions, count)
    order = jnp.argsort(partitions, stable=True)
    rows = jnp.take(partitions, order, mode="clip") if not _is_zero(flat) else partitions
    values = jnp.take(data, order, axis=0, mode="clip") if not _is_zero(flat) else data
    return RaggedTensor.from_value_rowids(values, rows, nrows=count, validate=False)


def _is_zero(d) -> bool:
    return is_known(d) and d == 0
