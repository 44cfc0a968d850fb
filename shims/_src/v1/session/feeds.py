"""Check the feeds of a session run: values that replace tensors of the graph."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from shims._src.data.elements import component_of
from shims._src.types.composite import is_composite
from shims._src.v1.graph.host_calls import is_text
from shims._src.v1.graph.nodes import Tensor


def feeds_of(graph, feed_dict) -> dict[Tensor, np.ndarray]:
    """Convert a `feed_dict` to a dict from tensors to arrays, and check shapes and dtypes.

    Args:
      graph: the session's graph.
      feed_dict: a dict to values from tensors, names, sparse tensors, or tuples of these.

    Raises:
      TypeError: a key cannot be fed, or a value cannot have the dtype of its tensor.
      ValueError: the shape of a value is incompatible with that of its tensor.
    """
    found: dict[Tensor, np.ndarray] = {}
    for key, value in (feed_dict or {}).items():
        for part, given in _split_feed(key, value):
            tensor = _tensor_of_key(graph, part)
            found[tensor] = _check_value(tensor, given)
    return found


def _split_feed(key, value) -> list[tuple[Any, Any]]:
    """Split one feed into pairs of a tensor and its value.

    The key may stand for several tensors: a tuple, or a sparse tensor.
    """
    if is_composite(key):
        return list(zip(jax.tree.leaves(key), value, strict=True))
    if isinstance(key, (tuple, list)):
        if len(key) != len(value):
            raise ValueError(f"Cannot feed {len(value)} values for {len(key)} tensors: {key}.")
        return [pair for k, v in zip(key, value, strict=True) for pair in _split_feed(k, v)]
    return [(key, value)]


def parts_of(key) -> list:
    """Return the tensors that a key of a `feed_dict` stands for, such as those of a sparse tensor."""
    if isinstance(key, (tuple, list)):
        return [part for k in key for part in parts_of(k)]
    if is_composite(key):
        return jax.tree.leaves(key)
    return [key]


def _tensor_of_key(graph, key) -> Tensor:
    try:
        return graph.as_graph_element(key, allow_operation=False)
    except (KeyError, TypeError, ValueError) as error:
        raise TypeError(
            f"Cannot interpret feed_dict key as Tensor: {error.args[0] if error.args else error}"
        ) from None


def _check_value(tensor: Tensor, value) -> np.ndarray:
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value!s} which was passed to the argument `feed_dict` with key "
            f"{tensor!s}."
        )
    if is_text(tensor):
        return _check_shape(tensor, np.asarray(component_of(np.asarray(value, object))))
    wanted = tensor.dtype.dtype
    if isinstance(value, int) and not isinstance(value, bool) and wanted.kind in "iu":
        limits = np.iinfo(wanted)
        if not limits.min <= value <= limits.max:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor "
                f"type {wanted.type}. Try explicitly setting the type of the feed tensor to a "
                "larger type (e.g. int64)."
            )
    return _check_shape(tensor, np.asarray(value, dtype=wanted))


def _check_shape(tensor: Tensor, array: np.ndarray) -> np.ndarray:
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape "
            f"{tensor.shape}"
        )
    return array
