"""The collections of a graph: lists of variables, losses and others by name."""

from __future__ import annotations

import re
from typing import Any


class Collections:
    """Lists by name, which the library and its users add values to."""

    def __init__(self):
        self._collections: dict[Any, list] = {}

    def add_to_collection(self, name, value) -> None:
        """Put a value into a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value) -> None:
        """Put a value into several collections."""
        names = (names,) if isinstance(names, str) else set(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection(self, name, scope: str | None = None) -> list:
        """A copy of a collection; with `scope` only what has a name that it matches."""
        found = list(self._collections.get(name, ()))
        if scope is None:
            return found
        pattern = re.compile(scope)
        return [v for v in found if hasattr(v, "name") and pattern.match(v.name)]

    def get_collection_ref(self, name) -> list:
        """A collection itself."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list:
        """The names of the collections that hold something."""
        return [name for name, values in self._collections.items() if values]

    @property
    def collections(self) -> list:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name) -> None:
        """Empty a collection."""
        self._collections.pop(name, None)
