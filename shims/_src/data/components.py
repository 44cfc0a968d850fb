"""Cut dense, ragged and sparse components of elements into rows, stack them, and pad them."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import elements
from shims._src.data.node import Node
from shims._src.errors import errors
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sparse.tensor import SparseTensor
from shims._src.types.host_tensor import HostTensor, host


def row_count(component) -> int:
    """Return the number of rows.

    Raises:
      ValueError: the component is a scalar or has no rows.
    """
    if isinstance(component, RaggedTensor):
        return len(component.row_splits) - 1
    if isinstance(component, SparseTensor):
        return int(np.asarray(component.dense_shape)[0])
    if isinstance(component, HostTensor) and component.ndim:
        return np.ndarray.__len__(component)
    raise ValueError(
        "Unbatching a tensor is only supported for rank >= 1"
        if isinstance(component, HostTensor)
        else f"{component!r} has no rows."
    )


def rows_of(component) -> Any:
    """Return a function that gives the row at an index."""
    if isinstance(component, SparseTensor):
        return _sparse_rows(component)
    if not isinstance(component, RaggedTensor):
        return lambda i: host(np.asarray(component)[i])
    splits = np.asarray(component.row_splits)
    return lambda i: _between(component.values, int(splits[i]), int(splits[i + 1]))


def _between(values, start: int, end: int) -> Any:
    """Return consecutive rows."""
    if not isinstance(values, RaggedTensor):
        return host(np.asarray(values)[start:end])
    splits = np.asarray(values.row_splits)[start : end + 1]
    inner = _between(values.values, int(splits[0]), int(splits[-1]))
    return elements.ragged(inner, splits - splits[0])


def _sparse_rows(component: SparseTensor) -> Any:
    indices, values = np.asarray(component.indices), np.asarray(component.values)
    inner = host(np.asarray(component.dense_shape)[1:])

    def row(i: int) -> SparseTensor:
        found = indices[:, 0] == i
        return elements.sparse(host(indices[found, 1:]), host(values[found]), inner)

    return row


def stack(components: list, position: int, spec=None) -> Any:
    """Stack components of one position of consecutive elements.

    Args:
      components: at least one.
      position: the position in the flat structure, for messages.
      spec: the spec of the components, where it is known.

    Raises:
      InvalidArgumentError: they have different shapes.
    """
    first = components[0]
    if first is None or isinstance(first, Node):
        return first
    if isinstance(first, RaggedTensor) or isinstance(spec, RaggedTensorSpec):
        return stack_ragged(components)
    if isinstance(first, SparseTensor):
        return _stack_sparse(components)
    arrays = [np.asarray(c) for c in components]
    for number, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise errors.InvalidArgumentError(
                f"Cannot batch tensors with different shapes in component {position}. First element "
                f"had shape {[*arrays[0].shape]} and element {number} had shape {[*array.shape]}."
            )
        if array.dtype != arrays[0].dtype:
            raise errors.InvalidArgumentError(
                f"Cannot batch tensors with different types in component {position}. First element "
                f"had type {arrays[0].dtype} and element {number} had type {array.dtype}."
            )
    out = np.empty((len(arrays), *arrays[0].shape), arrays[0].dtype)
    for number, array in enumerate(arrays):
        out[number] = array[()]
    return host(out)


def stack_ragged(components: list) -> RaggedTensor:
    """Stack ragged tensors, or arrays of different lengths, to rows of a ragged tensor."""
    lengths = [row_count(c) for c in components]
    splits = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return elements.ragged(_concatenated(components), splits)


def _concatenated(components: list) -> Any:
    if not isinstance(components[0], RaggedTensor):
        return host(np.concatenate([np.asarray(c) for c in components]))
    lengths = [np.diff(np.asarray(c.row_splits)) for c in components]
    splits = np.concatenate([[0], np.cumsum(np.concatenate(lengths), dtype=np.int64)])
    return elements.ragged(_concatenated([c.values for c in components]), splits)


def _stack_sparse(components: list) -> SparseTensor:
    shapes = np.stack([np.asarray(c.dense_shape) for c in components])
    indices = [
        np.concatenate([np.full((len(c.indices), 1), number), np.asarray(c.indices)], axis=1)
        for number, c in enumerate(components)
    ]
    values = np.concatenate([np.asarray(c.values) for c in components])
    shape = np.concatenate([[len(components)], shapes.max(axis=0)]).astype(np.int64)
    return elements.sparse(
        host(np.concatenate(indices).astype(np.int64)), host(values), host(shape)
    )


def pad(components: list, position: int, wanted: list[int | None], value) -> HostTensor:
    """Stack arrays, each padded at the end to the wanted or else the largest size of each axis.

    Raises:
      DataLossError: an array is larger than wanted.
      InvalidArgumentError: the rank of an array is not the wanted one.
    """
    arrays = [np.asarray(c) for c in components]
    for array in arrays:
        if array.ndim != len(wanted):
            raise errors.InvalidArgumentError(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{position}: expected rank {len(wanted)} but got element with rank {array.ndim}"
            )
    sizes = [
        max(a.shape[axis] for a in arrays) if size is None else size
        for axis, size in enumerate(wanted)
    ]
    out = np.empty((len(arrays), *sizes), arrays[0].dtype)
    out[...] = np.asarray(value).astype(arrays[0].dtype) if not arrays[0].dtype.hasobject else value
    for number, array in enumerate(arrays):
        for axis, size in enumerate(sizes):
            if array.shape[axis] > size:
                raise errors.DataLossError(
                    "Attempted to pad to a smaller size than the input element."
                )
        place: Any = (number, *map(slice, array.shape))
        out[place] = array[()]
    return host(out)
