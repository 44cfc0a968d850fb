"""Reverse, split, partition, count and resize rows of ragged tensors."""

from __future__ import annotations

import itertools

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array import joining
from shims._src.array.shapes import sizes_of
from shims._src.errors import errors
from shims._src.image import sampling
from shims._src.math import histogram
from shims._src.ragged import gathering, partition
from shims._src.ragged.elementwise import check_same_rows
from shims._src.ragged.reshaping import rank_of
from shims._src.ragged.tensor import is_ragged, row_total
from shims._src.sizes import primitives


def reverse(tensor, axis):
    """Implement `tf.reverse` for a ragged tensor."""
    if not isinstance(axis, (list, tuple)):
        axis = np.asarray(axis).tolist()
    axes = {axis_of("reverse", a, rank_of(tensor)) for a in axis}
    turned = slice(None, None, -1)
    return tensor[tuple(turned if i in axes else slice(None) for i in range(max(axes) + 1))]


def split(value, num_or_size_splits, axis=0, num=None):
    """Implement `tf.split` of a ragged tensor along rows (of known number) or inner axes.

    Raises:
      InvalidArgumentError: the axis is ragged, or the rows do not divide evenly.
      UnimplementedError: the number of rows is known only at run time.
    """
    axis = axis_of("split", axis, rank_of(value))
    if axis > value.ragged_rank:
        inner = axis - value.ragged_rank
        parts = joining.split(value.flat_values, num_or_size_splits, inner, num)
        return [value.with_flat_values(part) for part in parts]
    if axis:
        raise checks.invalid("split", "a ragged axis cannot be split.", received=f"axis={axis}")
    rows, sizes = row_total(value), num_or_size_splits
    if not is_known(rows):
        raise _unknown_rows_error("split")
    if np.ndim(sizes) == 0:
        count = checks.static_int("split", "num_or_size_splits", sizes)
        if count < 1 or rows % count:
            raise checks.invalid(
                "split", f"the {rows} rows cannot be divided into {count} equal parts."
            )
        sizes = [rows // count] * count
    sizes = [checks.static_int("split", "num_or_size_splits", s) for s in sizes]
    if sum(sizes) != rows or min(sizes) < 0:
        raise checks.invalid(
            "split", f"the {rows} rows cannot be divided into parts of the sizes {sizes}."
        )
    ends = [0, *itertools.accumulate(sizes)]
    return [value[a:b] for a, b in itertools.pairwise(ends)]


def dynamic_partition(data, partitions, num_partitions):
    """Implement `tf.dynamic_partition` of the rows of a ragged tensor."""
    partitions = operand(partitions)
    if partitions.ndim != 1:
        raise errors.UnimplementedError(
            errors.message(
                "dynamic_partition",
                "a ragged tensor can be partitioned only by rows.",
                required="a vector of partitions",
                received=f"partitions {describe(partitions)}",
            )
        )
    count = checks.static_int("dynamic_partition", "num_partitions", num_partitions)
    checks.check_positions("dynamic_partition", "partitions", partitions, count)
    rows = partition.row_count(data.row_splits)
    partitions = primitives.unify_axis(partitions, 0, rows, label="dynamic_partition")
    return [gathering.kept_rows(data, partitions == i) for i in range(count)]


def resize(images, size, *args, **kwargs):
    """Implement `tf.image.resize` of a known number of images of different sizes."""
    rows = row_total(images)
    if rank_of(images) != 4:
        raise checks.invalid(
            "resize",
            "ragged images must be a batch.",
            required="[batch, (height), (width), channels]",
            received=f"rank {rank_of(images)}",
        )
    if not is_known(rows):
        raise _unknown_rows_error("resize")
    each = (images[i] for i in range(rows))
    dense = [image.to_tensor() if is_ragged(image) else image for image in each]
    if dense:
        return jnp.stack([sampling.resize(image, size, *args, **kwargs) for image in dense])
    height, width = sizes_of("resize", size)
    return jnp.zeros((0, height, width, images.flat_values.shape[-1]), jnp.float32)


def _unknown_rows_error(function):
    return errors.UnimplementedError(
        errors.message(
            function,
            "the number of rows is known only at run time.",
            required="a ragged tensor with a known number of rows",
        )
    )


def counts_of_some(arr, weights, minlength, maxlength, dtype, by_row, binary):
    """Implement `tf.math.bincount` of a ragged tensor; the result has a data-dependent length."""
    arr, weights, rows = _flatten_counts(arr, weights, by_row)
    return histogram.counts_of_some(
        arr, weights, minlength, maxlength, dtype, False, binary, **rows
    )


def counts(arr, weights, length, dtype, by_row, binary):
    """Implement `tf.math.bincount` of a ragged tensor; the result has a given length."""
    arr, weights, rows = _flatten_counts(arr, weights, by_row)
    return histogram.counts(arr, weights, length, dtype, False, binary, **rows)


def _flatten_counts(arr, weights, by_row):
    if weights is not None:
        if not (is_ragged(arr) and is_ragged(weights)):
            raise ValueError("bincount: `arr` and `weights` must both be ragged.")
        check_same_rows("bincount", arr, weights)
        weights = weights.flat_values
    if not by_row:
        return arr.flat_values, weights, {}
    if rank_of(arr) != 2:
        raise checks.invalid(
            "bincount", "`axis=-1` accepts only vectors and matrices.", required="rank <= 2"
        )
    rows = partition.row_count(arr.row_splits)
    return arr.values, weights, {"rows": arr.value_rowids(), "count": rows}
