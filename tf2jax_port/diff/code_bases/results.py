"""Turn results of a port into numbers and collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def as_numpy(value: Any) -> Any:
    """Return a result in which arrays of JAX, variables and sizes are NumPy's."""
    return _plain(value, _to_numpy)


def leaves_of(value: Any) -> Iterator[Any]:
    """Yield the parts of a result, which may be traced, in the order in which results are compared."""
    yield from _parts(_plain(value, lambda array: array))


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        named = all(isinstance(key, str) for key in value)
        items = [value[key] for key in sorted(value)] if named else list(value.items())
    elif isinstance(value, list | tuple):
        items = list(value)
    else:
        yield value
        return
    for item in items:
        yield from _parts(item)


def _to_numpy(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _plain(value: Any, array: Callable[[Any], Any]) -> Any:
    """Return a result as numbers, collections and arrays.

    Args:
      value: the result.
      array: makes the placeholder of an array, a variable or a size.
    """
    import shims

    if isinstance(value, shims.Padded):
        value = value.unpad()
    if isinstance(value, shims.RaggedTensor):
        value = [value.flat_values, *value.nested_row_splits]
    if isinstance(value, shims.SparseTensor):
        value = [value.indices, value.values, value.dense_shape]
    if isinstance(value, shims.TensorSpec):
        value = [list(value.shape), value.dtype, value.name]
    if isinstance(value, list | tuple):
        items = [_plain(item, array) for item in value]
        return items if type(value) is list else tuple(items)
    if isinstance(value, dict):
        return {key: _plain(item, array) for key, item in value.items()}
    if isinstance(value, type | np.dtype):
        return np.dtype(value).name if _is_dtype(value) else value
    if hasattr(value, "__array__") or hasattr(value, "__jax_array__"):
        return array(value)
    return value


def _is_dtype(value: Any) -> bool:
    try:
        np.dtype(value)
    except TypeError:
        return False
    return True
