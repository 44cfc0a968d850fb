"""The state of a dynamic trace: its sizes, its decisions, and the numbers of its values."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import threading
import types
from collections.abc import Callable, Mapping
from typing import Any

from jax import export

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims
from shims._src.sizes.decisions import Decisions
from shims._src.sizes.fresh_sizes import FreshSizes
from shims._src.sizes.sites import Settled, Site, SiteKind

_THREAD = threading.local()
_SERIALS = itertools.count()


class Respecialize(Exception):
    """The trace needs input dimensions as constants; `names` are their variables."""

    def __init__(self, names: frozenset[str]):
        super().__init__(", ".join(sorted(names)))
        self.names = names


@dataclasses.dataclass(frozen=True)
class Failure:
    """What a trace had taken for granted when it failed.

    Attributes:
      differing: sizes from data, each with a number that it was taken not to be; the last first.
      divisors: the numbers by which input sizes were divided without coming out even.
    """

    differing: tuple[tuple[str, int], ...] = ()
    divisors: tuple[int, ...] = ()


_FAILURE = "shims_failure"


def note_failure(error: Exception, state: DynamicTrace) -> None:
    """Write on an error what the trace that it ended had taken for granted."""
    failure = Failure(tuple(state.taken_to_differ()), state.decisions.divisors)
    setattr(error, _FAILURE, failure)


def failure_of(error: Exception) -> Failure:
    """Read what `note_failure` has written."""
    return getattr(error, _FAILURE, Failure())


class ValueNumbers:
    """Numbers for the computations of one trace: equal computations have equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._kept: list[object] = []

    def of(self, key: object) -> int:
        """The number of a computation, described by a key."""
        return self._numbers.setdefault(key, len(self._numbers))

    def keep(self, x: object) -> None:
        """Keep alive what a key tells by its identity, so that nothing else gets that."""
        self._kept.append(x)


class DynamicTrace:
    """One symbolic trace.

    Args:
      sizes: the sizes of the input dimension variables at this call (empty when unknown).
      settled: what earlier runs have settled: sizes taken to be constants, capacities of buffers.
      may_assume: whether the caller can trace again when an assumption fails.

    Attributes:
      fresh: the sizes that data decide.
      decisions: what the trace has taken for granted.
      numbers: the numbers of its computations.
      may_assume: as given.
    """

    def __init__(
        self,
        sizes: Mapping[str, int] = types.MappingProxyType({}),
        settled: Settled | None = None,
        may_assume: bool = False,
    ):
        self.fresh = FreshSizes()
        self.decisions = Decisions()
        self.numbers = ValueNumbers()
        self.may_assume = may_assume
        self._sizes = dict(sizes)
        self._settled = Settled() if settled is None else settled.with_pins({})
        self._scope = export.SymbolicScope()
        self._origins: dict[str, str] = {}
        self._sized: dict[object, tuple[str, Any]] = {}
        self._limits = 0
        self._buffers = 0
        self._serial = next(_SERIALS)

    def new_buffer(self, first: int) -> tuple[Site, int]:
        """The site of a buffer, and its capacity: `first`, or what earlier runs have settled."""
        self._buffers += 1
        site = Site(SiteKind.BUFFER, f"{SiteKind.BUFFER.value}{self._buffers}")
        return site, self._settled.buffers.get(site, first)

    def new_limit(self) -> Site:
        """The site of a stated bound, which may grow at the top level."""
        self._limits += 1
        return Site(SiteKind.BOUND, f"{SiteKind.BOUND.value}{self._limits}")

    # ---- sizes -------------------------------------------------------------------------------

    def dimension(self, name: str):
        """The symbolic dimension of that name in this trace's scope."""
        return export.symbolic_shape(name, scope=self._scope)[0]

    def owns(self, d) -> bool:
        """Whether a dimension belongs to this trace."""
        return jp.is_symbolic(d) and jp.same_scope(d, self._scope)

    def is_input_only(self, d) -> bool:
        """Whether the value of a dimension is known at this call."""
        return all(v in self._sizes for v in jp.variables(d))

    def value(self, d) -> int:
        """The value of a dimension at this call, where it is known."""
        return dims.concrete(d, self._sizes)

    def declare_input(self, name: str, size: int):
        """Give an input dimension variable its size at this call; returns the dimension."""
        self._sizes[name] = size
        return self.dimension(name)

    def declare_fresh(self, name: str):
        """Count an input dimension variable among the sizes that data decide; returns the dimension."""
        self.fresh.declare(name, self.dimension(name))
        return self.dimension(name)

    def size_of(self, key: object, source) -> tuple[str, Any]:
        """The fresh size of a computation: its name, and the dimension (a constant where pinned).

        Args:
          key: equal for equal computations.
          source: the mask or the count behind it.
        """
        if key not in self._sized:
            name = self.fresh.new()
            self.fresh.made_from(name, source)
            self.numbers.keep(source)
            self._origins[name] = errors.user_line()
            pinned = self._settled.pins.get(name)
            self._sized[key] = name, self.dimension(name) if pinned is None else pinned
        elif self.fresh.is_over(self._sized[key][0]):
            self.fresh.made_again(self._sized[key][0], source)
        else:
            return self._sized[key]
        # An inner `jax.jit` called again must not give the size of its first call.
        jp.set_trace_key(self.key())
        return self._sized[key]

    def key(self):
        """What tells JAX's trace caches this trace, and how far it has come."""
        return ("shims", self._serial, *self.fresh.version)

    # ---- decisions ---------------------------------------------------------------------------

    def decide(self, d, predicate: Callable[[int], bool], text: str) -> bool:
        """Decide a question about input sizes by this call's sizes, and guard the answer."""
        return self.decisions.decide(d, self._sizes, predicate, text)

    def assume_some(self, d) -> None:
        """Note that JAX would have refused this program if `d` had turned out to be zero."""
        if self.owns(d) and not self.is_input_only(d):
            self.decisions.assume_nonzero(d)

    def taken_to_differ(self) -> list[tuple[str, int]]:
        """Fresh sizes, each with the positive number that it was taken not to be; the last first."""
        found = [assumed.other_number() for assumed in reversed(self.decisions.assumptions)]
        return list(dict.fromkeys(pair for pair in found if pair and pair[0] in self.fresh))

    # ---- messages ----------------------------------------------------------------------------

    @property
    def origins(self) -> Mapping[str, str]:
        """The user's line that made each data-dependent size."""
        return types.MappingProxyType(self._origins)

    def note_origin(self, name: str, text: str) -> None:
        """Note where a data-dependent size of an input comes from."""
        self._origins[name] = text

    def with_origins(self, text: str) -> str:
        """A message with the lines that made the data-dependent sizes that it names."""
        named = set(re.findall(r"\w+", text))
        return errors.with_sizes(text, {n: line for n, line in self._origins.items() if n in named})


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
    if state is not None:
        state.fresh.resumed()
    jp.set_trace_key(None if state is None else state.key())
    try:
        yield state
    finally:
        stack.pop()
        jp.set_trace_key(before)
