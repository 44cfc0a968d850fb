"""`import shims` costs little beside `import jax` (what it loads: tests/meta/test_fresh_process)."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

MEASURE = """
import time
a = time.perf_counter()
import jax
b = time.perf_counter()
import shims
print((time.perf_counter() - a) / (b - a))
"""


def one_ratio() -> float:
    """`import jax` and then `import shims` over `import jax` alone, in one fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


@pytest.mark.long  # a timing: it says something on a quiet machine only
def test_importing_shims_takes_no_longer_than_jax_and_15_percent():
    ratios = sorted(one_ratio() for _ in range(20))
    assert statistics.median(ratios) <= 1.15, ratios
