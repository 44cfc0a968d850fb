"""Find the number literals in a function's source: limits and thresholds, at which inputs reveal most."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

MOST = 12
_DEPTH = 3  # of functions of one module that call each other
_LARGEST = 1e30  # masks and sentinels beyond it are no limits of inputs


def constants_of(function: Callable[..., Any]) -> tuple[float, ...]:
    """Return the floats in a function and in its module's functions that it calls, each x with -x and 1 - x.

    0 and 1 are left out, because generated inputs contain them anyway.
    """
    found: dict[float, None] = {}
    for value in _floats(_unwrapped(function), set(), _DEPTH):
        if value in (0.0, 1.0, -1.0) or not abs(value) < _LARGEST:
            continue
        found[value] = None
        found[1.0 - value if 0 < value < 1 else -value] = None
        found[-value] = None
    return tuple(found)[:MOST]


def _floats(function: Any, seen: set[Any], depth: int) -> Iterator[float]:
    """Yield the floats in a function's instructions, defaults, closure and global names, and in what it calls."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    codes = [*_codes(function.__code__)]
    names = dict.fromkeys(name for code in codes for name in code.co_names)
    values: list[Any] = [constant for code in codes for constant in code.co_consts]
    values += function.__defaults__ or ()
    values += (function.__kwdefaults__ or {}).values()
    closure = inspect.getclosurevars(function).nonlocals.values()
    named = [function.__globals__[name] for name in names if name in function.__globals__]
    for value in (*values, *closure, *named):
        yield from _as_float(value)
    for value in (*closure, *named):
        inner = _unwrapped(value)
        if depth and getattr(inner, "__module__", "") == function.__module__:
            yield from _floats(inner, seen, depth - 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _as_float(value: Any) -> Iterator[float]:
    if isinstance(value, float | np.floating) and math.isfinite(value):
        yield float(value)
    if isinstance(value, tuple):  # constants that Python has folded
        for item in value:
            yield from _as_float(item)


def _unwrapped(function: Any) -> Any:
    """Return the Python function within a method, a partial function, a compiled or a decorated one."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "python_function"):
            function = function.python_function
        elif inspect.isfunction(function) and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            return function
