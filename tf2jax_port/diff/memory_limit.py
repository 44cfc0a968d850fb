"""A process that wants all memory is refused it, before the system ends some other process for it."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

# What the rest of the machine keeps.
_SHARE = 0.9
_GROUP = Path("/sys/fs/cgroup/memory.max")


def limit_memory() -> None:
    """Let this process have nine tenths of the memory that there is; where a system can say so."""
    if sys.platform != "linux":
        return
    import resource

    most = int(_SHARE * _memory())
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY or soft > most:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _memory() -> int:
    """The bytes of memory of this machine, or of the part of it that this process has."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):
        return min(machine, int(_GROUP.read_text()))
    return machine
