"""Make keys of Python values that do not keep objects alive, such as the receiver of a method."""

from __future__ import annotations

import weakref
from typing import Any


def static_key(x: Any) -> tuple:
    """Return a key of a value: by value if it has a hash, else by identity.

    An object that equals only itself is referred to weakly: once it is gone, nothing can ask for its key.
    """
    kind = type(x)
    try:
        hash(x)
    except TypeError:
        return (kind, id(x))
    if kind.__eq__ is not object.__eq__:
        return (kind, x)
    try:
        return (kind, weakref.ref(x))
    except TypeError:
        return (kind, x)


def drop_dead(*tables: dict) -> None:
    """Remove the items of dicts whose keys refer to objects that no longer exist."""
    for table in tables:
        for key in [key for key in table if _is_dead(key)]:
            del table[key]


def _is_dead(key: object) -> bool:
    if isinstance(key, tuple):
        return any(map(_is_dead, key))
    return isinstance(key, weakref.ref) and key() is None
