"""Define the lock of a compiled function: a thread that waits long says so, and Python functions run without it."""

from __future__ import annotations

import contextlib
import threading
import warnings
import weakref
from collections.abc import Iterator

from shims._src.platform.forks import in_forked_process

# Seconds after which a thread that still waits says so.
_PATIENCE = 60.0


class Turn:
    """A reentrant lock that one thread holds at a time.

    Args:
      name: what it is the lock of, for the message.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.RLock()
        _TURNS.add(self)

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=_PATIENCE):
            warnings.warn(
                f"{self._name}: this thread has waited {_PATIENCE:g} seconds for another thread that "
                f"traces or compiles the function, and continues to wait. If that thread waits for this "
                f"thread, as with `thread.join()` in "
                "the traced function, neither will end: call `join` outside of the function.",
                RuntimeWarning,
                stacklevel=4,
            )
            self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    @contextlib.contextmanager
    def released(self) -> Iterator[None]:
        """Open a block in which other threads may hold the lock, although this thread does."""
        # The names that `threading.Condition` uses, for the same purpose.
        depth = self._lock._release_save()  # type: ignore[attr-defined]
        try:
            yield
        finally:
            self._lock._acquire_restore(depth)  # type: ignore[attr-defined]

    def renew(self) -> None:
        """Replace the lock in a forked process, where the thread that holds it does not exist."""
        self._lock = threading.RLock()


_TURNS: weakref.WeakSet[Turn] = weakref.WeakSet()


def _renew_all() -> None:
    for turn in list(_TURNS):
        turn.renew()


in_forked_process(_renew_all)
