"""Provide `constant` and `convert_to_tensor` for graphs."""

from __future__ import annotations

import numpy as np

from shims._src.array import casting, joining
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.types.composite import is_composite
from shims._src.types.dimension import Dimension
from shims._src.types.dtypes import as_dtype
from shims._src.types.dtypes import string as string_dtype
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor, is_graph_value
from shims._src.v1.graph.shapes import GraphShape

_stack = deferred(joining.stack, "stack")
_NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32}


def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """Create a constant tensor.

    Args:
      value: a number, a string, a nested list of these, or a NumPy array.
      dtype: the dtype; if `None`, TensorFlow's default for Python numbers.
      shape: the shape; a value with fewer elements is padded with its last element.
      name: the name of the operation.
      verify_shape: whether to raise an error if the value has a different shape.

    Returns:
      The tensor.

    Raises:
      TypeError, ValueError: the value cannot have this dtype or shape.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/constant
    """
    if executing_eagerly():
        return casting.constant(value, dtype, shape)
    array = _as_array(value, dtype)
    if shape is not None:
        array = _fill_to_shape(array, GraphShape(shape).as_list(), verify_shape)
    graph = get_default_graph()
    return constant_of(graph, array, _unique_name(graph, name or "Const"))


def constant_of(graph, array: np.ndarray, name: str) -> Tensor:
    """Add a constant operation to a graph and return its tensor; `name` must already be unique."""
    array.setflags(write=False)

    def compute(run, op, values):
        del run, op, values
        return [array]

    dtype = string_dtype if array.dtype.kind == "O" else as_dtype(array.dtype)
    op = Operation(
        graph, "Const", name, compute, (), [(array.shape, dtype)], graph.present_control_inputs()
    )
    op.attributes.update(pure=True, value=array)
    op.on_host = array.dtype.kind == "O"
    op.links = (frozenset(),)
    return op.outputs[0]


def convert_to_tensor(
    value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None
) -> Tensor:
    """Convert a tensor, a variable, numbers, or nested lists of these to a tensor.

    Raises:
      ValueError: a tensor has a different dtype.
      TypeError, ValueError: numbers cannot have this dtype.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/convert_to_tensor
    """
    if executing_eagerly():
        return casting.convert_to_tensor(value, dtype)
    value = getattr(value, "graph_value", value)
    if is_composite(value):
        value = _densify(value)
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype != as_dtype(dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        kind = dtype or next(_dtypes_in(value))
        return _stack([convert_to_tensor(v, kind) for v in value], name=name or "packed")
    if dtype is None:
        dtype = preferred_dtype if preferred_dtype is not None else dtype_hint
    if isinstance(value, GraphShape):
        value = np.asarray(value.as_list(), np.int32) if dtype is None else value.as_list()
    if isinstance(value, Dimension):
        value = value.value
    graph = get_default_graph()
    return constant_of(graph, _as_array(value, dtype), _unique_name(graph, name or "Const"))


def _densify(value) -> Tensor:
    """Convert `IndexedSlices` to a dense tensor; reject sparse tensors and other values."""
    if not isinstance(value, IndexedSlices):
        raise TypeError(f"Failed to convert {type(value).__name__} to Tensor: {value!r}")
    return value.to_dense()


def _unique_name(graph, name: str) -> str:
    return name[:-1] if name.endswith("/") else graph.unique_name(name)


def _holds_tensor(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensor, value))
    return is_graph_value(value)


def _dtypes_in(value):
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _dtypes_in(v)
    elif is_graph_value(value):
        yield value.dtype


def _as_array(value, dtype) -> np.ndarray:
    """Convert a value to a NumPy array; Python numbers get TensorFlow's default dtypes."""
    if hasattr(value, "__jax_array__"):
        value = value.__jax_array__()
    if value is None:
        raise ValueError("None values not supported.")
    array = np.array(value)
    if array.dtype.kind in "USO":
        return _as_string_array(value, dtype)
    has_dtype = isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "addressable_shards")
    if dtype is None:
        return array if has_dtype else _narrow_to_32_bits(array)
    wanted = as_dtype(dtype)
    fits = np.can_cast(array.dtype, wanted.dtype, "same_kind") or array.dtype.kind in "iu"
    if not has_dtype and array.size and not fits:
        raise TypeError(
            f"Expected {wanted.name}, but got {value!r} of type '{type(value).__name__}'."
        )
    return array.astype(wanted.dtype)


def _as_string_array(value, dtype) -> np.ndarray:
    """Convert strings to an object array of bytes."""
    if dtype is not None and as_dtype(dtype).name != "string":
        raise TypeError(f"Cannot convert {value!r} to a tensor of dtype {as_dtype(dtype).name}")
    array = np.array(value, object)
    flat = [v.encode() if isinstance(v, str) else v for v in array.ravel().tolist()]
    if not all(isinstance(v, bytes) for v in flat):
        raise TypeError(f"Failed to convert elements of {value!r} to Tensor.")
    strings = np.empty(len(flat), object)
    strings[:] = flat
    return strings.reshape(array.shape)


def _narrow_to_32_bits(array: np.ndarray) -> np.ndarray:
    """Narrow 64-bit numbers to 32 bits, unless an integer does not fit."""
    narrow = _NARROW.get(array.dtype)
    if narrow is np.int32 and array.size:
        limits = np.iinfo(np.int32)
        if array.min() < limits.min or array.max() > limits.max:
            return array
    return array if narrow is None else array.astype(narrow)


def _fill_to_shape(array: np.ndarray, shape: list[int], verify: bool) -> np.ndarray:
    if list(array.shape) == shape:
        return array
    size = int(np.prod(shape))
    if verify or array.size > size:
        raise ValueError(f"Expected Tensor's shape: {tuple(shape)}, got {array.shape}.")
    if not array.size:
        raise ValueError(f"A constant of shape {tuple(shape)} needs at least one element.")
    flat = np.concatenate([array.ravel(), np.repeat(array.ravel()[-1:], size - array.size)])
    return flat.reshape(shape)
