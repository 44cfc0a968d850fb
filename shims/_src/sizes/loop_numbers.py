"""Track the traced scalars that represent Python numbers while the body of a loop is staged.

In Python a loop counts with `int`s, whose division by 0 is an error; that of arrays is not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import numbering

# The tracers are held, so that no other one has their `id`.
_NUMBERS: ThreadSlot[dict[int, object]] = ThreadSlot({})


def standing_for_numbers(tracers: Iterable) -> contextlib.AbstractContextManager:
    """Return a context manager in which the given scalars, and what is computed from them, count as numbers."""
    found = map(jp.primal_tracer, filter(jp.is_tracer, tracers))
    return _NUMBERS.holding({**_NUMBERS.value, **{id(x): x for x in found}})


def is_number(x) -> bool:
    """Return whether a traced value is computed from such scalars and from sizes alone."""
    if not _NUMBERS.value or not jp.is_tracer(x) or x.ndim:
        return False
    return numbering.sizes_behind(x, _NUMBERS.value) is not None
