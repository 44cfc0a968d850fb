"""The state of a dynamic trace: its sizes, its guards, and what it has assumed."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import threading
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import export

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims

_THREAD = threading.local()


class Respecialize(Exception):
    """The trace needs an input dimension as a constant."""

    def __init__(self, names: frozenset[str], line: str):
        super().__init__(f"{sorted(names)} at {line}")
        self.names = names
        self.line = line


_TAKEN = "sizes_taken_to_differ"


def note_failure(error: Exception, state: DynamicTrace) -> None:
    """Writes on an error what the trace that it ended took sizes from data not to be."""
    setattr(error, _TAKEN, state.taken_to_differ())


def taken_to_differ(error: Exception) -> list[tuple[str, int]]:
    """What `note_failure` has written."""
    return getattr(error, _TAKEN, [])


@dataclasses.dataclass(frozen=True, eq=False)
class Guard:
    """A decision about input sizes that a trace depends on."""

    text: str
    holds: Callable[[dict[str, int]], bool]
    line: str


@dataclasses.dataclass(eq=False)
class DynamicTrace:
    """One symbolic trace.

    Attributes:
      sizes: the sizes of the input dimension variables at this call (empty when unknown).
      pins: fresh sizes assumed constant, by name.
      guards: decisions taken with `sizes`.
      assumptions: `(difference, "zero" or "nonnegative", line)`: what was taken to be false of an
        expression over fresh sizes, and is checked when the program runs.
      origins: the user's line that made each data-dependent size.
      promised: dimensions, as text, whose sign is checked when the program runs.
      may_assume: whether the caller can trace again when an assumption fails.
      inner: fresh sizes that a branch or a loop body made, which only it knows.
      varying: fresh sizes that a branch, a loop body or a mapped row made: another one every time.
      makers: for each fresh size what makes an array that long once more.
      depth: how many branches and bodies are being traced, one in the other.
      mapped: how many functions that are mapped over rows are, one in the other.
      again: how many times a fresh size was found in one branch or body after another one, or in
        one trace after another one.
    """

    sizes: dict[str, int] = dataclasses.field(default_factory=dict)
    pins: dict[str, int] = dataclasses.field(default_factory=dict)
    scope: Any = dataclasses.field(default_factory=export.SymbolicScope)
    guards: list[Guard] = dataclasses.field(default_factory=list)
    fresh: set[str] = dataclasses.field(default_factory=set)
    numbered: dict[object, Any] = dataclasses.field(default_factory=dict)
    interned: dict[object, int] = dataclasses.field(default_factory=dict)
    sources: dict[str, Any] = dataclasses.field(default_factory=dict)
    kept: list[object] = dataclasses.field(default_factory=list)
    assumptions: list[tuple[Any, str, str]] = dataclasses.field(default_factory=list)
    promised: set[str] = dataclasses.field(default_factory=set)
    may_assume: bool = False
    origins: dict[str, str] = dataclasses.field(default_factory=dict)
    inner: set[str] = dataclasses.field(default_factory=set)
    varying: set[str] = dataclasses.field(default_factory=set)
    makers: dict[str, Callable] = dataclasses.field(default_factory=dict)
    depth: int = 0
    mapped: int = 0
    again: int = 0
    limits: int = 0
    rooms: int = 0
    bounds: dict[str, Any] = dataclasses.field(default_factory=dict)
    serial: int = dataclasses.field(default_factory=itertools.count().__next__)

    def new_room(self) -> str:
        """A name for a room whose capacity is a bucket of the top-level call."""
        self.rooms += 1
        return f"room{self.rooms}"

    def new_limit(self) -> str:
        """A name for a stated bound, which may grow at the top level."""
        self.limits += 1
        return f"bounded{self.limits}"

    def dimension(self, name: str):
        """The symbolic dimension of that name in this trace's scope."""
        return export.symbolic_shape(name, scope=self.scope)[0]

    def new_size(self) -> tuple[str, Any]:
        """A fresh size: its name, and the dimension (a constant where one was assumed)."""
        name = f"u{len(self.fresh)}"
        self.fresh.add(name)
        if self.depth:
            self.inner.add(name)
        if self.depth or self.mapped:
            self.varying.add(name)
        self.origins[name] = errors.user_line()
        # An inner `jax.jit` called again must not give the size of its first call.
        jp.set_trace_key(self.key())
        return name, self.pins.get(name, None) if name in self.pins else self.dimension(name)

    def make_again(self, name: str, source) -> None:
        """A fresh size is found a second time, and the branch or body that found it first is over."""
        self.sources[name] = source
        self.makers.pop(name, None)
        self.again += 1
        if not self.depth:
            self.inner.discard(name)
        if not self.depth and not self.mapped:
            self.varying.discard(name)
        jp.set_trace_key(self.key())

    def count(self, name: str):
        """The number behind a fresh size, where its trace is still going on; else `None`."""
        source = self.sources[name]
        return None if jp.is_finished(source) else jnp.sum(source, dtype=jnp.int32)

    def counts(self, dim) -> dict:
        """The numbers behind the fresh sizes of a dimension whose traces are still going on."""
        found = {v: self.count(v) for v in sorted(jp.variables(dim)) if v in self.sources}
        return {v: count for v, count in found.items() if count is not None}

    def carrier(self, name: str):
        """An array as long as a fresh size, where the trace that made it is still going on."""
        source = self.sources.get(name)
        return None if source is None or jp.is_finished(source) else self.makers[name]()

    def key(self):
        """What tells JAX's trace caches this trace, and how far it has come."""
        return ("shims", self.serial, len(self.fresh), self.again)

    def assume_some(self, d) -> None:
        """Note that JAX would have refused this program if `d` had turned out to be zero."""
        if self.owns(d) and not self.is_input_only(d):
            self.assumptions.append((d, "zero", errors.user_line()))

    def taken_to_differ(self) -> list[tuple[str, int]]:
        """Fresh sizes, each with the positive number that it was taken not to be; the last first."""
        found = []
        for d, kind, _ in reversed(self.assumptions):
            names = jp.variables(d)
            if kind != "zero" or len(names) != 1 or not self.fresh.issuperset(names):
                continue
            (name,) = names
            at = [dims.concrete(d, {name: number}) for number in range(3)]
            step = at[1] - at[0]
            if abs(step) == 1 == abs(at[2] - at[1]) and -at[0] * step > 0:
                found.append((name, -at[0] * step))
        return list(dict.fromkeys(found))

    def with_origins(self, text: str) -> str:
        """A message with the lines that made the data-dependent sizes that it names."""
        named = {name: line for name, line in self.origins.items() if name in text}
        whole = {n: line for n, line in named.items() if re.search(rf"\b{n}\b", text)}
        return errors.with_sizes(text, whole)

    def owns(self, d) -> bool:
        """Whether a dimension belongs to this trace."""
        return jp.is_symbolic(d) and jp.same_scope(d, self.scope)

    def is_input_only(self, d) -> bool:
        """Whether the value of a dimension is known at this call."""
        return all(v in self.sizes for v in jp.variables(d))

    def decide(self, d, predicate: Callable[[int], bool], text: str) -> bool:
        """Decide a question about input sizes by this call's sizes, and guard the answer."""
        answer = bool(predicate(dims.concrete(d, self.sizes)))

        def holds(sizes: dict[str, int]) -> bool:
            return bool(predicate(dims.concrete(d, sizes))) == answer

        shown = text if answer else f"not ({text})"
        if all(g.text != shown for g in self.guards):
            self.guards.append(Guard(shown, holds, errors.user_line()))
        return answer


def current() -> DynamicTrace | None:
    """The dynamic trace of this thread, if one is in progress."""
    stack = getattr(_THREAD, "stack", None)
    return stack[-1] if stack else None


@contextlib.contextmanager
def resume(state: DynamicTrace | None):
    """Trace under `state` (again); `None` suspends dynamic tracing.

    The hooks are installed by whoever traces a program first: `program.trace_program`.
    """
    stack = getattr(_THREAD, "stack", None)
    if stack is None:
        stack = _THREAD.stack = []
    before = jp.trace_key()
    stack.append(state)
    if state is not None and state.fresh:
        state.again += 1  # JAX's caches hold what sizes were counted from in a trace that is over
    jp.set_trace_key(None if state is None else state.key())
    try:
        yield state
    finally:
        stack.pop()
        jp.set_trace_key(before)
