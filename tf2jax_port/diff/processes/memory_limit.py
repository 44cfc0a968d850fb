"""Limit the memory and the memory maps of a process, so that it fails before the system kills it."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

# The share of the memory that a process may use.
_SHARE = 0.9
_GROUP = Path("/sys/fs/cgroup/memory.max")
# The maps of this process, one per line, and the number that a process may have.
_MAPS, _MOST_MAPS = Path("/proc/self/maps"), Path("/proc/sys/vm/max_map_count")
# Reading the list of maps is slow, and a case seldom adds a thousand.
CASES_BETWEEN_LOOKS = 16


def limit_memory() -> None:
    """Limit this process to nine tenths of the available memory; only on Linux."""
    if sys.platform != "linux":
        return
    import resource

    most = int(_SHARE * _memory_size())
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY or soft > most:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def spare_maps() -> None:
    """Clear JAX's caches if this process uses half of the memory maps that the system allows.

    Each compiled program keeps some maps; cases of hundreds of shapes would use too many, and the
    process would end in a segmentation fault.
    """
    with contextlib.suppress(OSError, ValueError):
        most = int(_MOST_MAPS.read_text())
        with _MAPS.open("rb") as maps:
            held = sum(1 for _ in maps)
        if held > most // 2 and "jax" in sys.modules:
            sys.modules["jax"].clear_caches()


def _memory_size() -> int:
    """Return the memory in bytes that this process may use: the machine's or its control group's."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):
        return min(machine, int(_GROUP.read_text()))
    return machine
