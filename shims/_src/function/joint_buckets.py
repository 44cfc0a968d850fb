"""Choose the capacities of several input sizes together, so that few combinations are compiled.

Each of `k` sizes has a dozen buckets, and together they have a dozen to the power of `k`. The first
combinations are compiled as they come. After that the buckets become coarser step by step, and a
combination that is already compiled serves all calls that fit into it.
"""

from __future__ import annotations

import math
import warnings

from shims._src.errors import errors

# The number of combinations that are compiled before the buckets become coarser by one step.
PER_STEP = 8
# At this step no number below 2**32 is a bucket, so the largest capacity so far is taken.
_LAST_STEP = 5
# The number of combinations of given buckets above which a warning is due.
MANY = 32


class JointBuckets:
    """The combinations of capacities for which a program has been compiled."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], None] = {}
        self._largest: tuple[int, ...] = ()

    def choose(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """Return capacities to compile for, at least as large as `wanted`, which are powers of two."""
        if len(wanted) < 2 or wanted in self._made:
            return wanted
        self._largest = tuple(map(max, wanted, self._largest or wanted))
        step = min(len(self._made) // PER_STEP, _LAST_STEP)
        coarse = tuple(
            min(_coarser(c, step), m) for c, m in zip(wanted, self._largest, strict=True)
        )
        fitting = [m for m in self._made if all(map(int.__ge__, m, wanted))]
        best = min([*fitting, coarse], key=math.prod)
        self._made[best] = None
        return best

    def note(self, given: tuple[int, ...]) -> None:
        """Record capacities chosen by the user's `buckets`; warn if there are many combinations."""
        if len(given) < 2 or given in self._made or len(self._made) >= MANY:
            return
        self._made[given] = None
        if len(self._made) == MANY:
            text = errors.message(
                "function",
                f"{MANY} combinations of `buckets` have been compiled for {len(given)} unknown sizes.",
                received=f"capacities up to {tuple(map(max, zip(*self._made, strict=True)))}",
                do=(
                    'list fewer buckets, or keep `buckets="powers_of_two"`, which chooses the '
                    "capacities jointly"
                ),
            )
            warnings.warn(text, errors.SpecializationWarning, stacklevel=8)


def _coarser(capacity: int, step: int) -> int:
    """Round a power of two up to the next `2**k` for which `k` is a multiple of `2**step`.

    Larger steps leave fewer capacities, for which fewer programs are compiled.
    """
    distance = 1 << step
    return 1 << -(-(capacity.bit_length() - 1) // distance) * distance
