"""What a process may have of memory, and of maps of it: it stops, or gives back, before it is ended."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

# What the rest of the machine keeps.
_SHARE = 0.9
_GROUP = Path("/sys/fs/cgroup/memory.max")
# What this process has mapped, a line each, and how many maps a process may have.
_MAPS, _MOST_MAPS = Path("/proc/self/maps"), Path("/proc/sys/vm/max_map_count")
# The list of maps is long, and a case seldom adds a thousand.
CASES_BETWEEN_LOOKS = 16


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


def spare_maps() -> None:
    """Let JAX forget what it has compiled, if this process has half of the maps that it may have.

    Each compiled program keeps some; of cases of hundreds of shapes they become too many, and the
    process would end in a segmentation fault.
    """
    with contextlib.suppress(OSError, ValueError):
        most = int(_MOST_MAPS.read_text())
        with _MAPS.open("rb") as maps:
            held = sum(1 for _ in maps)
        if held > most // 2 and "jax" in sys.modules:
            sys.modules["jax"].clear_caches()


def _memory() -> int:
    """The bytes of memory of this machine, or of the part of it that this process has."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):
        return min(machine, int(_GROUP.read_text()))
    return machine
