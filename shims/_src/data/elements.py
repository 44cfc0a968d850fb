"""Convert values to the components of elements: tensors on the host, also ragged and sparse tensors."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from shims._src.data import structures
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sparse.tensor import SparseTensor, unchecked
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_spec import as_numpy_dtype


def element_of(value) -> Any:
    """Convert a structure to an element: its lists, numbers and arrays become tensors on the host."""
    if structures.is_container(value):
        return structures.rebuild(value, [element_of(v) for v in structures.children(value)])
    return component_of(value)


def component_of(value, dtype=None) -> Any:
    """Convert a leaf to a component of an element, which has a copy of the numbers of a NumPy array.

    A generator may yield the same array again and again, with other numbers in it.

    Args:
      value: array, number, text, list, variable, ragged or sparse tensor, dataset, or `None`.
      dtype: the dtype to which Python values are converted.

    Raises:
      ValueError: the value cannot be converted to a tensor.
    """
    if type(value) is HostTensor or value is None:
        return value
    if isinstance(value, RaggedTensor):
        return ragged(component_of(value.values), component_of(value.row_splits))
    if isinstance(value, SparseTensor):
        wide = np.int64
        return sparse(
            host(np.asarray(value.indices).astype(wide)),
            component_of(value.values),
            host(np.asarray(value.dense_shape).astype(wide)),
        )
    if isinstance(value, np.ndarray):
        return host(np.array(value))
    if isinstance(value, (np.generic, jax.Array, bytes, str)):
        return host(value)
    if hasattr(value, "__shims_dataset__"):
        return value.__shims_dataset__()
    if hasattr(value, "__jax_array__"):
        return host(value.__jax_array__())
    if hasattr(value, "__array__"):
        return host(np.array(value))
    return host(_python_values(value, dtype))


def ragged(values, row_splits) -> RaggedTensor:
    """Create a ragged tensor on the host, whose splits are int64."""
    return RaggedTensor(values, host(np.asarray(row_splits).astype(np.int64)))


def sparse(indices, values, dense_shape) -> SparseTensor:
    """Create a sparse tensor on the host."""
    return unchecked(indices, values, dense_shape)


def _python_values(value, dtype) -> np.ndarray:
    """Convert numbers, text and nested lists to an array of the dtype that TensorFlow chooses."""
    if isinstance(value, (list, tuple)) and any(isinstance(v, RaggedTensor) for v in value):
        raise ValueError("TypeError: a list of ragged tensors is not a tensor; use `shims.stack`.")
    leaf = value
    while isinstance(leaf, (list, tuple)) and leaf:
        leaf = leaf[0]
    try:
        found = np.asarray(_without_tensors(value))
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
    if found.dtype.kind in "SUO":
        return _texts(value, found)
    if dtype is not None:
        return found.astype(as_numpy_dtype(dtype))
    if hasattr(leaf, "dtype"):
        is_wide = isinstance(leaf, np.generic) and leaf.dtype.kind in "iu"
        return found if not is_wide else _integers(found)
    if found.dtype.kind == "f" or found.size == 0:
        return found.astype(np.float32)
    return _integers(found) if found.dtype.kind == "i" else found


def _without_tensors(value) -> Any:
    """Replace the JAX arrays in nested lists, which NumPy would convert one by one."""
    if isinstance(value, (list, tuple)):
        return [_without_tensors(v) for v in value]
    if isinstance(value, (jax.Array, HostTensor)):
        return np.asarray(value)
    return np.asarray(value.__jax_array__()) if hasattr(value, "__jax_array__") else value


def _integers(found: np.ndarray) -> np.ndarray:
    bounds = np.iinfo(np.int32)
    fits = found.size == 0 or (found.min() >= bounds.min and found.max() <= bounds.max)
    return found.astype(np.int32) if fits else found


def _texts(value, found: np.ndarray) -> np.ndarray:
    """Convert nested lists of text, whose trailing zero bytes NumPy's fixed widths would drop."""
    out = np.empty(found.shape, object)
    leaves = _leaves(value)
    if len(leaves) != found.size:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    for leaf in leaves:
        if not isinstance(leaf, (str, bytes)):
            raise ValueError(
                f"Attempt to convert a value ({leaf!r}) with an unsupported type ({type(leaf)}) to "
                "a Tensor."
            )
    out.reshape(-1)[:] = leaves
    return out


def _leaves(value) -> list:
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in _leaves(v)]
    return value.reshape(-1).tolist() if isinstance(value, np.ndarray) else [value]
