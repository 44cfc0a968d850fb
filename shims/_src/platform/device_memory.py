"""Find out how much memory an array may take on the device."""

from __future__ import annotations

import os

import jax

# The environment variable that replaces what the device reports, in bytes.
LIMIT = "SHIMS_MEMORY_LIMIT"
# The share of the free memory that arrays may take; the rest is for the program and its temporaries.
_SHARE = 0.9


def available() -> int | None:
    """Return the free bytes of the default device, less a margin; `None` if unknown.

    The environment variable `SHIMS_MEMORY_LIMIT` overrides the number.
    """
    stated = os.environ.get(LIMIT)
    if stated:
        return int(float(stated))
    device = jax.local_devices()[0]
    stats = device.memory_stats() or {}
    if "bytes_limit" in stats:
        free = stats["bytes_limit"] - stats.get("bytes_in_use", 0)
    elif device.platform == "cpu":
        free = _free_on_host()
    else:
        return None
    return None if free is None else int(_SHARE * free)


def _free_on_host() -> int | None:
    """Return the free bytes of the host or of the container that the process runs in."""
    found = [n for n in (_free_of_system(), _free_in_container()) if n is not None]
    return min(found, default=None)


def _free_of_system() -> int | None:
    try:
        with open("/proc/meminfo") as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_in_container() -> int | None:
    try:
        with (
            open("/sys/fs/cgroup/memory.max") as most,
            open("/sys/fs/cgroup/memory.current") as now,
        ):
            return max(int(most.read()) - int(now.read()), 0)
    except (OSError, ValueError):  # no container, or none with a limit
        return None
