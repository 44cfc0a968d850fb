"""Encode nested structures of arguments and results as JSON, and read them again."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import jax

from shims._src.types.tensor_spec import TensorSpec

# The keys that say what a JSON object stands for.
_LEAF, _FLOAT, _LIST, _TUPLE, _DICT, _NAMED = "leaf", "float", "list", "tuple", "dict", "named"


class NotEncodableError(TypeError):
    """Raised for a value that no structure can hold."""


def encode(value, leaf: Callable[[Any], Any], *, has_literals: bool = True) -> Any:
    """Encode a structure of lists, tuples, dictionaries, Python values and leaves.

    Args:
      value: the structure.
      leaf: a function that encodes any other value, or raises `NotEncodableError`.
      has_literals: whether Python numbers and strings are part of the structure, and no leaves.
    """

    def encoded(value):
        if value is None or (has_literals and isinstance(value, (bool, str, int))):
            return value
        if has_literals and isinstance(value, float):
            return {_FLOAT: repr(float(value))}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {_NAMED: [type(value).__name__, list(value._fields), list(map(encoded, value))]}
        if isinstance(value, (list, tuple)):
            return {_LIST if isinstance(value, list) else _TUPLE: list(map(encoded, value))}
        if isinstance(value, dict):
            items = [[_checked_key(k), encoded(v)] for k, v in value.items()]
            # TensorFlow numbers the tensors of a dictionary in the order of its keys.
            is_sorted = has_literals and all(isinstance(k, str) for k in value)
            return {_DICT: sorted(items, key=lambda item: item[0]) if is_sorted else items}
        return {_LEAF: leaf(value)}

    return encoded(value)


def _checked_key(key):
    if not isinstance(key, (bool, int, str)):
        raise NotEncodableError(f"the key {key!r} of a dictionary")
    return key


def decode(data, leaf: Callable[[Any], Any]) -> Any:
    """Return the structure that was encoded; `leaf` decodes the leaves.

    Raises:
      ValueError: the data is not an encoded structure.
    """
    if data is None or isinstance(data, (bool, str, int)):
        return data
    ((kind, content),) = data.items()
    if kind == _LEAF:
        return leaf(content)
    if kind == _FLOAT:
        return float(content)
    if kind in (_LIST, _TUPLE):
        items = [decode(x, leaf) for x in content]
        return items if kind == _LIST else tuple(items)
    if kind == _DICT:
        return {k: decode(v, leaf) for k, v in content}
    if kind == _NAMED:
        name, fields, items = content
        return collections.namedtuple(name, fields)(*(decode(x, leaf) for x in items))
    raise ValueError(f"an unknown kind of structure: {kind}")


def matched(data, value) -> list[tuple[Any, Any]] | None:
    """Compare an encoded structure with a value; return pairs of its leaves and literals and the parts of the value.

    The leaves are `TensorSpec`. Return `None` if the value has a different structure.
    """
    if not isinstance(data, dict):
        return [(data, value)]
    ((kind, content),) = data.items()
    if kind in (_LEAF, _FLOAT):
        return [(decode(data, decode_spec), value)]
    if kind == _DICT:
        if not isinstance(value, dict) or set(value) != {k for k, _ in content}:
            return None
        parts = [matched(item, value[k]) for k, item in content]
    else:
        items = content[2] if kind == _NAMED else content
        wanted = list if kind == _LIST else tuple
        if not isinstance(value, wanted) or len(value) != len(items):
            return None
        parts = [matched(item, x) for item, x in zip(items, value, strict=True)]
    return None if None in parts else [pair for part in parts for pair in part or ()]


def encode_spec(spec) -> dict[str, Any]:
    """Encode a `TensorSpec`, with the dtype that arrays have under the present `jax_enable_x64`.

    Raises:
      NotEncodableError: it is not a `TensorSpec`, or its dtype is not one of arrays.
    """
    if not isinstance(spec, TensorSpec) or spec.dtype.hasobject:
        raise NotEncodableError(f"{spec!r}")
    shape = None if spec.shape.rank is None else list(spec.shape)
    dtype = jax.dtypes.canonicalize_dtype(spec.dtype)
    return {"shape": shape, "dtype": dtype.name, "name": spec.name}


def decode_spec(data) -> TensorSpec:
    """Return the `TensorSpec` that was encoded."""
    return TensorSpec(data["shape"], data["dtype"], data["name"])


def specs_of(arguments: dict[str, Any]) -> list[TensorSpec]:
    """Return the specs among encoded arguments, in order."""
    found: list[TensorSpec] = []
    for structure in arguments.values():
        decode(structure, lambda data: found.append(decode_spec(data)))
    return found


def decode_all(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return encoded arguments with their specs."""
    return {name: decode(structure, decode_spec) for name, structure in arguments.items()}


def leaves_of(value) -> list:
    """Return the leaves of a structure, in the order in which they were encoded."""
    found: list = []
    encode(value, found.append, has_literals=False)
    return found
