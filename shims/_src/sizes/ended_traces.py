"""Find the entries of a dictionary that hold tracers of a JAX trace, when that trace ends."""

from __future__ import annotations

import collections
from typing import Any

from shims._src.platform import jax_private as jp


class EndedTraces:
    """An index from JAX traces to the dictionary entries that hold their tracers.

    With this index, the entries to drop when a trace ends are found without a search through all entries,
    since a program has many inner traces.
    """

    def __init__(self) -> None:
        self._keys: collections.defaultdict[int, list[Any]] = collections.defaultdict(list)

    def note(self, x: object, key: Any) -> None:
        """Record that the dictionary entry under `key` holds `x`, which may be or wrap a tracer."""
        for owner in jp.traces_of(x):
            self._keys[id(owner)].append(key)

    def keys(self, ended) -> list[Any]:
        """Return and forget the keys of the entries that were noted with tracers of the trace `ended`."""
        return self._keys.pop(id(ended), [])
