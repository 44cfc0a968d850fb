"""Record the data-dependent sizes of one trace: their origins, bounds and scopes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from shims._src.platform import jax_private as jp


class FreshSizes:
    """The data-dependent sizes of a trace, by the name of their dimension variable."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._sources: dict[str, Any] = {}
        self._makers: dict[str, Callable[[], Any]] = {}
        self._bounds: dict[str, Any] = {}
        self._inner: set[str] = set()
        self._varying: set[str] = set()
        self._depth = 0
        self._mapped = 0
        self._found_again = 0

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @property
    def version(self) -> tuple[int, int]:
        """The progress of the trace, for JAX's caches: it changes with every new size."""
        return len(self._names), self._found_again

    @property
    def inner(self) -> frozenset[str]:
        """The sizes that were made, and are known only, in a branch or a loop body."""
        return frozenset(self._inner)

    def of(self, d) -> frozenset[str]:
        """Return the data-dependent sizes in a dimension."""
        return jp.variables(d) & self._names

    def vary(self, d) -> bool:
        """Return whether a dimension has a size that differs per branch, iteration or mapped row."""
        return not self._varying.isdisjoint(jp.variables(d))

    # ---- making ------------------------------------------------------------------------------

    def new(self) -> str:
        """Create a name for a size that is made in the current branch, body or row."""
        name = f"u{len(self._names)}"
        self._names.add(name)
        if self._depth:
            self._inner.add(name)
        if self._depth or self._mapped:
            self._varying.add(name)
        return name

    def declare(self, name: str, bound) -> None:
        """Treat an input size as data-dependent."""
        self._names.add(name)
        self._bounds[name] = bound

    def made_from(self, name: str, source) -> None:
        """Record the mask or count that a size was made from."""
        self._sources[name] = source

    def made_again(self, name: str, source) -> None:
        """Record that a size was made again after the branch or body that first made it."""
        self._sources[name] = source
        self._makers.pop(name, None)
        self._found_again += 1
        if not self._depth:
            self._inner.discard(name)
        if not self._depth and not self._mapped:
            self._varying.discard(name)

    def is_over(self, name: str) -> bool:
        """Return whether the trace that made a size has ended."""
        return jp.is_finished(self._sources[name])

    def resumed(self) -> None:
        """Invalidate JAX's caches, which hold the sources of sizes, because tracing resumes."""
        if self._names:
            self._found_again += 1

    @contextlib.contextmanager
    def inside_program(self):
        """Trace a branch or a body: the sizes made in the block are known only there."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextlib.contextmanager
    def inside_row(self):
        """Trace a function that is mapped over rows, each of which has sizes of its own."""
        self._mapped += 1
        try:
            yield
        finally:
            self._mapped -= 1

    # ---- properties ----------------------------------------------------------------

    def state_bound(self, name: str, bound) -> None:
        """Set the bound of a size, in terms of the inputs; the first one is kept."""
        self._bounds.setdefault(name, bound)

    def bound(self, name: str):
        """Return the bound of a size in terms of the inputs, or `None`."""
        return self._bounds.get(name)

    def state_maker(self, name: str, make: Callable[[], Any]) -> None:
        """Set the function that makes an array as long as a size; the first one is kept."""
        self._makers.setdefault(name, make)

    def carrier(self, name: str):
        """Make an array as long as a size, or return `None` if the trace that made it has ended."""
        source = self._sources.get(name)
        return None if source is None or jp.is_finished(source) else self._makers[name]()

    def counts(self, d) -> dict[str, Any]:
        """Return the scalars behind the data-dependent sizes of a dimension whose traces have not ended."""
        known = [name for name in sorted(jp.variables(d)) if name in self._sources]
        return {
            name: jnp.sum(self._sources[name], dtype=jnp.int32)
            for name in known
            if not self.is_over(name)
        }
