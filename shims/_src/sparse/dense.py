"""Convert between sparse tensors and arrays."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array import select, shapes
from shims._src.array.casting import convert
from shims._src.array.scatter import placed
from shims._src.sizes import primitives
from shims._src.sparse.ordering import compared
from shims._src.sparse.tensor import SparseTensor, columns, dims, rank_of, unchecked
from shims._src.tracing.sized_by import selected_by
from shims._src.types.dtypes import array_dtype


@selected_by("tensor")
def from_dense(tensor, name=None):
    """Convert an array to a sparse tensor of its nonzero elements.

    Args:
      tensor: array.
      name: ignored.

    Returns:
      A `SparseTensor` in row-major order.

    Differs from TensorFlow:
      Coordinates are int32 unless `jax_enable_x64` is on.

    Under jit:
      The number of values is data-dependent.

    Example:
      >>> import shims
      >>> shims.sparse.from_dense([0, 7, 0, 5]).values.tolist()
      [7, 5]

    https://www.tensorflow.org/api_docs/python/tf/sparse/from_dense
    """
    x = operand(tensor)
    indices = select.where(x != 0)
    values = x.at[tuple(indices[:, i] for i in range(x.ndim))].get(mode="clip") if x.ndim else None
    if values is None:
        values = jnp.broadcast_to(x, (indices.shape[0],))
    elif is_known(indices.shape[0]) and indices.shape[0] == 0:
        values = primitives.connected(values, x)
    return unchecked(indices, values, shapes.shape(x, np.int64))


def check_inside(function: str, sp: SparseTensor, sizes) -> None:
    """Check that coordinates lie inside the dense shape."""
    for i, column in enumerate(columns(sp)):
        checks.check_positions(function, f"indices[:, {i}]", column, sizes[i])


def check_order(function: str, sp: SparseTensor) -> None:
    """Check that coordinates are in row-major order without repeats."""
    if is_known(sp.indices.shape[0]) and sp.indices.shape[0] < 2:
        return
    falls, repeats = compared(sp.indices)
    checks.check_data(
        falls,
        function,
        "the indices are out of order.",
        required="indices in row-major order: use `shims.sparse.reorder`",
    )
    checks.check_data(
        repeats, function, "an index is repeated.", required="each coordinate at most once"
    )


@selected_by("sp_input")
def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """Convert a sparse tensor to an array.

    Args:
      sp_input: sparse tensor.
      default_value: the value of all other elements; 0 when `None`.
      validate_indices: whether to check that the coordinates are in order and that none is repeated.
      name: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: a coordinate is out of range, out of order or repeated.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The dense shape may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.sparse.to_dense(shims.SparseTensor([[0, 1]], [5], [2, 2])))
      [[0 5]
       [0 0]]

    https://www.tensorflow.org/api_docs/python/tf/sparse/to_dense
    """
    sizes = dims("to_dense", sp_input)
    check_inside("to_dense", sp_input, sizes)
    if validate_indices:
        check_order("to_dense", sp_input)
    dtype = sp_input.dtype
    default = jnp.zeros((), dtype) if default_value is None else operand(default_value, dtype)
    if default.ndim:
        raise checks.invalid(
            "to_dense", "`default_value` must be a scalar.", received=describe(default)
        )
    if not rank_of(sp_input):
        return default
    out = jnp.broadcast_to(default, sizes)
    values = sp_input.values
    if is_known(values.shape[0]) and values.shape[0] == 0:
        return primitives.connected(out, values)
    return placed(out, tuple(columns(sp_input)), values)


@selected_by("sp_input", "vocab_size")
def to_indicator(sp_input, vocab_size, name=None):
    """Build a boolean array that marks which integers occur in each row.

    Args:
      sp_input: sparse tensor of integers; other numbers are truncated.
      vocab_size: the size of the last axis of the result.
      name: ignored.

    Returns:
      An array of shape `dense_shape[:-1] + [vocab_size]`.

    Raises:
      InvalidArgumentError: a value is not in `[0, vocab_size)`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `vocab_size` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/sparse/to_indicator
    """
    values = sp_input.values
    if not jnp.issubdtype(values.dtype, jnp.integer):
        values = convert(values, array_dtype(np.int64, "to_indicator"))
    size = shapes.size_of("to_indicator", vocab_size)
    checks.check_positions("to_indicator", "values", values, size)
    shape = (*dims("to_indicator", sp_input)[:-1], size)
    place = (*columns(sp_input)[:-1], values)
    return jnp.zeros(shape, bool).at[place].set(True, mode="drop")
