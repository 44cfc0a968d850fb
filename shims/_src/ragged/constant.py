"""Build ragged tensors from nested Python lists."""

from __future__ import annotations

import numpy as np

from shims._src.arguments.checks import static_int
from shims._src.arguments.conversion import as_array
from shims._src.array.casting import constant as dense_constant
from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor
from shims._src.tracing import text_operands
from shims._src.types.dtypes import array_dtype


@text_operands.computed
def constant(
    pylist,
    dtype=None,
    ragged_rank=None,
    inner_shape=None,
    name=None,
    row_splits_dtype=np.int64,
):
    """Build a ragged tensor from nested lists.

    Args:
      pylist: nested lists, tuples or NumPy arrays; all scalars have the same nesting depth.
      dtype: the dtype of the values.
      ragged_rank: the number of axes partitioned by row splits; all but the last when `None`.
      inner_shape: the shape of the values in the innermost rows.
      name: ignored.
      row_splits_dtype: int32 or int64.

    Returns:
      A `RaggedTensor`, or an array if no axis is ragged, as for `[1, 2]`.

    Raises:
      ValueError: the scalars differ in nesting depth, or the nesting does not match the ranks.
      TypeError: the values do not have the shape `inner_shape`.

    Differs from TensorFlow:
      Row splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      The result is a constant of the program. Strings stay on the host.

    Example:
      >>> import shims
      >>> shims.ragged.constant([[1, 2], [], [3]])
      <tf.RaggedTensor [[1, 2], [], [3]]>

    https://www.tensorflow.org/api_docs/python/tf/ragged/constant
    """
    if not isinstance(pylist, (list, tuple)) and np.ndim(pylist) == 0:
        if ragged_rank is not None and ragged_rank != 0:
            raise _ragged_rank_error(pylist, ragged_rank)
        if inner_shape is not None and inner_shape != ():
            raise ValueError(f"Invalid pylist={pylist}: incompatible with dim(inner_shape)")
        return dense_constant(pylist, dtype)
    inner_shape = None if inner_shape is None else tuple(inner_shape)
    if ragged_rank is not None:
        ragged_rank = static_int("ragged.constant", "ragged_rank", ragged_rank)
    scalar_depth, max_depth = _nesting_depths(pylist)
    _check_depths(pylist, ragged_rank, inner_shape, scalar_depth, max_depth)
    innermost = len(inner_shape or ())
    if ragged_rank == 0 or (ragged_rank is None and max_depth < 2 + innermost):
        return dense_constant(_array(pylist, dtype), shape=inner_shape)
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else _inner_shape(pylist, ragged_rank, scalar_depth)
    if ragged_rank is None:
        depth = max_depth if scalar_depth is None else scalar_depth - innermost
        ragged_rank = max(1, depth - 1)
    return _build_ragged(
        pylist, dtype, ragged_rank, inner_shape, partition.splits_dtype(row_splits_dtype)
    )


def _check_depths(pylist, ragged_rank, inner_shape, scalar_depth, max_depth):
    """Reject lists whose nesting does not match `ragged_rank` and `inner_shape`."""
    if scalar_depth is not None and scalar_depth < max_depth:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar value nesting"
        )
    if ragged_rank is None:
        return
    if ragged_rank < 0 or (scalar_depth is not None and max_depth < ragged_rank):
        raise _ragged_rank_error(pylist, ragged_rank)
    if inner_shape is None:
        return
    depth = ragged_rank + len(inner_shape) + 1
    if depth < max_depth if scalar_depth is None else depth != scalar_depth:
        raise _ragged_rank_error(pylist, ragged_rank)


def _ragged_rank_error(pylist, ragged_rank) -> ValueError:
    return ValueError(f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}")


def _is_list(value) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _nesting_depths(pylist):
    """Return the nesting depth of the scalars, `None` without scalars, and that of the deepest list."""
    if not _is_list(pylist):
        return 0, 0
    scalar, deepest = None, 1
    for item in pylist:
        inner_scalar, inner_deepest = _nesting_depths(item)
        if inner_scalar is not None:
            if scalar is not None and scalar != inner_scalar + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar = inner_scalar + 1
        deepest = max(deepest, inner_deepest + 1)
    return scalar, deepest


def _inner_shape(pylist, ragged_rank, scalar_depth):
    """Return the common shape of the values inside the ragged axes."""
    if ragged_rank < 0 or (scalar_depth is not None and ragged_rank >= scalar_depth):
        raise _ragged_rank_error(pylist, ragged_rank)
    items = [pylist]
    for _ in range(ragged_rank + 1):
        items = [x for item in items for x in item]
    shape = []
    while items and _is_list(items[0]):
        shape.append(len(items[0]))
        if any(len(item) != shape[-1] for item in items):
            raise ValueError("inner values have inconsistent shape")
        items = [x for item in items for x in item]
    return tuple(shape)


def _build_ragged(pylist, dtype, ragged_rank, inner_shape, splits_dtype):
    lengths, items = [], list(pylist)
    for _ in range(ragged_rank):
        if not all(map(_is_list, items)):
            raise _ragged_rank_error(pylist, ragged_rank)
        lengths.append([len(x) for x in items])
        items = [y for x in items for y in x]
    flat = _array(items, dtype, (len(items), *inner_shape))
    for part in reversed(lengths):
        splits = np.concatenate([[0], np.cumsum(part, dtype=np.int64)]).astype(splits_dtype)
        flat = RaggedTensor(flat, as_array(splits))
    return flat


def _array(items, dtype, shape=None):
    """Convert scalars to an array; an empty list becomes float32."""
    kind = np.asarray(items).dtype if len(items) else np.dtype(np.float32)
    if kind.kind in "SUO" or dtype is not None:
        wanted = array_dtype(kind if dtype is None else dtype, "ragged.constant")
        if len(items) and kind.kind == "f" and wanted.kind in "iub":
            raise TypeError(f"Cannot convert {items!r} to an array of dtype {wanted.name}")
        if kind.kind in "iu" and dtype is not None:
            out = dense_constant(np.asarray(items).tolist(), dtype)
        else:
            out = as_array(np.asarray(items, wanted))
    else:
        out = as_array(items)
    if shape is None:
        return out
    try:
        return out.reshape(shape)
    except TypeError:
        raise TypeError(f"Invalid pylist: values do not have the shape {shape[1:]}") from None
