"""Convert the constants of a graph to NumPy arrays, and dtype enum values to names."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from tf2jax_port.importing.schema import DTYPES, BrokenFileError

# The fields of a tensor proto that hold values outside of `tensor_content`.
_LISTS = {
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "float16": "half_val",
    "bfloat16": "half_val",
}


def dtype_name(number: int) -> str:
    """Return the dtype name of an enum value: `float32` for 1, and also for its reference dtype."""
    return DTYPES.get(number % 100, f"dtype {number}")


def numpy_dtype(name: str) -> np.dtype:
    """Return the NumPy dtype of a dtype name; strings have dtype `object`."""
    if name == "string":
        return np.dtype(object)
    if name == "bfloat16":
        return np.dtype(ml_dtypes.bfloat16)
    try:
        return np.dtype(name)
    except TypeError:
        raise BrokenFileError(
            f"a constant has the dtype {name}, which cannot be imported"
        ) from None


def shape_of(proto: dict[str, Any] | None) -> list[int | None] | None:
    """Return a shape as a list with `None` for unknown sizes; `None` if the rank is unknown."""
    if proto is None or proto["unknown_rank"]:
        return None
    return [None if dim["size"] < 0 else dim["size"] for dim in proto["dim"]]


def array_of(proto: dict[str, Any]) -> np.ndarray:
    """Convert a tensor proto to an array.

    Raises:
      BrokenFileError: the number of bytes does not match the shape, or arrays cannot have the dtype.
    """
    name = dtype_name(proto["dtype"])
    dtype = numpy_dtype(name)
    shape = [size or 0 for size in shape_of(proto["tensor_shape"]) or ()]
    size = math.prod(shape)
    if proto["tensor_content"]:
        if len(proto["tensor_content"]) != size * dtype.itemsize:
            raise BrokenFileError(
                "a constant does not have the number of bytes that its shape and dtype require"
            )
        return np.frombuffer(proto["tensor_content"], dtype).reshape(shape)
    values = _values_from_lists(proto, name, dtype)
    if size and not len(values):  # all of them are zeros
        values = np.zeros(1, dtype)
    # The last value is repeated for all missing ones.
    spread = np.concatenate([values, np.repeat(values[-1:], max(size - len(values), 0))])
    return spread[:size].reshape(shape)


def _values_from_lists(proto: dict[str, Any], name: str, dtype: np.dtype) -> np.ndarray:
    values = proto[_LISTS.get(name, "int_val")]
    if name in ("float16", "bfloat16"):
        return np.array(values, np.uint16).view(dtype)
    if name.startswith("complex"):
        return np.array(values, np.empty(0, dtype).real.dtype).view(dtype)
    if name == "string":
        found = np.empty(len(values), object)
        found[:] = values
        return found
    return np.array(values).astype(dtype)
