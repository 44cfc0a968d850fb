"""Let threads that compute end before the interpreter does.

At its exit, Python ends daemon threads wherever they are. One that is inside of JAX then takes the process
with it: SIGABRT, and an exit code that says that the program failed.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable

_STOPS: weakref.WeakKeyDictionary[threading.Thread, weakref.WeakMethod] = (
    weakref.WeakKeyDictionary()
)
_PATIENCE = 30.0  # seconds; a thread that does not end at all must not keep the program


def end_at_exit(thread: threading.Thread, stop: Callable[[], None]) -> None:
    """At the exit of the interpreter, ask a thread to stop, and wait until it has ended.

    Args:
      thread: a daemon thread.
      stop: a method that asks it, of an object that exists as long as the thread runs.
    """
    _STOPS[thread] = weakref.WeakMethod(stop)


@atexit.register
def _end_all() -> None:
    running = [(thread, stop()) for thread, stop in _STOPS.items() if thread.is_alive()]
    for _, stop in running:
        if stop is not None:
            stop()
    last = time.monotonic() + _PATIENCE
    for thread, _ in running:
        thread.join(max(0.0, last - time.monotonic()))
