"""Let the threads of a session take turns at iterators and readers, which only one thread can advance."""

from __future__ import annotations

import threading
from typing import Any


def turn_of(session, name: str) -> Any:
    """Return the lock of a session under a name, for a `with` block."""
    return session.resources.setdefault(f"turn of {name}", threading.RLock())
