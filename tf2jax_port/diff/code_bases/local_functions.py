"""Choose which local functions are recorded separately: functions that are called after their creator has returned."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

from tf2jax_port.diff.code_bases.call_file import Function
from tf2jax_port.diff.code_bases.closures import ordinal_of_code
from tf2jax_port.diff.code_bases.encoding import Encoder, Node, UnfitError

LOCAL = ".<locals>"
_CONVERTED = "outer_factory."  # begins the names of functions that AutoGraph has written


def may_be_recorded(code: CodeType) -> bool:
    """Return whether a nested function of the program is a plain function, not a method of a local class."""
    name = code.co_qualname.rpartition(f"{LOCAL}.")[2]
    return "." not in name and not code.co_qualname.startswith(_CONVERTED)


def is_part(code: CodeType, frame: FrameType, running: Iterable[Function]) -> bool:
    """Return whether a call of a local function belongs to another call.

    Either the call of its maker is under way, or a decorator has made it around a function that is
    recorded itself.

    Args:
      code: the instructions of the function.
      frame: its frame, which has begun.
      running: the functions whose calls are under way.
    """
    module = str(frame.f_globals.get("__name__", ""))
    makers = {(module, maker) for maker in _makers(code.co_qualname)}
    if not makers.isdisjoint(running):
        return True
    return any(_is_replaced(frame.f_locals.get(name)) for name in code.co_freevars)


def _makers(name: str) -> Iterable[str]:
    while LOCAL in name:
        name = name.rpartition(LOCAL)[0]
        yield name


def _is_replaced(value: Any) -> bool:
    """Return whether the function's name in its module is bound to another object, as after a decorator."""
    if not inspect.isfunction(value) or LOCAL in value.__qualname__:
        return False
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is not value


def node_of(code: CodeType, frame: FrameType, encoder: Encoder) -> Node:
    """Return the node of a local function whose call has begun: its position in its file, and its closure.

    Raises:
      UnfitError: its file has no such function, or a value cannot be replayed.
    """
    ordinal = ordinal_of_code(code)
    if ordinal is None:
        raise UnfitError(f"local function {code.co_qualname}")
    around = {name: frame.f_locals[name] for name in code.co_freevars if name in frame.f_locals}
    return {
        "kind": "closure",
        "module": str(frame.f_globals["__name__"]),
        "name": code.co_qualname,
        "ordinal": ordinal,
        "items": [encoder.encode([[], {}])],  # all arguments are given
        "fields": {name: encoder.encode(value) for name, value in around.items()},
    }
