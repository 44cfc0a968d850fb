"""Convert the result of a function to a dict from paths to NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.observation import Outputs
from tf2jax_port.diff.values.spill import all_spilled

# TensorFlow's types for Python numbers; JAX chooses the type by context.
_PYTHON = ((bool, np.bool_), (int, np.int32), (float, np.float32), (complex, np.complex64))


def as_arrays(result: Any, to_numpy: Callable[[Any], Any] | None = None) -> Outputs:
    """Return a dict from paths to arrays, one for each leaf of a result; `None` stays `None`.

    Args:
      result: nested containers of tensors, arrays and Python scalars.
      to_numpy: converts a leaf to an array; by default its `numpy()`.

    Raises:
      TypeError: a leaf is not an array and cannot be converted to one.
    """
    found = {
        path: _leaf_to_array(leaf, path, to_numpy) for path, leaf in tree.walk(result, "output")
    }
    return all_spilled(found)


def _leaf_to_array(
    leaf: Any, path: str, to_numpy: Callable[[Any], Any] | None
) -> np.ndarray | None:
    if leaf is None:
        return None
    for kind, dtype in _PYTHON:
        if type(leaf) is kind:
            return np.asarray(leaf, dtype)
    if to_numpy is None:
        array = np.asarray(leaf.numpy() if hasattr(leaf, "numpy") else leaf)
    else:
        array = np.asarray(to_numpy(leaf))
    if array.dtype == object and not (array.size and isinstance(array.flat[0], bytes)):
        do = "; in both files, write a function that calls it" if callable(leaf) else ""
        raise TypeError(f"{path} is a {type(leaf).__name__}, which cannot be compared{do}")
    return array
