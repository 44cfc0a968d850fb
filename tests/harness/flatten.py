"""Which arrays stand behind a result? Structures and composite tensors of either library, flat."""

from __future__ import annotations

from collections.abc import Mapping

import jax
import numpy as np

import shims

PLAIN = (bool, str, bytes, type(None))
# In TensorFlow's order. A sparse tensor and indexed slices have the same attributes.
_RAGGED = ("flat_values", "nested_row_splits")
_SPARSE = ("indices", "values", "dense_shape")


def flatten(value, *, kinds: bool = False) -> tuple[str, dict[str, object]]:
    """Split a result into its structure, as text, and its arrays by their paths.

    Args:
      value: arrays, `None`, text and truth values in sequences, mappings and composite tensors.
      kinds: whether the structure tells a list from a tuple.
    """
    leaves: dict[str, object] = {}
    return _describe(value, "result", leaves, kinds), leaves


def arrays(value) -> list:
    """List the arrays behind a result, in TensorFlow's order."""
    return list(flatten(value)[1].values())


def _describe(value, path, leaves, kinds) -> str:
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, Mapping):
        parts = {f"[{key!r}]": value[key] for key in sorted(value)}
        return f"{sorted(value)}[{_describe_parts(parts, path, leaves, kinds)}]"
    if isinstance(value, (list, tuple)):
        parts = {f"[{i}]": part for i, part in enumerate(value)}
        kind = type(value).__name__ if kinds else ""
        return f"{kind}[{_describe_parts(parts, path, leaves, kinds)}]"
    for names in (_RAGGED, _SPARSE):
        if all(hasattr(value, name) for name in names):
            parts = {f".{name}": _attribute(value, name) for name in names}
            return f"{type(value).__name__}({_describe_parts(parts, path, leaves, False)})"
    leaves[path] = value
    return "*"


def _describe_parts(parts, path, leaves, kinds) -> str:
    described = (_describe(v, path + name, leaves, kinds) for name, v in parts.items())
    return ", ".join(described)


def _attribute(value, name):
    found = getattr(value, name)
    if name != "dense_shape" or found is None or type(value).__name__ != "IndexedSlices":
        return found
    # The shape behind slices may be a tuple, and of any integers.
    traced = any(isinstance(size, jax.core.Tracer) for size in jax.tree.leaves(found))
    return shims.convert_to_tensor(found) if traced else np.asarray(found, np.int32)


def is_padded(value) -> bool:
    """Tell whether a value has more slots than elements."""
    return isinstance(value, shims.Padded)


def unpadded(tree):
    """Cut every `Padded` in a tree to its true size."""
    return jax.tree.map(lambda v: v.unpad() if is_padded(v) else v, tree, is_leaf=is_padded)
