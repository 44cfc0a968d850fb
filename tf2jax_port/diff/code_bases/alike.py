"""Compare an object that a port has created or changed with the restored object of its original."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.configurations import configuration
from tf2jax_port.diff.code_bases.encoding import Node
from tf2jax_port.diff.code_bases.outcomes import difference

_SAMPLES = np.linspace(-3, 3, 13, dtype=np.float32)
# What Keras writes otherwise from release to release, or numbers by what was made before.
_OF_NO_WEIGHT = ("name", "dtype", "seed", "trainable", "build_config", "batch_shape")
Different = tuple[str, str]  # an attribute, and how it differs


class Comparison:
    """Compares objects by the attributes that both have.

    Args:
      node: the node of the original's object.
    """

    def __init__(self, node: Node) -> None:
        self._seen: set[int] = set()
        self._node = node

    def differences(self, made: Any, wanted: Any) -> Iterator[Different]:
        """Yield the attributes that differ."""
        yield from self._of_objects("", made, wanted, self._node)

    def _of_objects(self, path: str, made: Any, wanted: Any, node: Node) -> Iterator[Different]:
        if id(made) in self._seen:
            return
        self._seen.add(id(made))
        if type(made).__qualname__ != type(wanted).__qualname__:
            yield path, f"{type(wanted).__qualname__} became {type(made).__qualname__}"
            return
        if hasattr(made, "get_config") and not node.get("fields"):
            yield from _of_configurations(path, made, wanted)
        for name, part in node.get("fields", {}).items():
            if hasattr(made, name) and hasattr(wanted, name):
                inner = f"{path}.{name}" if path else name
                yield from self._of_values(inner, getattr(made, name), getattr(wanted, name), part)

    def _of_values(self, path: str, made: Any, wanted: Any, node: Node) -> Iterator[Different]:
        kind = node["kind"]
        if kind == "object" or (kind == "keras" and "items" in node):
            yield from self._of_objects(path, made, wanted, node)
        elif kind in ("list", "tuple", "dict"):
            items = node["items"]
            keys = list(items) if kind == "dict" else list(range(len(items)))
            if not hasattr(made, "__len__") or len(made) != len(keys):
                yield path, f"{len(keys)} items became {_length(made)}"
                return
            for key in keys:
                if kind != "dict" or key in made:
                    inner = f"{path}[{key!r}]"
                    yield from self._of_values(inner, made[key], wanted[key], items[key])
        elif kind == "variable":
            one, other = list(wanted.shape), list(getattr(made, "shape", ()))
            if one != other:
                yield path, f"shape {tuple(one)} became {tuple(other)}"
        elif kind == "plain" or "array" in node:
            why = _of_leaves(wanted, made)
            if why:
                yield path, why
        elif callable(wanted) and callable(made) and not inspect.isclass(wanted):
            why = _of_functions(wanted, made)
            if why:
                yield path, why


def _length(value: Any) -> str:
    return str(len(value)) if hasattr(value, "__len__") else type(value).__name__


def _of_leaves(wanted: Any, made: Any) -> str:
    """Return how two numbers, texts or arrays differ; empty if they do not, or cannot be compared."""
    if wanted is None or isinstance(wanted, str):
        simple = made is None or isinstance(made, str | bool | int | float)
        return f"{wanted!r} became {made!r}" if simple and made != wanted else ""
    try:
        one, other = np.asarray(wanted), np.asarray(made)
    except Exception:  # noqa: BLE001, it is not an array in the port
        return ""
    if other.dtype.kind not in "biufc":
        return f"{wanted!r} became None" if made is None else ""
    return difference(one, other.astype(one.dtype) if one.ndim == other.ndim == 0 else other)


def _of_functions(wanted: Callable[..., Any], made: Callable[..., Any]) -> str:
    """Return how two functions of one array differ on a few numbers."""
    try:
        one, other = np.asarray(wanted(_SAMPLES)), np.asarray(made(_SAMPLES))
    except Exception:  # noqa: BLE001, they take something else
        return ""
    if one.dtype.kind != "f" or one.shape != other.shape:
        return ""
    return difference(one, other) and "another function"


def _of_configurations(path: str, made: Any, wanted: Any) -> Iterator[Different]:
    try:
        one, other = configuration(wanted), configuration(made)
    except Exception:  # noqa: BLE001, it cannot be written
        return
    for key in {**one, **other}:
        if key not in _OF_NO_WEIGHT:
            old, new = (_told(config.get(key, "the default")) for config in (one, other))
            if old != new:
                yield f"{path}.{key}" if path else key, f"{old} became {new}"


def _told(value: Any) -> str:
    """Return a part of a configuration as text, without entries that have no effect on values."""
    if isinstance(value, dict):
        kept = {k: _told(v) for k, v in value.items() if k not in (*_OF_NO_WEIGHT, "module")}
        return str({k: v for k, v in kept.items() if k != "registered_name"})
    if isinstance(value, list | tuple):
        return str([_told(item) for item in value])
    return str(value)
