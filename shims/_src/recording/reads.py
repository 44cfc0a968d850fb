"""Detect that code which is about to be staged changes an object by reading it.

A read of an iterator advances it. Properties, `__getitem__` and other special methods of the program's classes
may count, cache or log, and a `defaultdict` adds what is missing. These methods run as written, so nothing
reports their changes when they happen; their code is searched for changes in place.
"""

from __future__ import annotations

import collections
import dis
import functools
import inspect
import types
from collections.abc import Iterable, Iterator
from typing import Any

from shims._src.platform import user_frames

# The most attributes that lead from a variable to an object that is examined, as in `self.state.cache`.
_DEPTH = 3
_STORES = frozenset(
    {
        *("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"),
        *("STORE_GLOBAL", "DELETE_GLOBAL"),
    }
)
_CHANGING = frozenset(
    {
        *("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault"),
        *("pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse", "next"),
        *("setattr", "delattr", "move_to_end", "write", "print"),
    }
)
# Special methods that code calls without naming them, and that only read by custom.
_SPECIAL = (
    *("__getattr__", "__getattribute__", "__getitem__", "__missing__", "__len__", "__iter__"),
    *("__contains__", "__bool__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
    *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__"),
    *("__rtruediv__", "__neg__", "__int__", "__float__", "__index__", "__array__"),
    "__jax_array__",
)


def may_change(code: types.CodeType, values: Iterable) -> bool:
    """Return whether code may change one of the values that it reads."""
    names = _names(code)
    return any(_is_changed(value, names, _DEPTH) for value in values)


def values_of(function: Any) -> list:
    """Return the values that a function reads from its closure and its module."""
    values = [
        function.__globals__[n] for n in _names(function.__code__) & function.__globals__.keys()
    ]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # the variable is not set yet
            continue
    return values


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in a code object and those nested in it."""
    nested = [_names(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return frozenset(code.co_names).union(*nested)


def _is_changed(value, names: frozenset[str], depth: int) -> bool:
    kind: Any = type(value)
    if issubclass(kind, Iterator):
        return True
    if issubclass(kind, collections.defaultdict):
        return value.default_factory is not None
    if issubclass(kind, (type, types.ModuleType)) or user_frames.is_unconverted_module(
        kind.__module__
    ):
        return False
    held = getattr(value, "__dict__", {})
    if _changes_when_read(kind, names & _class_names(kind) - held.keys()):
        return True
    return depth > 0 and any(
        _is_changed(held[name], names, depth - 1) for name in names & held.keys()
    )


@functools.lru_cache(maxsize=1024)
def _class_names(kind: type) -> frozenset[str]:
    """Return the names of the properties of a class."""
    return frozenset(
        name
        for name, value in inspect.getmembers_static(kind)
        if isinstance(value, (property, functools.cached_property))
    )


@functools.lru_cache(maxsize=4096)
def _changes_when_read(kind: type, properties: frozenset[str]) -> bool:
    """Return whether properties of a class, or its special methods for reading, change the object."""
    if any(_stores(kind, _static(kind, name), set()) for name in _SPECIAL):
        return True
    for name in properties:
        found = _static(kind, name)
        if isinstance(found, functools.cached_property) or _stores(kind, found.fget, set()):
            return True
    return False


def _static(kind: type, name: str):
    return inspect.getattr_static(kind, name, None)


def _stores(kind: type, function, seen: set) -> bool:
    """Return whether a method, or one of its class that it names, changes something in place."""
    if isinstance(function, property):
        function = function.fget
    if (
        not isinstance(function, types.FunctionType)
        or function in seen
        or user_frames.is_unconverted_module(function.__globals__.get("__name__") or "")
    ):
        return False
    seen.add(function)
    names = _names(function.__code__)
    if names & _CHANGING or any(i.opname in _STORES for i in dis.get_instructions(function)):
        return True
    return any(_stores(kind, _static(kind, name), seen) for name in names)
