"""Record the data-dependent sizes of one trace: their sources, bounds and scopes."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Mapping
from typing import Any

from shims._src.platform import jax_private as jp
from shims._src.sizes.ended_traces import EndedTraces


class FreshSizes:
    """The data-dependent sizes of a trace, stored by the names of their dimension variables."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._sources: dict[str, Any] = {}
        self._with_sources = EndedTraces()
        self._makers: dict[str, Callable[[], Any]] = {}
        self._bounds: dict[str, Any] = {}
        self._limits: dict[str, int] = {}
        self._inner: set[str] = set()
        self._nested: set[str] = set()
        self._met: set[str] = set()
        self._depth = 0
        self._renewals = 0
        self._outermost: object = None

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @property
    def version(self) -> int:
        """A part of JAX's cache keys that changes when a cached program could have a wrong size.

        Sizes created in the outermost program leave it unchanged, because no cached program contains them:
        `jax.numpy` functions are then traced once per type, however many sizes are created between their calls.
        """
        return self._renewals

    @property
    def inner(self) -> frozenset[str]:
        """The sizes that were created in a branch or loop body, and are defined only in that body."""
        return frozenset(self._inner)

    def of(self, d) -> frozenset[str]:
        """Return the names of the data-dependent sizes that occur in a dimension."""
        return jp.variables(d) & self._names.keys()

    def number_of(self, name: str) -> int:
        """Return how many sizes had been created before this one."""
        return self._names[name]

    # ---- making ------------------------------------------------------------------------------

    def new(self) -> str:
        """Create a name for a new size in the program (or branch or body) that is being traced."""
        name = f"u{len(self._names)}"
        self._names.setdefault(name, len(self._names))
        if jp.current_trace() is not self._outermost:
            self._renewals += 1
            self._nested.add(name)
        if self._depth:
            self._inner.add(name)
        return name

    def declare(self, name: str, bound) -> None:
        """Declare that an input size is to be treated as data-dependent, with the given bound."""
        self._names.setdefault(name, len(self._names))
        self._bounds[name] = bound
        self._renewals += 1

    def made_from(self, name: str, source) -> None:
        """Record the mask or count from which a size is computed."""
        self._sources[name] = source
        self._with_sources.note(source, name)

    def made_again(self, name: str, source) -> None:
        """Record the mask or count from which a size is computed again.

        The trace that computed it first has ended, so the earlier mask or count cannot be used.
        """
        self.made_from(name, source)
        self._makers.pop(name, None)
        self._renewals += 1
        if not self._depth:
            self._inner.discard(name)

    def is_over(self, name: str) -> bool:
        """Return whether the JAX trace in which a size was created has ended."""
        source = self._sources[name]
        return source is None or jp.is_finished(source)

    def forget(self, ended) -> None:
        """Drop the masks and counts that are tracers of the JAX trace `ended`."""
        for name in self._with_sources.keys(ended):
            if jp.is_tracer_of(self._sources[name], ended):
                self._sources[name] = None
                self._makers.pop(name, None)

    def sources(self) -> Mapping[str, Any]:
        """Return the masks and counts from which the sizes are computed, by the name of the size."""
        return types.MappingProxyType(self._sources)

    def source(self, name: str):
        """Return the mask or count from which a size is computed; `None` for an input size."""
        return self._sources.get(name)

    def resumed(self) -> None:
        """Invalidate JAX's trace caches when tracing resumes, since they contain old masks."""
        if self._names:
            self._renewals += 1

    @contextlib.contextmanager
    def outermost(self):
        """Open a block in which the current JAX trace is the outermost program of the dynamic trace."""
        self._outermost = jp.current_trace()
        try:
            yield
        finally:
            self._outermost = None

    def changed(self) -> None:
        """Invalidate JAX's trace caches: cached inner programs are valid for their first call only."""
        self._renewals += 1

    @property
    def is_inside_program(self) -> bool:
        """Whether a nested program, such as a branch, is being traced."""
        return self._depth > 0 or jp.current_trace() is not self._outermost

    def is_of_body(self, d) -> bool:
        """Return whether a size is computed in a nested program, or a branch or loop body is being traced."""
        return self._depth > 0 or not self._nested.isdisjoint(jp.variables(d))

    def is_made_inside(self, d) -> bool:
        """Return whether a size is computed in a nested program."""
        return not self._nested.isdisjoint(jp.variables(d))

    def note_met(self, name: str) -> None:
        """Record that a size is the one to which other sizes broadcast, any of which may be 1."""
        self._met.add(name)

    def is_met(self, d) -> bool:
        """Return whether other sizes, any of which may be 1, broadcast to a size."""
        return str(d) in self._met

    @contextlib.contextmanager
    def inside_program(self):
        """Open a block that traces a branch or loop body; sizes created in it are defined only there."""
        self._depth += 1
        sources, makers = dict(self._sources), dict(self._makers)
        try:
            yield
        except BaseException:
            # Nothing ends a trace that an exception leaves, so its masks and counts seem to be at hand.
            self._sources.update({name: sources.get(name) for name in self._sources})
            self._makers.clear()
            self._makers.update(makers)
            raise
        finally:
            self._depth -= 1

    # ---- properties ----------------------------------------------------------------

    def state_bound(self, name: str, bound) -> None:
        """Set the upper bound of a size in terms of the inputs, unless the size already has one."""
        self._bounds.setdefault(name, bound)

    def bound(self, name: str):
        """Return the upper bound of a size in terms of the inputs, or `None` if it has none."""
        return self._bounds.get(name)

    def state_limit(self, name: str, number: int) -> None:
        """Set the number that a size cannot exceed."""
        self._limits[name] = number

    def limit(self, name: str) -> int | None:
        """Return the number that a size cannot exceed, or `None`."""
        bound = self._limits.get(name, self._bounds.get(name))
        return bound if isinstance(bound, int) else None

    def state_maker(self, name: str, make: Callable[[], Any]) -> None:
        """Set the function that creates an array as long as the size, unless it is set already.

        `carrier` calls it, to connect a nested program with the arrays that the size depends on.
        """
        self._makers.setdefault(name, make)

    def carrier(self, name: str):
        """Create an array whose length is the size, or return `None` if the size's trace has ended."""
        source = self._sources.get(name)
        return None if source is None or jp.is_finished(source) else self._makers[name]()

    def sources_of(self, d) -> dict[str, Any]:
        """Return the masks and counts of the data-dependent sizes in a dimension, by name.

        Sizes whose trace has ended are left out.
        """
        known = [name for name in sorted(jp.variables(d)) if name in self._sources]
        return {name: self._sources[name] for name in known if not self.is_over(name)}
