"""Find out how much of the machine other programs take while something is measured."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator


def _busy() -> tuple[float, int] | None:
    """Return the seconds that all processors have worked, and their number; `None` where unknown."""
    try:
        with open("/proc/stat") as file:
            lines = [line.split() for line in file if line.startswith("cpu")]
    except OSError:
        return None
    # user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user.
    ticks = [int(n) for n in lines[0][1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK"), len(lines) - 1


def _own() -> float:
    """Return the processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


@contextlib.contextmanager
def watched() -> Iterator[list[float]]:
    """Return a list that gets the share of the machine that others took in the block.

    It stays empty where the system does not tell.
    """
    found: list[float] = []
    before, own, start = _busy(), _own(), time.perf_counter()
    yield found
    after, took = _busy(), time.perf_counter() - start
    if before is not None and after is not None and took > 0:
        others = after[0] - before[0] - (_own() - own)
        found.append(max(others, 0.0) / (took * after[1]))
