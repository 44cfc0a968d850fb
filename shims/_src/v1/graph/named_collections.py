"""Provide the collections of a graph: named lists of variables, losses and other values."""

from __future__ import annotations

import re
from typing import Any


class Collections:
    """Named lists that the library and its users append values to."""

    def __init__(self):
        self._collections: dict[Any, list] = {}

    def add_to_collection(self, name, value) -> None:
        """Append a value to a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value) -> None:
        """Append a value to several collections."""
        names = (names,) if isinstance(names, str) else set(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection(self, name, scope: str | None = None) -> list:
        """Return a copy of a collection.

        With `scope`, only the values are returned whose name matches this regular expression.
        """
        found = list(self._collections.get(name, ()))
        if scope is None:
            return found
        pattern = re.compile(scope)
        return [v for v in found if hasattr(v, "name") and pattern.match(v.name)]

    def get_collection_ref(self, name) -> list:
        """Return a collection itself, not a copy."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list:
        """Return the names of the collections that are not empty."""
        return [name for name, values in self._collections.items() if values]

    @property
    def collections(self) -> list:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name) -> None:
        """Empty a collection."""
        self._collections.pop(name, None)
