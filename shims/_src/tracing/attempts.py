"""Let a program's changes of Python's objects happen once, although it is traced several times for one call.

A trace ends early where a size must be a number, and the function is traced again; under an enclosing trace it is
traced for both answers to a question. Each trace begins with the objects as they were before the first
trace. What a
program has created stays: an object that holds a new variable, layer or other object of a library is left alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator

from shims._src.platform.thread_state import ThreadSlot
from shims._src.recording.snapshots import Snapshot


@dataclasses.dataclass(eq=False)
class _Attempts:
    """The traces for one call, with the objects that the function reaches as they were before the first trace."""

    before: Snapshot | None = None


_CURRENT: ThreadSlot[_Attempts | None] = ThreadSlot(None)


@contextlib.contextmanager
def of_one_call() -> Iterator[None]:
    """Open a block that may trace the function of one call several times."""
    with _CURRENT.holding(_Attempts()):
        yield


def keep_changes() -> None:
    """Keep what the last trace has changed: the next one is a further run of the function, as in TensorFlow."""
    if _CURRENT.value is not None:
        _CURRENT.value.before = None


@contextlib.contextmanager
def tracing(function: Callable) -> Iterator[None]:
    """Open a block that traces the function, after the changes of earlier traces for the same call are undone."""
    attempts = _CURRENT.value
    if attempts is not None:
        if attempts.before is None:
            attempts.before = Snapshot([function], has_variables=True)
        else:
            attempts.before.restore(keeps_created=True)
    with _CURRENT.holding(None):  # functions that this one calls are traced for calls of their own
        yield
