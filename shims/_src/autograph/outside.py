"""Find out whether an object outlives the trace in progress, so it must not hold traced values.

It did if the traced function reaches it: through its closure, the globals that it and other functions
of the program name, the object of a method, attributes and items.
"""

from __future__ import annotations

import collections
import functools
import gc
import types
from collections.abc import Iterable
from typing import Any

from shims._src.platform import user_frames
from shims._src.recording import reads
from shims._src.sizes import trace

# Objects beyond this number are not looked at, and count as reached.
_MOST = 50_000
_HOLDERS = (
    *(dict, list, tuple, set, frozenset, collections.deque),
    *(types.MethodType, functools.partial, types.CellType),
)


def holds(owner: Any) -> bool:
    """Return whether an object existed before the trace in progress, as far as the traced function shows."""
    state = trace.current()
    if state is None or state.function is None:
        return False
    if state.outside is None:
        state.outside = _reached(state.function)
    return id(owner) in state.outside or len(state.outside) >= _MOST


def _reached(function: Any) -> dict[int, Any]:
    """Return the objects that a function reaches, by `id`; while they are held, no other object gets their `id`."""
    found: dict[int, Any] = {}
    left = [function]
    while left and len(found) < _MOST:
        value = left.pop()
        if id(value) not in found:
            found[id(value)] = value
            left.extend(_held(value))
    return found


def _held(value: Any) -> Iterable[Any]:
    """Return the objects that an object holds."""
    if isinstance(value, types.FunctionType):
        return _held_by_function(value)
    if not isinstance(value, _HOLDERS):
        is_own = isinstance(value, (type, types.ModuleType))
        name = getattr(value if is_own else type(value), "__module__", None) or ""
        if isinstance(value, types.ModuleType):
            name = value.__name__
        if user_frames.is_unconverted_module(name) and not name.startswith("shims."):
            return ()
    return gc.get_referents(value)  # attributes, also those in slots, items, and the class


def _held_by_function(function: types.FunctionType) -> list[Any]:
    held = [*vars(function).values(), *(function.__defaults__ or ())]
    if not user_frames.is_unconverted_module(function.__globals__.get("__name__") or ""):
        return held + reads.values_of(function)
    for cell in function.__closure__ or ():  # of a function that holds the program's
        try:
            held.append(cell.cell_contents)
        except ValueError:  # the variable is not set yet
            continue
    return held
