"""Notice edits of a port or of its recorded calls."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

State = dict[str, tuple[int, int]]  # by path: the time of the last edit, and the size
_SECONDS = 0.5


def state_of(file: Path, root: Path) -> State:
    """Return a value that changes if a file of calls or a Python file of a port is edited."""
    found: State = {}
    _add(str(file), found)
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if not name.startswith((".", "__pycache__"))]
        for name in names:
            if name.endswith(".py"):
                _add(os.path.join(folder, name), found)
    return found


def _add(path: str, found: State) -> None:
    with contextlib.suppress(OSError):  # it is being written
        about = os.stat(path)
        found[path] = (about.st_mtime_ns, about.st_size)


def edits(
    file: Path, root: Path, before: State, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[str]]:
    """Yield the paths of the files that were edited, whenever some were.

    Args:
      file: the captured calls.
      root: the folder of the port.
      before: the state that is known; an edit since then is the first one.
      sleep: waits between two looks.
    """
    while True:
        now = state_of(file, root)
        if now == before:
            sleep(_SECONDS)
            continue
        changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
        before = now
        yield sorted(changed)
