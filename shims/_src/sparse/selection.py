"""Select, slice, concatenate, transpose and reshape sparse tensors."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known, static_int
from shims._src.arguments.operands import describe, operand
from shims._src.array import joining as arrays
from shims._src.array.shapes import dims_of
from shims._src.errors import errors
from shims._src.sizes import primitives
from shims._src.sparse.ordering import order_of, permuted, sorted_entries
from shims._src.sparse.tensor import (
    SparseTensor,
    columns,
    coordinates,
    dims,
    of_constants,
    rank_of,
    unchecked,
)
from shims._src.tracing import text_operands
from shims._src.tracing.sized_by import selected_by


def kept(sp: SparseTensor, mask) -> SparseTensor:
    """Return the entries of a sparse tensor that a boolean vector selects."""
    indices = primitives.compress(sp.indices, mask)
    return unchecked(indices, primitives.compress(sp.values, mask), sp.dense_shape)


@selected_by("to_retain")
def retain(sp_input, to_retain):
    """Select the entries where a boolean vector is True.

    Args:
      sp_input: sparse tensor.
      to_retain: bools, one per value.

    Returns:
      A `SparseTensor` of the same shape.

    Raises:
      InvalidArgumentError: the numbers of bools and values differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/retain
    """
    mask = operand(to_retain)
    have, need = mask.shape[0], sp_input.values.shape[0]
    if is_known(have) and is_known(need) and have != need:
        raise checks.invalid(
            "retain", f"the mask has length {have}, but the number of values is {need}."
        )
    return kept(sp_input, primitives.unify_axis(mask, 0, need, label="retain"))


@selected_by("sp_input", "start", "size")
def slice(sp_input, start, size, name=None):
    """Slice a sparse tensor.

    Args:
      sp_input: sparse tensor.
      start: the start of the slice, one number per axis.
      size: the size of the slice; the slice is clipped to the tensor.
      name: ignored.

    Returns:
      A `SparseTensor`.

    Raises:
      InvalidArgumentError: `start` or `size` is not a vector with one number per axis, or a size
        is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/slice
    """
    start, size = coordinates("start", start), coordinates("size", size)
    for name, given in (("start", start), ("size", size)):
        if given.ndim != 1 or (is_known(given.shape[0]) and given.shape[0] != rank_of(sp_input)):
            raise checks.invalid(
                "sparse.slice",
                f"`{name}` must contain one number for each axis.",
                required=f"[{rank_of(sp_input)}]",
                received=describe(given),
            )
    checks.check_data(size < 0, "sparse.slice", "a size is negative.", required="size >= 0")
    inside = (sp_input.indices >= start) & (sp_input.indices < start + size)
    out = kept(sp_input, jnp.all(inside, axis=1))
    with of_constants(start, size, sp_input.dense_shape):
        shape = jnp.maximum(jnp.minimum(size, sp_input.dense_shape - start), 0)
    return unchecked(out.indices - start, out.values, shape)


@text_operands.computed
def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """Concatenate sparse tensors along an axis.

    Args:
      axis: the axis to concatenate along.
      sp_inputs: list of sparse tensors of the same rank.
      expand_nonconcat_dims: whether the sizes along the other axes may differ; the largest size is used.
      name: ignored.

    Returns:
      A `SparseTensor` in row-major order; a single operand is returned unchanged.

    Raises:
      InvalidArgumentError: the ranks or the other sizes differ.
      DtypeMismatchError: the dtypes differ.

    Differs from TensorFlow:
      Nothing. Like TensorFlow's function, this function has no gradient.

    Under jit:
      The number of values is the sum over the operands.

    https://www.tensorflow.org/api_docs/python/tf/sparse/concat
    """
    parts = [sp_inputs] if isinstance(sp_inputs, SparseTensor) else list(sp_inputs)
    if len(parts) == 1:
        return parts[0]
    return _concat(static_int("sparse.concat", "axis", axis), parts, expand_nonconcat_dims)


@selected_by("parts")
def _concat(axis, parts, expand):
    rank = rank_of(parts[0])
    if any(rank_of(p) != rank for p in parts):
        raise checks.invalid("sparse.concat", "the operands have different ranks.")
    axis = axis_of("sparse.concat", axis, rank)
    unit = jnp.arange(rank) == axis
    shape = parts[0].dense_shape
    indices = [parts[0].indices]
    for p in parts[1:]:
        if not expand:
            checks.check_data(
                (p.dense_shape != parts[0].dense_shape) & ~unit,
                "sparse.concat",
                "sizes differ along an axis other than `axis`.",
                required=f"equal sizes except along axis {axis}",
            )
        indices.append(p.indices + jnp.where(unit, shape, 0))
        with of_constants(shape, p.dense_shape):
            total = shape + p.dense_shape
            shape = jnp.where(np.arange(rank) == axis, total, jnp.maximum(shape, p.dense_shape))
    values = lax.stop_gradient(arrays.concat([p.values for p in parts], 0))
    return sorted_entries(unchecked(jnp.concatenate(indices), values, shape))


@selected_by("sp_input", "default_value")
def fill_empty_rows(sp_input, default_value, name=None):
    """Add a default entry to each empty row.

    Args:
      sp_input: sparse tensor.
      default_value: the value to insert in column 0 of an empty row.
      name: ignored.

    Returns:
      `(SparseTensor, bools)`: the entries ordered by row, and which rows were empty.

    Raises:
      InvalidArgumentError: a row number is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of values is data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/sparse/fill_empty_rows
    """
    default = operand(default_value, sp_input.dtype)
    rows = dims("fill_empty_rows", sp_input)[0]
    row = sp_input.indices[:, 0]
    checks.check_positions("fill_empty_rows", "indices[:, 0]", row, rows)
    is_empty = ~jnp.zeros((rows,), bool).at[row].set(True, mode="drop")
    empty = primitives.compress(jnp.arange(rows, dtype=row.dtype), is_empty)
    more = jnp.where(jnp.arange(rank_of(sp_input)) == 0, empty[:, None], 0).astype(row.dtype)
    indices = jnp.concatenate([sp_input.indices, more])
    values = jnp.concatenate([sp_input.values, jnp.broadcast_to(default, (empty.shape[0],))])
    whole = unchecked(indices, values, sp_input.dense_shape)
    return permuted(whole, order_of([indices[:, 0]])), is_empty


@text_operands.computed
def expand_dims(sp_input, axis=None, name=None):
    """Insert an axis of size 1.

    Args:
      sp_input: sparse tensor.
      axis: the position of the new axis; the end when `None`.
      name: ignored.

    Returns:
      A `SparseTensor`.

    Raises:
      ValueError: `axis` is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Adds a column of zeros to the indices.

    https://www.tensorflow.org/api_docs/python/tf/sparse/expand_dims
    """
    rank = rank_of(sp_input)
    axis = axis_of("sparse.expand_dims", -1 if axis is None else axis, rank + 1)
    indices, shape = sp_input.indices, sp_input.dense_shape
    zero = jnp.zeros((indices.shape[0], 1), indices.dtype)
    indices = jnp.concatenate([indices[:, :axis], zero, indices[:, axis:]], axis=1)
    with of_constants(shape):
        shape = jnp.concatenate([shape[:axis], jnp.ones((1,), shape.dtype), shape[axis:]])
    return unchecked(indices, sp_input.values, shape)


@text_operands.computed
def transpose(sp_input, perm=None, name=None):
    """Permute the axes.

    Args:
      sp_input: sparse tensor.
      perm: the axes in their new order; reversed when `None`.
      name: ignored.

    Returns:
      A `SparseTensor` in row-major order.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sorts the coordinates.

    https://www.tensorflow.org/api_docs/python/tf/sparse/transpose
    """
    rank = rank_of(sp_input)
    axes = list(reversed(range(rank))) if perm is None else perm
    with of_constants(axes, sp_input.dense_shape):
        order = operand(axes).astype(jnp.int32)
        wrong = jnp.sort(order) != jnp.arange(rank) if order.shape == (rank,) else jnp.array(True)
        checks.check_data(
            wrong,
            "sparse.transpose",
            "`perm` is not a permutation of the axes.",
            required=f"{rank} axes",
        )
        shape = jnp.take(sp_input.dense_shape, order)
    return sorted_entries(
        unchecked(jnp.take(sp_input.indices, order, axis=1), sp_input.values, shape)
    )


@selected_by("sp_input", "shape")
def reshape(sp_input, shape, name=None):
    """Reshape a sparse tensor, keeping the row-major order of its entries.

    Args:
      sp_input: sparse tensor.
      shape: the new shape; one size may be -1.
      name: ignored.

    Returns:
      A `SparseTensor`.

    Raises:
      InvalidArgumentError: the numbers of elements differ.

    Differs from TensorFlow:
      Without `jax_enable_x64` a dense tensor of 2**31 elements or more is rejected.

    Under jit:
      The shape may be traced.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reshape
    """
    have, dtype = sp_input.dense_shape, sp_input.dense_shape.dtype
    wanted = dims_of("sparse.reshape", shape)
    with of_constants(have, wanted):
        sizes = _new_sizes(have, wanted)
    place = jnp.zeros((sp_input.indices.shape[0],), dtype)
    for i, column in enumerate(columns(sp_input)):
        place = place * have[i] + column
    out = []
    for s in reversed(sizes):
        out.append(lax.rem(place, jnp.broadcast_to(jnp.maximum(s, 1), place.shape)))
        place = lax.div(place, jnp.broadcast_to(jnp.maximum(s, 1), place.shape))
    with of_constants(sizes):
        new_shape = jnp.stack(sizes)
    return unchecked(jnp.stack(out[::-1], 1), sp_input.values, new_shape)


def _new_sizes(have, wanted) -> list:
    """Return the sizes of the new shape, with a size of -1 inferred."""
    dtype = have.dtype
    unknown = [i for i, d in enumerate(wanted) if is_known(d) and d == -1]
    if len(unknown) > 1:
        raise checks.invalid("sparse.reshape", "`shape` has more than one -1.")
    _check_countable(have)
    total = jnp.prod(have)
    sizes = [primitives.as_size(d).astype(dtype) for d in wanted]
    if unknown:
        rest = jnp.asarray(1, dtype)
        for i, s in enumerate(sizes):
            rest = rest * s if i not in unknown else rest
        checks.check_data(
            rest == 0,
            "sparse.reshape",
            "-1 cannot be inferred if another size is 0.",
            required="sizes above 0 in addition to -1",
        )
        sizes[unknown[0]] = total // jnp.maximum(rest, 1)
    count = jnp.asarray(1, dtype)
    for s in sizes:
        count = count * s
    checks.check_data(
        count != total,
        "sparse.reshape",
        "the shapes have different numbers of elements.",
        required="equal products of sizes",
    )
    return sizes


def _check_countable(shape):
    """Check that the number of elements fits 32 bits, if 64-bit types are off."""
    if shape.dtype.itemsize < 8:
        elements = jnp.prod(shape.astype(jnp.float32))
        if checks.jp.is_tracer(elements):
            checks.check_data(elements >= 2.0**31, "sparse.reshape", "too many elements.")
        elif elements >= 2.0**31:
            raise errors.UnimplementedError(
                errors.message(
                    "sparse.reshape",
                    "the dense tensor has too many elements to count in 32 bits.",
                    do="turn on `jax_enable_x64`",
                )
            )


@selected_by("sp_input", "new_shape")
def reset_shape(sp_input, new_shape=None):
    """Enlarge the dense shape, or shrink it to the bounding box of the entries.

    Args:
      sp_input: sparse tensor.
      new_shape: the new shape, not smaller than the current one; the bounding box of the entries when `None`.

    Returns:
      A `SparseTensor`.

    Raises:
      InvalidArgumentError: `new_shape` is smaller than the shape of the sparse tensor.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The shape may be traced.

    https://www.tensorflow.org/api_docs/python/tf/sparse/reset_shape
    """
    old = sp_input.dense_shape
    if new_shape is None:
        shape = jnp.max(sp_input.indices, axis=0, initial=-1) + 1
    else:
        shape = coordinates("new_shape", new_shape)
        if shape.shape != old.shape:
            raise ValueError("`new_shape` and the sparse tensor have different ranks.")
        checks.check_data(
            shape < old,
            "reset_shape",
            "`new_shape` is smaller than the shape of the sparse tensor.",
            required="new_shape >= shape",
        )
    return unchecked(sp_input.indices, sp_input.values, shape)


def map_values(op, *args, **kwargs):
    """Apply a function to the values of sparse tensors and keep their coordinates.

    Args:
      op: a function of arrays.
      *args: the arguments of `op`; sparse tensors are replaced by their values.
      **kwargs: keyword arguments of `op`, replaced likewise.

    Returns:
      A `SparseTensor`.

    Raises:
      ValueError: no argument is sparse.
      InvalidArgumentError: the coordinates of two sparse arguments differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `op` receives vectors of symbolic size.

    https://www.tensorflow.org/api_docs/python/tf/sparse/map_values
    """
    import jax

    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=lambda x: isinstance(x, SparseTensor))
    sparse = [x for x in leaves if isinstance(x, SparseTensor)]
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in sparse[1:]:
        same = primitives.unify_axis(
            other.indices, 0, sparse[0].indices.shape[0], label="map_values"
        )
        checks.check_data(same != sparse[0].indices, "map_values", "the coordinates differ.")
    plain = [x.values if isinstance(x, SparseTensor) else x for x in leaves]
    args, kwargs = jax.tree.unflatten(tree, plain)
    return sparse[0].with_values(op(*args, **kwargs))
