"""The sizes of one trace that data decide: where they were made, and where they are known."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from shims._src.platform import jax_private as jp


class FreshSizes:
    """Fresh sizes by name, which is the name of their dimension variable."""

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
        """How far the trace has come, for JAX's caches: it changes with every size that is found."""
        return len(self._names), self._found_again

    @property
    def inner(self) -> frozenset[str]:
        """The sizes that a branch or a loop body made, which only it knows."""
        return frozenset(self._inner)

    def of(self, d) -> frozenset[str]:
        """The fresh sizes that a dimension is computed from."""
        return jp.variables(d) & self._names

    def vary(self, d) -> bool:
        """Whether a branch, a loop body or a mapped row made a size: another one every time."""
        return not self._varying.isdisjoint(jp.variables(d))

    # ---- making ------------------------------------------------------------------------------

    def new(self) -> str:
        """Name a size that is made in the present branch, body or row."""
        name = f"u{len(self._names)}"
        self._names.add(name)
        if self._depth:
            self._inner.add(name)
        if self._depth or self._mapped:
            self._varying.add(name)
        return name

    def declare(self, name: str, bound) -> None:
        """Count a size of an input among those that data decide."""
        self._names.add(name)
        self._bounds[name] = bound

    def made_from(self, name: str, source) -> None:
        """Note the mask or the count that a size was made from."""
        self._sources[name] = source

    def made_again(self, name: str, source) -> None:
        """Note that a size is found once more, where the branch or body that made it is over."""
        self._sources[name] = source
        self._makers.pop(name, None)
        self._found_again += 1
        if not self._depth:
            self._inner.discard(name)
        if not self._depth and not self._mapped:
            self._varying.discard(name)

    def is_over(self, name: str) -> bool:
        """Whether the trace that made a size is over."""
        return jp.is_finished(self._sources[name])

    def resumed(self) -> None:
        """Note that tracing goes on: JAX's caches hold what sizes were counted from before."""
        if self._names:
            self._found_again += 1

    @contextlib.contextmanager
    def inside_program(self):
        """Trace a branch or a body: the sizes that are made here are known here only."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextlib.contextmanager
    def inside_row(self):
        """Trace a function that is mapped over rows: each has sizes of its own."""
        self._mapped += 1
        try:
            yield
        finally:
            self._mapped -= 1

    # ---- what is known of one ----------------------------------------------------------------

    def state_bound(self, name: str, bound) -> None:
        """State a bound of a size, in terms of the inputs; the first one counts."""
        self._bounds.setdefault(name, bound)

    def bound(self, name: str):
        """The bound of a size in terms of the inputs, or `None`."""
        return self._bounds.get(name)

    def state_maker(self, name: str, make: Callable[[], Any]) -> None:
        """State how an array as long as a size is made once more; the first way counts."""
        self._makers.setdefault(name, make)

    def carrier(self, name: str):
        """An array as long as a size, where the trace that made it is still going on."""
        source = self._sources.get(name)
        return None if source is None or jp.is_finished(source) else self._makers[name]()

    def counts(self, d) -> dict[str, Any]:
        """The numbers behind the fresh sizes of a dimension whose traces are still going on."""
        known = [name for name in sorted(jp.variables(d)) if name in self._sources]
        return {
            name: jnp.sum(self._sources[name], dtype=jnp.int32)
            for name in known
            if not self.is_over(name)
        }
