"""Tells who asks about a symbolic size, the user's code or a rule of JAX, from the stack.

JAX has one entry for every comparison of symbolic sizes, and the right answer depends on who asks.
Where the user's code compares with a data-dependent size, the trace assumes an answer, and the run
checks it. Where JAX compares for itself (in its caches, in the shape rule of a gather), an
assumption would be checked although the program does not depend on it, and would trace it again
for nothing. JAX hands the caller to none of its functions, so the stack is the only place that
tells. All of that is here, and `tests/shims/test_askers.py` holds JAX to the names below.
"""

from __future__ import annotations

import sys
from types import FrameType

from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames

# JAX's rules that want an axis to be at least as long as what is read of it, or written to it by a
# derivative of that. Only the run knows, and the masking rules say what happens.
READS = (
    "jax._src.lax.slicing",
    *("_gather_shape_rule", "_dynamic_slice_shape_rule"),
    *("_scatter_shape_rule", "_dynamic_update_slice_shape_rule"),
)
# The rules that want sizes of at least 0, which products of sizes of arrays are.
EXTENDS = ("jax._src.lax.lax", "_reshape_shape_rule", "_broadcast_in_dim_shape_rule")
# So many frames lie between a rule and the comparison at most.
_MOST_FRAMES = 8


def user_calls(depth: int) -> bool:
    """Whether the user's code has called the function `depth` frames above the caller of this."""
    return user_frames.asks_for_user(sys._getframe(depth + 1))


def user_orders(hooks: dict) -> bool:
    """Whether the user's code has written the `<` (or a relative) that JAX decides now.

    Args:
      hooks: the globals of the hooks, which stand between JAX's operators and their caller.
    """
    frame: FrameType | None = sys._getframe(1)
    operators = vars(jp.shape_poly)
    while frame is not None and (frame.f_globals is operators or frame.f_globals is hooks):
        frame = frame.f_back
    return frame is None or user_frames.asks_for_user(frame)


def rule_reads() -> bool:
    """Whether a rule of JAX asks if an axis has as many elements as are read of it."""
    return _asked_by(*READS)


def rule_extends() -> bool:
    """Whether a rule of JAX asks if the size of a result is none below 0."""
    return _asked_by(*EXTENDS)


def _asked_by(module: str, *rules: str) -> bool:
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_MOST_FRAMES + 1):
        if frame is None:
            return False
        if frame.f_code.co_name in rules and frame.f_globals.get("__name__") == module:
            return True
        frame = frame.f_back
    return False
