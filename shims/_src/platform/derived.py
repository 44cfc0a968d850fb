"""Cache a computed value; a traced value is kept only as long as its trace is the current one."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import jax

from shims._src.platform import jax_private as jp


class Derived:
    """A value that is either given, or computed when it is first needed and then cached.

    A concrete result is kept for good. A traced one is kept while its trace is the current one: it may have
    been computed by an inner trace, whose tracers an outer trace cannot use.

    Attributes:
      given: the value, or `None` if it is to be computed.
    """

    def __init__(self, given: Any = None) -> None:
        self.given = given
        self._computed: Any = None
        self._trace: Callable[[], Any] | None = None

    def get(self, compute: Callable[[], Any]) -> Any:
        """Return the value: the given one, the cached one, or the result of `compute`."""
        if self.given is not None:
            return self.given
        here = jp.current_trace()
        if self._computed is None or (self._trace is not None and self._trace() is not here):
            self._computed = compute()
            is_traced = any(map(jp.is_tracer, jax.tree.leaves(self._computed)))
            self._trace = weakref.ref(here) if is_traced else None
        return self._computed
