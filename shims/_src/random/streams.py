"""Who says where stateful random operators start: the program, or a graph that a session runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from shims._src.platform.thread_state import ThreadSlot

# (kernel, seed, blocks) -> the words at which the operator starts, see `draw`.
Source = Callable[[tuple, Any, Any], Any]


_SOURCE: ThreadSlot[Source | None] = ThreadSlot(None)


def current() -> Source | None:
    """Who says so in this thread; `None` is the program, see `global_seed`."""
    return _SOURCE.value


def drawn_from(source: Source | None) -> contextlib.AbstractContextManager[object]:
    """Let `source(kernel, seed, blocks)` say where operators start."""
    return _SOURCE.holding(source)


def outlined(draws: list | None = None):
    """Let operators start anywhere, because only the shapes of what they draw are asked for.

    Args:
      draws: a list that receives the kernel and the seed of each operator that draws.
    """

    def source(kernel, seed, blocks):
        del blocks
        if draws is not None:
            draws.append((kernel, seed))
        return np.zeros(6, np.uint32)

    return drawn_from(source)
