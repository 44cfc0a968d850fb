"""The programs table: ordinary programs over sizes that only the data knows.

Each file is one theme: small named functions and, at its end, one row for each. `row_lanes.py` runs
rows; the test files of the folder above compare.
"""

from __future__ import annotations

from tests.tracing.programs import (
    control_flow,
    guards,
    indexing,
    layout,
    linear_algebra,
    ordering,
    scatter,
    selections,
    sizes,
    sketches,
    statistics,
)

MASKED = (
    *statistics.PROGRAMS,
    *ordering.PROGRAMS,
    *layout.PROGRAMS,
    *linear_algebra.PROGRAMS,
    *control_flow.PROGRAMS,
    *scatter.PROGRAMS,
)
SELECTING = (*selections.PROGRAMS, *indexing.PROGRAMS)
PORTED = sketches.PROGRAMS
SIZED = (*sizes.PROGRAMS, *guards.PROGRAMS)
