"""Turn arguments and results into plain data, and back into the arguments of a port."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Node = dict[str, Any]
MOST_ELEMENTS = 1 << 18


class UnfitError(Exception):
    """Raised for a value that cannot be replayed; the message names its kind."""


def encode(value: Any, arrays: list[np.ndarray]) -> Node:
    """Return plain data for a value; its arrays are appended to `arrays`.

    Raises:
      UnfitError: the value, or a part of it, cannot be replayed.
    """
    if value is None or (
        isinstance(value, bool | int | float | str) and type(value).__module__ == "builtins"
    ):
        return {"kind": "plain", "value": value}
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        items = [encode(item, arrays) for item in value]
        return {"kind": type(value).__name__, "items": items}
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return {"kind": "dict", "items": {key: encode(item, arrays) for key, item in value.items()}}
    if isinstance(value, np.ndarray | np.generic):
        return _array("numpy", np.array(value), arrays)
    return _of_tensorflow(value, arrays)


def _of_tensorflow(value: Any, arrays: list[np.ndarray]) -> Node:
    """Return plain data for a tensor, a dtype or a shape of TensorFlow."""
    tf: Any = sys.modules.get("tensorflow")
    kind = type(value).__name__
    if tf is None:
        raise UnfitError(kind)
    if isinstance(value, tf.DType):
        return {"kind": "dtype", "name": value.name}
    if isinstance(value, tf.TensorShape):
        if value.rank is None:
            raise UnfitError(kind)
        return {"kind": "tuple", "items": [encode(size, arrays) for size in value.as_list()]}
    if isinstance(value, tf.Tensor):
        if not hasattr(value, "numpy"):
            raise UnfitError("symbolic tensor")
        return _array("tensor", np.array(value.numpy()), arrays)
    raise UnfitError(kind)


def _array(kind: str, array: np.ndarray, arrays: list[np.ndarray]) -> Node:
    if array.dtype.kind not in "biufc" and array.dtype.name != "bfloat16":
        raise UnfitError(f"array of {array.dtype}")
    if array.size > MOST_ELEMENTS:
        raise UnfitError("large array")
    if array.dtype.name == "bfloat16":
        arrays.append(array.astype(np.float32))
        return {"kind": kind, "array": len(arrays) - 1, "dtype": "bfloat16"}
    arrays.append(array)
    return {"kind": kind, "array": len(arrays) - 1, "dtype": array.dtype.name}


def decode(node: Node, leaf: Callable[[Node], Any], dtype: Callable[[str], Any]) -> Any:
    """Return the value of plain data.

    Args:
      node: what `encode` returned.
      leaf: makes an array of a node of kind `tensor` or `numpy`.
      dtype: makes a dtype of a name.
    """
    kind = node["kind"]
    if kind == "plain":
        return node["value"]
    if kind == "dtype":
        return dtype(node["name"])
    if kind == "dict":
        return {key: decode(item, leaf, dtype) for key, item in node["items"].items()}
    if kind in ("list", "tuple"):
        items = [decode(item, leaf, dtype) for item in node["items"]]
        return items if kind == "list" else tuple(items)
    return leaf(node)


def arrays_in(node: Node) -> list[Node]:
    """Return the nodes of all arrays in plain data, in order."""
    if "array" in node:
        return [node]
    items = node.get("items", ())
    inner = items.values() if isinstance(items, dict) else items
    return [found for item in inner for found in arrays_in(item)]
