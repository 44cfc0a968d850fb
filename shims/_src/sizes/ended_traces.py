"""Find the entries of a table that hold tracers of a JAX trace, when that trace ends."""

from __future__ import annotations

from typing import Any

from shims._src.platform import jax_private as jp


class EndedTraces:
    """The keys of a table's entries, by the JAX traces whose tracers the entries hold.

    The entries of a trace are found without a look at all others: a program has many inner traces.
    """

    def __init__(self) -> None:
        self._keys: dict[int, list[Any]] = {}

    def note(self, x: object, key: Any) -> None:
        """Record that the entry under `key` holds `x`, which may be a tracer or wrap one."""
        for owner in jp.traces_of(x):
            self._keys.setdefault(id(owner), []).append(key)

    def keys(self, ended) -> list[Any]:
        """Return, once, the keys of entries that hold tracers of a trace, or held them."""
        return self._keys.pop(id(ended), [])
