"""Flatten nested dicts, lists and tuples into leaves with readable paths."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Path = str

# Ragged and sparse values are compared by their components, whichever library they come from.
_COMPONENTS = (("flat_values", "nested_row_splits"), ("indices", "values", "dense_shape"))


def walk(value: Any, path: Path = "", stop: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """Yield the path and value of every leaf; dicts are walked in the order of their sorted keys.

    Args:
      value: nested dicts, lists, tuples, named tuples and dataclasses; anything else is a leaf.
      path: the prefix of every path, for instance `output`.
      stop: returns whether to treat a container as a leaf.

    Yields:
      `("output['boxes'][0]", leaf)`. `None` is a leaf. An empty container is a leaf too, so that
      `()`, `[]` and an array are never confused.
    """
    parts = None if stop is not None and stop(value) else children(value)
    if not parts:
        yield path, value
        return
    for step, part in parts:
        yield from walk(part, f"{path}{step}", stop)


def children(value: Any) -> list[tuple[str, Any]] | None:
    """Return the elements of a container, each with its part of the path; `None` for a leaf."""
    if isinstance(value, Mapping):
        return [(f"[{key!r}]", value[key]) for key in sorted(value, key=_sort_key)]
    if isinstance(value, (list, tuple)):
        return [(f"[{i}]", part) for i, part in enumerate(value)]
    for names in _COMPONENTS:
        if all(hasattr(value, name) for name in names):
            return [(f".{name}", getattr(value, name)) for name in names]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{f.name}", getattr(value, f.name)) for f in dataclasses.fields(value)]
    return None


def rebuild(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Copy nested dicts, lists and tuples, with `leaf` applied to every leaf."""
    if isinstance(value, dict):
        return {key: rebuild(part, leaf) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(rebuild(part, leaf) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)(rebuild(part, leaf) for part in value)
    return leaf(value)


def _sort_key(key: Any) -> tuple[str, str]:
    return type(key).__name__, repr(key)
