"""Compare, normalize, split and mask sparse tensors."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks, kernels
from shims._src.arguments.checks import axis_of, is_known, static_int
from shims._src.arguments.operands import matching
from shims._src.array.unique import setdiff1d
from shims._src.errors import errors
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.sizes import primitives
from shims._src.sparse import ordering
from shims._src.sparse.dense import check_inside
from shims._src.sparse.selection import kept
from shims._src.sparse.tensor import columns, dims, is_sparse, rank_of, unchecked
from shims._src.tracing import text_operands
from shims._src.tracing.sized_by import selected_by


@selected_by("sp_a", "sp_b")
def maximum(sp_a, sp_b, name=None):
    """Compute the elementwise maximum of two sparse tensors; missing values count as 0.

    Args:
      sp_a: sparse tensor of real numbers.
      sp_b: sparse tensor of the same shape and dtype.
      name: ignored.

    Returns:
      A `SparseTensor` in row-major order, with a value wherever either operand has one.

    Raises:
      InvalidArgumentError: the shapes or dtypes differ.

    Differs from TensorFlow:
      The result is differentiable, unlike TensorFlow's.

    Under jit:
      The number of values is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/maximum
    """
    return _merge("sparse.maximum", sp_a, sp_b, jnp.maximum)


@selected_by("sp_a", "sp_b")
def minimum(sp_a, sp_b, name=None):
    """Compute the elementwise minimum of two sparse tensors; missing values count as 0.

    Args:
      sp_a: sparse tensor of real numbers.
      sp_b: sparse tensor of the same shape and dtype.
      name: ignored.

    Returns:
      A `SparseTensor` in row-major order, with a value wherever either operand has one.

    Raises:
      InvalidArgumentError: the shapes or dtypes differ.

    Differs from TensorFlow:
      The result is differentiable, unlike TensorFlow's.

    Under jit:
      The number of values is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/minimum
    """
    return _merge("sparse.minimum", sp_a, sp_b, jnp.minimum)


def _merge(function: str, a, b, combine):
    values = matching(function, sp_a=a.values, sp_b=b.values)
    kernels.check_dtype(function, "real", values[0].dtype)
    if rank_of(a) != rank_of(b):
        raise checks.invalid(
            function,
            "the operands have different ranks.",
            received=f"ranks {rank_of(a)} and {rank_of(b)}",
        )
    checks.check_data(
        a.dense_shape != b.dense_shape,
        function,
        "the shapes differ.",
        required="two sparse tensors of the same shape",
    )
    indices = jnp.concatenate([a.indices, b.indices])
    if is_known(indices.shape[0]) and indices.shape[0] == 0:
        return a
    source = jnp.concatenate([jnp.full(v.shape, i, jnp.int32) for i, v in enumerate(values)])
    both = jnp.concatenate(values)
    order = ordering.order_of([*(indices[:, i] for i in range(rank_of(a))), source])
    indices, source, both = (
        jnp.take(x, order, axis=0, mode="clip") for x in (indices, source, both)
    )
    first = ordering.firsts(indices)
    kind = jnp.cumsum(first.astype(jnp.int32)) - 1
    sides = [
        jnp.zeros(both.shape, both.dtype).at[kind].add(jnp.where(source == i, both, 0))
        for i in (0, 1)
    ]
    result = combine(*sides)[kind]
    return unchecked(
        primitives.compress(indices, first), primitives.compress(result, first), a.dense_shape
    )


@selected_by("sp_input")
def softmax(sp_input, name=None):
    """Compute the softmax of the stored values of each row; missing values stay missing.

    Args:
      sp_input: sparse tensor `[..., n]` of floating-point numbers, of rank 2 or more.
      name: ignored.

    Returns:
      A `SparseTensor` with the same coordinates.

    Raises:
      InvalidArgumentError: the rank is less than 2, or the dtype is not floating-point.

    Differs from TensorFlow:
      The coordinates need not be in order; TensorFlow assigns values to wrong rows if the
      coordinates are not in order.

    Under jit:
      The number of values may be data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/softmax
    """
    values = sp_input.values
    if rank_of(sp_input) < 2 or not jnp.issubdtype(values.dtype, jnp.floating):
        raise checks.invalid(
            "sparse.softmax",
            "the operand does not have rows of floating-point numbers.",
            required="floating-point numbers, rank 2 or more",
            received=f"{values.dtype.name}, rank {rank_of(sp_input)}",
        )
    sizes = dims("sparse.softmax", sp_input)
    check_inside("sparse.softmax", sp_input, sizes)
    row, count = jnp.zeros(values.shape, jnp.int32), 1
    for d, place in zip(sizes[:-1], columns(sp_input), strict=False):
        row = row * primitives.as_size(d) + place.astype(jnp.int32)
        count = count * d
    if is_known(count) and count == 0:
        return sp_input
    fixed = jax.lax.stop_gradient(values)
    largest = jnp.full((count,), -np.inf, values.dtype).at[row].max(fixed, mode="drop")
    powers = jnp.exp(values - largest.at[row].get(mode="clip"))
    sums = jnp.zeros((count,), values.dtype).at[row].add(powers, mode="drop")
    return sp_input.with_values(powers / sums.at[row].get(mode="clip"))


@text_operands.computed
def split(sp_input=None, num_split=None, axis=None, name=None):
    """Split a sparse tensor along an axis; the first parts are larger if the axis does not divide evenly.

    Args:
      sp_input: sparse tensor.
      num_split: the number of parts, a Python int.
      axis: the axis to split.
      name: ignored.

    Returns:
      A list of `SparseTensor`s.

    Raises:
      ValueError: an argument is missing.
      TypeError: `sp_input` is not sparse.
      InvalidArgumentError: there is no such axis, or its size is less than `num_split`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The numbers of values are data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/split
    """
    for argument, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{argument} is required")
    if not is_sparse(sp_input):
        raise TypeError(f"sparse.split: expected a SparseTensor, got {type(sp_input).__name__}.")
    return _split(sp_input, static_int("sparse.split", "num_split", num_split), axis)


@selected_by("sp")
def _split(sp, number: int, axis):
    axis = axis_of("sparse.split", axis, rank_of(sp))
    size = sp.dense_shape[axis]
    checks.check_data(
        (size < number) | (number < 1),
        "sparse.split",
        "`num_split` exceeds the size of the axis.",
        required="1 <= num_split <= the size of the axis",
    )
    whole, rest = size // max(number, 1), size % max(number, 1)
    unit = jnp.arange(rank_of(sp)) == axis
    parts = []
    for i in range(number):
        start = whole * i + jnp.minimum(rest, i)
        length = whole + (i < rest).astype(whole.dtype)
        place = sp.indices[:, axis]
        part = kept(sp, (place >= start) & (place < start + length))
        shape = jnp.where(unit, length, sp.dense_shape)
        parts.append(unchecked(part.indices - jnp.where(unit, start, 0), part.values, shape))
    return parts


@selected_by("a", "mask_indices")
def mask(a, mask_indices, name=None):
    """Remove the slices of an `IndexedSlices` at given positions.

    Args:
      a: `IndexedSlices`.
      mask_indices: integer vector of the positions to remove.
      name: ignored.

    Returns:
      An `IndexedSlices` of the remaining slices, in their order.

    Raises:
      InvalidArgumentError: the dtype of the positions differs.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of slices is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/mask
    """
    indices, places = setdiff1d(a.indices, mask_indices)
    values = primitives.take(a.values, places, 0)
    return IndexedSlices(values, indices, a.dense_shape)


def cross(inputs, name=None, separator=None):
    """Raise `UnimplementedError`: feature crosses are strings, which JAX does not support.

    Raises:
      UnimplementedError: always; the message names the alternative.

    https://www.tensorflow.org/api_docs/python/tf/sparse/cross
    """
    raise errors.UnimplementedError(
        errors.message(
            "sparse.cross",
            "the operator returns strings, which JAX does not support.",
            do="number the features, and hash the combinations: `shims.sparse.cross_hashed`",
        )
    )
