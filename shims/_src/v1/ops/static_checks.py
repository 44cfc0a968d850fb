"""Check dtypes and shapes of tensors while a graph is built."""

from __future__ import annotations

from shims._src.arguments.conversion import as_array
from shims._src.array.shape_arithmetic import broadcast_static_shape as broadcast
from shims._src.debugging import static_assertions
from shims._src.types.dtypes import as_dtype as dtype_of
from shims._src.types.dtypes import float32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape


def as_dtype(type_value):
    """Convert a dtype name or a NumPy type to a dtype; return a dtype unchanged.

    Raises:
      TypeError: the value is not a dtype.

    https://www.tensorflow.org/api_docs/python/tf/dtypes/as_dtype
    """
    return dtype_of(type_value)


def is_numeric_tensor(tensor):
    """Return whether a value is a tensor of a numeric dtype.

    https://www.tensorflow.org/api_docs/python/tf/debugging/is_numeric_tensor
    """
    if not isinstance(tensor, Tensor):
        return static_assertions.is_numeric_tensor(tensor)
    kind = tensor.dtype
    return bool(kind.is_floating or kind.is_integer or kind.is_complex)


def assert_proper_iterable(values):
    """Raise `TypeError` unless `values` is iterable, and neither a tensor nor a string.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_proper_iterable
    """
    if isinstance(values, Tensor):
        raise TypeError(f"Expected argument 'values' to be iterable. Found: {type(values)}")
    static_assertions.assert_proper_iterable(values)


def assert_same_float_dtype(tensors=None, dtype=None):
    """Return the floating-point dtype that all tensors share.

    Args:
      tensors: the tensors; `None` elements are ignored.
      dtype: the required dtype.

    Returns:
      The dtype; float32 if neither tensors nor `dtype` are given.

    Raises:
      ValueError: the dtypes differ, or are not floating-point.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_same_float_dtype
    """
    wanted = None if dtype is None else dtype_of(dtype)
    for tensor in tensors or ():
        if tensor is None:
            continue
        found = dtype_of(tensor.dtype)
        if wanted is not None and found != wanted:
            name = getattr(tensor, "name", tensor)
            raise ValueError(f"Expected dtype {wanted.name}, got {found.name} for {name}.")
        wanted = found
    wanted = float32 if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted.name}.")
    return wanted


def assert_scalar(tensor, name=None, message=None):
    """Return the tensor if it is a scalar, otherwise raise an error.

    Args:
      tensor: tensor or number.
      name: ignored.
      message: the beginning of the error message.

    Raises:
      ValueError: the tensor is not a scalar, or its rank is unknown.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/debugging/assert_scalar
    """
    if executing_eagerly():
        static_assertions.assert_scalar(tensor, message)
        return as_array(tensor)
    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank != 0:
        said = f"{message or ''}Expected scalar shape for {tensor.name}, saw shape: {tensor.shape}."
        raise ValueError(said)
    return tensor


def broadcast_static_shape(shape_x, shape_y):
    """Return the broadcast shape of two shapes.

    Raises:
      ValueError: the shapes cannot be broadcast.

    https://www.tensorflow.org/api_docs/python/tf/broadcast_static_shape
    """
    return GraphShape(broadcast(shape_x, shape_y))
