"""Select the random streams of stateful operators: the streams of `set_seed`, or the streams of a session."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from shims._src.platform.thread_state import ThreadSlot
from shims._src.tracing.sized_by import hold_in_trials

# (kernel, seed, blocks) -> the words at which the operator's stream starts, see `draw`.
Source = Callable[[tuple, Any, Any], Any]


_SOURCE: ThreadSlot[Source | None] = ThreadSlot(None)


def current() -> Source | None:
    """Return this thread's source of random streams, `None` for the streams of `global_seed`."""
    return _SOURCE.value


# What tells whether a TensorFlow 1 graph is being built.
_BUILDERS: list[Callable[[], bool]] = []


def ask_before_draws(is_building: Callable[[], bool]) -> None:
    """Let `builds_graph` ask a function that tells whether a TensorFlow 1 graph is being built."""
    _BUILDERS.append(is_building)


def builds_graph() -> bool:
    """Return whether a TensorFlow 1 graph is being built, of which a number drawn now would be a constant."""
    return current() is None and any(is_building() for is_building in _BUILDERS)


def drawn_from(source: Source | None) -> contextlib.AbstractContextManager[object]:
    """Return a context in which stateful operators use the random streams of `source`."""
    return _SOURCE.holding(source)


def outlined(draws: list | None = None):
    """Return a context in which stateful operators use dummy streams, for abstract evaluation.

    Args:
      draws: a list that receives the kernel and the seed of each random operator; a pair of `None` stands
        for a seed that is consumed without random numbers.
    """
    return drawn_from(_Outlined(draws))


class _Outlined:
    """The source of random streams of an abstract evaluation."""

    def __init__(self, draws: list | None):
        self._draws = draws

    def __call__(self, kernel, seed, blocks):
        del blocks
        self._note(kernel, seed)
        return np.zeros(6, np.uint32)

    def consumed(self) -> None:
        """Note that a seed is consumed."""
        self._note(None, None)

    def _note(self, kernel, seed) -> None:
        if self._draws is not None:
            self._draws.append((kernel, seed))


def note_consumed() -> None:
    """Note, in an abstract evaluation, that an operator consumes a seed without generating numbers."""
    source = current()
    if isinstance(source, _Outlined):
        source.consumed()


hold_in_trials(outlined)
